# Everything here sets up .venv by itself, and installs again only when settings.ini or setup.py changed.
# Without make: python -m venv .venv, activate it, pip install -e ".[dev]", then what stands in the recipes below.

# The first Python that is new enough; `make PYTHON=/path/to/python …` takes another one.
NEW_ENOUGH := import sys; sys.exit(sys.version_info < (3, 11))
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11 python; do \
	$$p -c '$(NEW_ENOUGH)' 2>/dev/null && { echo $$p; break; }; done)

VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
STUDENT := .venv-student
BENCH := .venv-bench
LAB_KIT := course/lab-kit
FIRST := $(firstword $(notdir $(sort $(wildcard nbs/[0-9][0-9]_*))))
PIP := -m pip --disable-pip-version-check -qq

# More threads than cores make small matrices slower, and tests are run side by side.
export OPENBLAS_NUM_THREADS := 1
export PYTHONUTF8 := 1

.DEFAULT_GOAL := help
.PHONY: help course test test-all lint lab bench clean

help:  ## what make can do
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-9s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

# $(1): the folder of a virtual environment
define new_venv
	@if ! "$(PYTHON)" -c '$(NEW_ENOUGH)' 2>/dev/null; then \
		echo "Python 3.11 or newer is needed, and '$(PYTHON)' is not one: install one, or name it: make PYTHON=/path/to/python …" >&2; \
		exit 1; fi
	@echo "make: sets up $(1) with $(PYTHON) (half a minute)"
	@"$(PYTHON)" -m venv $(1) || { \
		echo "'$(PYTHON)' could not make a virtual environment: on Debian and Ubuntu, apt-get install python3-venv" >&2; \
		rm -rf $(1); exit 1; }
endef

$(STAMP): settings.ini setup.py
	$(call new_venv,$(VENV))
	@$(BIN)/python $(PIP) install -e '.[dev]'
	@touch $@

course: $(STAMP)  ## the main job: library, student kit, example class graded by nbgrader, gradebook
	@$(BIN)/minitorch course

test: lint  ## the test-suite: pytest, the notebooks' own tests, exports in step, notebooks clean
	@echo "make: pytest"
	@$(BIN)/python -m pytest -n 2 -m "not slow"
	@echo "make: nbdev-test"
	@$(BIN)/nbdev-test --do-print --timing --n-workers 2

test-all: lint  ## what is in test, and the tests that take minutes
	@echo "make: pytest, slow tests too"
	@$(BIN)/python -m pytest -n 2
	@echo "make: nbdev-test"
	@$(BIN)/nbdev-test --do-print --timing --n-workers 2

lint: $(STAMP)
	@echo "make: ruff"
	@$(BIN)/ruff check

# The student's environment: the kit alone, without the solved library. A kit that is there is somebody's work.
$(LAB_KIT)/settings.ini: | $(STAMP)
	@$(BIN)/minitorch kit $(LAB_KIT)

$(STUDENT)/.installed: $(LAB_KIT)/settings.ini
	$(call new_venv,$(STUDENT))
	@$(STUDENT)/bin/python $(PIP) install -e $(LAB_KIT)
	@touch $@

lab: $(STUDENT)/.installed  ## JupyterLab on the student's version of the first notebook, in course/lab-kit
	@cd $(LAB_KIT) && . "$(CURDIR)/$(STUDENT)/bin/activate" && \
		jupyter lab --LabApp.default_url=/lab/tree/nbs/$(FIRST)/$(FIRST).ipynb $(LAB_ARGS)

# The peers of the benchmark, each by itself: one that cannot be installed is left out there, with a line.
$(BENCH)/.installed: benchmarks/requirements.txt
	$(call new_venv,$(BENCH))
	@grep -v '^#' benchmarks/requirements.txt | while read -r peer; do \
		$(BENCH)/bin/python $(PIP) install "$$peer" || echo "make: $$peer cannot be installed, the benchmark goes without it"; done
	@touch $@

bench: $(STAMP) $(BENCH)/.installed  ## the benchmarks: benchmarks/RESULTS.md (ten minutes)
	@$(BIN)/python benchmarks/import_time.py
	@$(BIN)/python benchmarks/check_time.py
	@$(BIN)/python benchmarks/speed.py

clean:  ## removes the environments, builds, caches, course/kit and course/example; leaves all else in course/
	rm -rf $(VENV) $(STUDENT) $(BENCH) build dist *.egg-info .pytest_cache .ruff_cache .hypothesis
	rm -rf course/kit course/example course/.exported
	find minitorch minitorch_course nbs tests \( -name __pycache__ -o -name .ipynb_checkpoints \) -prune -exec rm -rf {} +
