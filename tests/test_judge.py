"""The judge outside: what answers score, honest, hostile and broken ones, and that nothing of them stays."""
import json
import os
import re
import socket
import subprocess
import sys
import time
from pathlib import Path
from threading import Thread

import numpy as np
import pytest

from minitorch import ops
from minitorch.check import in_kernel, judge
from minitorch_course import sandbox, wire
from minitorch_course.bank import function_of, read_answers, read_bank
from minitorch_course.checkout import CourseError
from minitorch_course.judge import Judge, exercises
from minitorch_course.sandbox import Gone, Limits, NoSandbox, Warm

ROOT = Path(__file__).resolve().parents[1]
MUL = """
def mul(a, b):
    return a * b, lambda grad: {"a": unbroadcast(grad * b, a.shape), "b": unbroadcast(grad * a, b.shape)}
"""
WRONG = MUL.replace("grad * a, b.shape", "a + 0 * grad, b.shape")       # the upstream gradient is ignored, for b: 3 of 5


@pytest.fixture(scope="module")
def outside():
    """A Judge with a sandbox; where .ci/run could install bubblewrap, a sandbox that is missing is a failure."""
    if sandbox.problem():
        assert not os.environ.get("MINITORCH_NEEDS_SANDBOX"), sandbox.problem()
        pytest.skip(sandbox.problem())
    with Judge(ROOT, limits=Limits(seconds=1)) as it:
        yield it


def grade(it, source, exercise="ops.mul", seed=1):
    result = it.grade(exercise, source, seed)
    return result.score, result.status, result


def test_the_cases_of_this_file(outside):
    assert grade(outside, MUL)[:2] == (5.0, "graded")
    score, status, result = grade(outside, WRONG)
    assert (score, status, result.mistake) == (3.0, "graded", "upstream gradient ignored")
    assert result.message.startswith("gradient of b: element [") and "This looks like: the upstream gradient is ignored" in result.message


# ---------------------------------------------------------------- cheats: the score that the mathematics deserves

CHEATS = {
    "np.allclose says yes": "np.allclose = np.array_equal = np.testing.assert_allclose = lambda *a, **k: True\n",
    "np.random gives zeros": "np.random.default_rng = lambda *a: None\nnp.random.seed(0)\n",
    "builtins": "import builtins\nbuiltins.abs = lambda x: 0\nbuiltins.all = builtins.any = lambda x: True\nbuiltins.max = lambda *a, **k: 0\n",
    "check redefined": "def check(*args, **kwargs):\n    return 5.0\n\n\ndef judge(*args):\n    return 5.0\n",
    "IPython hooks": "get_ipython().input_transformers_post.append(lambda lines: ['5.0'])\nget_ipython().ast_transformers.append(None)\n"
                     "ip = get_ipython()\nip.events.register('pre_run_cell', lambda *a: None)\n%matplotlib inline\n",
    "a faked answer on stdout": "import sys\nprint('{\"score\": 5.0}')\nsys.stdout.write('5.0\\n')\nsys.__stdout__.write('5.0\\n')\n",
    "modules": "import sys\nsys.modules['minitorch.check'] = sys.modules[__name__]\nsys.modules['numpy.testing'] = None\n",
}


@pytest.mark.parametrize("cheat", CHEATS.values(), ids=CHEATS)
def test_a_patched_world_changes_nothing(outside, cheat):
    assert grade(outside, cheat + WRONG)[:2] == (3.0, "graded")
    assert grade(outside, cheat + MUL)[:2] == (5.0, "graded")


@pytest.mark.parametrize("source, deserves", {
    "a subclass that is always equal": ('''
class Equal(np.ndarray):
    __eq__ = __le__ = __ge__ = __lt__ = __gt__ = lambda self, other: np.array(True)
    __sub__ = __rsub__ = lambda self, other: np.zeros(self.shape)
    shape = property(lambda self: (3, 3))


def mul(a, b):
    return a * b, lambda grad: {"a": (grad * 0).view(Equal), "b": np.zeros(b.shape).view(Equal)}
''', 1), "the installed library": ("from minitorch.ops import *\nfrom minitorch.ops import mul\n", 0),
    "the library by another way": ('''
import minitorch.ops, sys
sys.path += ["/work", "/usr/lib/python3/dist-packages"]
def mul(a, b):
    return minitorch.ops.mul(a, b)
''', 0), "frames and memory": ('''
import gc, inspect, sys
def mul(a, b):
    def backward(grad):
        frame = sys._getframe()
        while frame:
            for name, value in frame.f_locals.items():
                if "expected" in name or "oracle" in name or name == "check":
                    return value
            frame = frame.f_back
        found = [f for f in gc.get_objects() if inspect.isfunction(f) and f.__name__ == "mul" and f is not mul]
        return found[0](a, b)[1](grad)
    return a * b, backward
''', 1), "files": ('''
import pathlib
def mul(a, b):
    def backward(grad):
        text = [p.read_text() for p in pathlib.Path("/").rglob("*ops*.py") if "numpy" not in str(p) and "def mul" in p.read_text()][0]
        space = {}
        exec(text, space)
        return space["mul"](a, b)[1](grad)
    return a * b, backward
''', 1), "right for ones alone": ('''
def mul(a, b):
    return a * b, lambda grad: {"a": unbroadcast(b * np.ones_like(grad), a.shape), "b": unbroadcast(a * np.ones_like(grad), b.shape)}
''', 1)}.values(), ids=lambda v: "" if isinstance(v, str) else f"{v}")
def test_cheats_score_what_they_deserve(outside, source, deserves):
    assert grade(outside, source)[0] == deserves


@pytest.mark.parametrize("name, kind", [
    ("central", "(f(x + h) - f(x - h)) / (2 * h)"), ("ahead", "(f(x + h) - f(x)) / h"), ("complex", "np.imag(f(x + 1e-30j)) / 1e-30"),
    ("inline", "((x + h) ** 3 - (x - h) ** 3) / (2 * h)")])
def test_a_numerical_derivative_earns_no_gradient(outside, name, kind):
    source = f"def gelu(x):\n    h, f = 1e-5, lambda x: x / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x ** 3)))\n" \
             f"    return f(x), lambda grad: {{'x': grad * {kind}}}\n"
    score, status, result = grade(outside, source, "ops.gelu")
    assert score == 1 and (name == "inline" or result.mistake == "numerical derivative instead of a formula"), result


@pytest.mark.parametrize("unseen", {
    "profiler": "old = sys.getprofile(); sys.setprofile(None); slope = step(x); sys.setprofile(old)",
    "thread": "out = []; t = threading.Thread(target=lambda: out.append(step(x))); t.start(); t.join(); slope = out[0]",
    "process": "r, w = os.pipe()\n        if os.fork() == 0:\n            os.write(w, step(x).tobytes()); os._exit(0)\n"
               "        slope = np.frombuffer(os.read(r, 10**5)).reshape(x.shape)"}.values(), ids=lambda v: v[:3])
def test_nor_one_that_hides(outside, unseen):
    source = f"""
import os, sys, threading
def relu(x):
    step = lambda x: np.imag(np.where(np.real(x + 1e-30j) > 0, x + 1e-30j, 0)) / 1e-30
    def backward(grad):
        {unseen}
        return {{"x": grad * slope}}
    return np.maximum(x, 0), backward
"""
    score, status, result = grade(outside, source, "ops.relu")
    assert score == 1 and result.mistake == "numerical derivative instead of a formula", result


# ---------------------------------------------------------------- hostile ones: bounded, and the next answer is judged as ever

HOSTILE = {
    "os._exit": ("import os\nos._exit(0)", "died"),
    "sys.exit": ("import sys\nsys.exit(0)", "failed"),
    "killed parent": ("import os, signal\nos.kill(os.getppid(), 9)\nos.kill(0, 9)", ""),
    "kill all": ("import os\nos.kill(-1, 9)\nos.kill(1, 9)\nraise ValueError", "failed"),
    "stopped": ("import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)\nos.kill(0, signal.SIGSTOP)\nraise ValueError", ""),
    "endless loop": ("while True: pass", "timed out"),
    "endless loop that listens to nobody": (
        "import signal\nsignal.signal(signal.SIGALRM, signal.SIG_IGN)\nsignal.setitimer(signal.ITIMER_REAL, 0)\nwhile True: pass", ""),
    "sleep": ("import time\ntime.sleep(1000)", "timed out"),
    "memory": ("x = bytearray(10 ** 11)", "failed"),
    "memory bit by bit": ("x = []\nwhile True: x.append(np.ones(10 ** 6))", ""),
    "fork bomb": ("import os\nwhile True:\n    try: os.fork()\n    except OSError: pass", "died"),
    "threads": ("import threading, time\nwhile True:\n    try: threading.Thread(target=time.sleep, args=[100]).start()\n"
                "    except RuntimeError: pass", ""),
    "disk": ("for i in range(1000): open(f'/tmp/{i}', 'wb').write(bytes(10 ** 8))", "failed"),
    "output": ("for i in range(10 ** 5): print('x' * 1000)\nraise ValueError", "failed"),
    "closed": ("import os\nos.closerange(0, 100)", "died"),
    "recursion": ("import sys\nsys.setrecursionlimit(10 ** 9)\nf = lambda: f()\nf()", ""),
    "segmentation fault": ("import ctypes\nctypes.string_at(0)", "died"),
    "not Python": ("def mul(a, b:", "failed"),
    "not text": ("\0\0\0", "failed"),
    "nothing": ("", "failed"),
    "another function": ("def mull(a, b): return a * b", "failed"),
    "no function": ("mul = 3", "failed"),
    "deep": ("x = " + "(" * 5000 + ")" * 5000, "failed"),
}


@pytest.mark.parametrize("source, status", HOSTILE.values(), ids=HOSTILE)
def test_hostile_answers_end_and_harm_nobody(outside, source, status):
    start = time.monotonic()
    score, said, result = grade(outside, source)
    assert score == 0 and result.message and (said == status or not status), result
    assert time.monotonic() - start < 20
    assert grade(outside, WRONG)[:2] == (3.0, "graded")


@pytest.mark.parametrize("giant", ["np.zeros((3000, 3000))", "np.broadcast_to(np.float64(1), (10**9,))", "np.array([None])",
                                   "np.zeros(3, 'f8,i4')", "np.array(['x'])", "np.zeros(2, 'M8[s]')"])
def test_an_odd_gradient_is_a_verdict(outside, giant):
    score, status, result = grade(outside, MUL.replace("unbroadcast(grad * a, b.shape)", giant))
    assert (score, status) == (3.0, "graded") and "wanted an array, was given ndarray of " in result.message


def test_what_hangs_for_good_costs_its_points_and_a_few_seconds(outside):
    """A loop in C that hears no signal, in the backward of what is broadcast."""
    start = time.monotonic()
    source = MUL.replace("    return", "    if a.shape != b.shape: unbroadcast = lambda *x: np.linalg.svd(np.random.default_rng(0).random((5000, 5000)))\n"
                         "    else: unbroadcast = lambda g, shape: g\n    return", 1)
    score, status, result = grade(outside, source)
    assert (score, status) == (3.0, "timed out") and time.monotonic() - start < 20, result


BACKWARD = {"os._exit": "import os; os._exit(0)", "kills": "import os; os.kill(os.getpid(), 9)", "loops": "while True: pass",
            "raises": "1 / 0", "leaves": "raise SystemExit"}


@pytest.mark.parametrize("how", BACKWARD.values(), ids=BACKWARD)
def test_what_can_be_judged_is_judged(outside, how):
    """A backward that ends the process costs the gradients; the output's point is earned."""
    score, status, result = grade(outside, f"def mul(a, b):\n    def backward(grad):\n        {how}\n    return a * b, backward\n")
    assert score == 1, result
    if "_exit" in how or "while" in how:
        assert status == ("died" if "_exit" in how else "timed out")


def test_all_that_an_answer_started_is_dead(outside):
    mark = f"minitorch-test-{os.getpid()}"
    source = f"""
import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        open("/tmp/alive", "w").write("x")
        import ctypes
        ctypes.CDLL(None).prctl(15, b"{mark[:15]}", 0, 0, 0)
        time.sleep(1000)
    os._exit(0)
time.sleep(0.1)
assert os.path.exists("/tmp/alive")
"""
    assert grade(outside, source + MUL)[0] == 5
    alive = subprocess.run(["ps", "-eo", "comm"], capture_output=True, text=True).stdout
    assert mark[:15] not in alive
    assert grade(outside, "import os\nassert not os.listdir('/tmp'), os.listdir('/tmp')\n" + MUL)[0] == 5      # nor a file


def test_the_sandbox_shows_nothing_of_ours(outside):
    source = f"""
import os, socket
seen = []
for path in ({str(ROOT)!r}, {str(Path.home())!r} + "/.ssh", "/etc/passwd", {str(Path(np.__file__).parents[1] / "rich")!r}):
    if os.path.exists(path):
        seen.append(path)
for path in ("/usr/x", "/x", "/library/x", "/packages/numpy/x", "/dev/x"):
    try:
        open(path, "w")
        seen.append("wrote " + path)
    except OSError:
        pass
try:
    socket.create_connection(("127.0.0.1", {_listening()}), 1)
    seen.append("network")
except OSError:
    pass
seen += [k for k in os.environ if k not in ("PWD", "HOME", "PATH", "LANG", "OPENBLAS_NUM_THREADS", "LC_CTYPE")]
for pid in os.listdir("/proc"):
    if pid.isdigit() and pid != os.readlink("/proc/self"):
        for name in "environ", "mem", "maps":
            try:
                if open(f"/proc/{{pid}}/{{name}}", "rb").read(10):
                    seen.append(f"{{pid}} {{name}}")
            except OSError:
                pass
assert not seen, seen
"""
    assert grade(outside, source + MUL)[0] == 5, grade(outside, source + MUL)[2]


_server = []


def _listening():
    if not _server:
        _server.append(socket.create_server(("127.0.0.1", 0)))
    return _server[0].getsockname()[1]


# ---------------------------------------------------------------- what comes back is data

FORGED = {
    "nothing": "pass",
    "half a message": "s.sendall(wire[:10])",
    "a giant": "s.sendall(HEAD.pack(2 ** 31, 2 ** 31) + bytes(100))",
    "not JSON": "s.sendall(HEAD.pack(3, 0) + b'xyz')",
    "deep JSON": "s.sendall(HEAD.pack(20000, 0) + b'[' * 20000)",
    "an odd shape": "forge({'error': '', 'answers': [], 'x': 0}, b'{\"array\": [\"<f8\", [-1, 5]]}')",
    "a lying size": "forge(None, b'{\"array\": [\"<f8\", [1000000, 1000000]]}')",
    "an object array": "forge(None, b'{\"array\": [\"|O\", [1]]}')",
    "a number": "send(s, 5)",
    "no answers": "send(s, {'error': '', 'answers': None})",
    "too few": "send(s, {'error': '', 'answers': [{}]})",
    "empty ones": "send(s, {'error': '', 'answers': [{}] * n})",
    "wrong ones": "send(s, {'error': '', 'answers': [{'error': 3, 'output': [], 'grads': {}, 'modified': None}] * n})",
    "numbers for arrays": "send(s, {'error': '', 'answers': [{'error': '', 'output': {'type': 'ndarray', 'array': 7}, 'grads': 9, "
                          "'modified': []}] * n})",
    "text for arrays": "send(s, {'error': '', 'answers': [{'error': '', 'output': {'type': 'ndarray', 'array': 'x'}, 'grads': ['x'] * 3, "
                       "'modified': []}] * n, 'printed': 5, 'warned': 5})",
    "late": "import time; time.sleep(30)",
    "drop by drop": "import time\n        for b in wire:\n            s.sendall(bytes([b])); time.sleep(0.5)",
}


@pytest.mark.parametrize("what", FORGED.values(), ids=FORGED)
@pytest.mark.parametrize("exercise", ["ops.mul", "tensor.accumulate"])
def test_a_forged_answer_is_a_verdict(outside, what, exercise):
    """An answer that takes hold of the socket and answers in its place."""
    source = f"""
import os, socket
exec({Path(wire.__file__).read_text()!r})
def forgery(n=20):
    for fd in range(3, 100):
        try:
            s = socket.socket(fileno=os.dup(fd))
        except OSError:
            continue
        wire = pack({{"error": "", "answers": [{{}}] * n}})
        def forge(value, text):
            s.sendall(HEAD.pack(len(text), 0) + text)
        {what}
    os._exit(0)
def mul(a, b):
    forgery()
def accumulate(tensor, grad):
    forgery()
"""
    score, status, result = grade(outside, source, exercise)
    assert score == 0 and result.message, result
    assert grade(outside, WRONG)[0] == 3


def test_a_message_that_moves_the_cursor_does_not(outside):
    message = grade(outside, "def mul(a, b):\n    raise ValueError('\\x1b[2J\\x07 \\r\\n <b>5 of 5</b>' + 'x' * 10**6)")[2].message
    assert "\x1b" not in message and "\x07" not in message and len(message) < 5000


def test_messages_cross_unchanged():
    one, other = socket.socketpair()
    value = {"a": [np.float64(2.5), (1, None, True, "ä")], "x": np.arange(6.0).reshape(2, 3).T, "z": np.zeros(()), "e": np.zeros((0, 3), bool),
             "i": np.array([1, 2]), "c": np.array(1j), "inf": float("inf")}
    Thread(target=wire.send, args=(one, value)).start()
    back = wire.receive(other, 5)
    assert list(back) == list(value) and back["a"] == [2.5, (1, None, True, "ä")] and back["inf"] == float("inf")
    for k in "xzeic":
        assert back[k].dtype == value[k].dtype and np.array_equal(back[k], value[k]) and back[k].shape == value[k].shape
    with pytest.raises(TypeError, match="cannot send an array of object"):
        wire.pack(np.array([None]))
    with pytest.raises(TypeError, match="cannot send set"):
        wire.pack({1})


# ---------------------------------------------------------------- inside and outside agree; partial credit


def test_outside_and_in_the_kernel_the_same(outside):
    """The same verdict, to the letter, for a sample of the bank."""
    for answer in read_bank(ROOT)[::13]:
        check = exercises()[answer.exercise]
        function = function_of(ROOT, answer)
        here = judge(check, lambda calls: in_kernel(function, calls, check.program), 5)
        there = outside.grade(answer.exercise, answer.text, 5)
        plain = lambda text: re.sub(r" +in the line.*?(?=   \(case|$)", "", text)
        assert there.score == here.score, (answer, here, there)
        assert [plain(p.message) for p in there.verdict.parts] == [plain(p.message) for p in here.parts], answer


def test_same_seed_same_words(outside):
    assert grade(outside, WRONG, seed=5)[2].json() == grade(outside, WRONG, seed=5)[2].json()
    assert grade(outside, WRONG, seed=5)[2].message != grade(outside, WRONG, seed=6)[2].message


OPS = [name for name, check in exercises().items() if getattr(check, "form", "") == "op"]


@pytest.mark.parametrize("name", OPS)
def test_partial_credit(name):
    """A right op with one thing wrong loses that thing's points, and those that mean nothing without it; no others."""
    check = exercises()[name]
    module, function = name.split(".")
    op = getattr(ops if module == "ops" else __import__(f"minitorch.{module}", fromlist=[function]), function)
    kernel = lambda f: judge(check, lambda calls: in_kernel(f, calls, check.program), 3)
    inputs = check.cases(np.random.default_rng(0))[0].inputs
    parts = {t: sum(points for part, points in check.points.items() if part.split()[0] == t) for t in ("output", *inputs)}
    total = sum(check.points.values())

    def broken(target):
        def answer(*args, **kwargs):
            out, backward = op(*args, **kwargs)
            def changed(grad):
                return {k: -v if k == target else v for k, v in backward(grad).items()}
            return (out + 1 if target == "output" else out), changed
        return answer

    for target, points in parts.items():
        assert kernel(broken(target)).score == total - points, target
    # right gradients in the plain case alone
    for part in [p for p in check.points if " " in p and not p.startswith("output")]:
        target, kind = part.split()
        shapes = {tuple(v.shape for v in c.inputs.values()) for c in check.cases(np.random.default_rng(3)) if c.kind == kind}
        values = {v.tobytes() for c in check.cases(np.random.default_rng(3)) if c.kind == kind for v in c.inputs.values()}
        def answer(*args, target=target, shapes=shapes, values=values, **kwargs):
            out, backward = op(*args, **kwargs)
            given = [v for v in (*args, *kwargs.values()) if isinstance(v, np.ndarray)][:len(inputs)]
            hit = tuple(v.shape for v in given) in shapes and any(np.ascontiguousarray(v).tobytes() in values for v in given)
            return out, lambda grad: {k: -v if hit and k == target else v for k, v in backward(grad).items()}
        v = kernel(answer)
        assert v.score == total - check.points[part], (part, v)


# ---------------------------------------------------------------- the command, and without a sandbox


def command(*args, **kwargs):
    return subprocess.run([sys.executable, "-c", "from minitorch_course.cli import main; main()", "judge", *map(str, args)], capture_output=True, text=True,
                          cwd=ROOT, env={**os.environ, **kwargs})


def test_the_command(outside, tmp_path):
    (tmp_path / "right.py").write_text("#| export\nprint('{\"score\": 9}')\n" + MUL)
    (tmp_path / "wrong.py").write_text(WRONG)
    (tmp_path / "bytes.py").write_bytes(b"\xff\xfe\x00")
    files = [tmp_path / f for f in ("right.py", "wrong.py", "bytes.py", "missing.py")]
    done = command("ops.mul", *files, "--json", "--seed", 7)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0 and not done.stderr
    assert all(list(line) == ["exercise", "file", "score", "max", "status", "mistake", "message", "seed"] for line in lines)
    assert [(line["score"], line["max"], line["status"], line["seed"]) for line in lines] == [
        (5.0, 5.0, "graded", 7), (3.0, 5.0, "graded", 7), (0.0, 5.0, "failed", 7), (0.0, 5.0, "failed", 7)]
    assert lines[1]["file"] == str(files[1]) and lines[0]["message"] == ""
    said = command("ops.mul", *files[:2]).stdout
    assert "right.py: 5 of 5 points, graded\n" in said and "[upstream gradient ignored]\n    gradient of b: " in said
    assert re.search(r"\(inputs drawn with seed \d+\)", said)


def test_the_list_and_the_errors():
    lines = command("--list").stdout.splitlines()
    assert "ops.mul 5" in lines and "tensor.backward 8" in lines and len(lines) == len(exercises())
    for args, says in [(["ops.mull", "x.py"], "there is no exercise 'ops.mull': there are ops.add"), ([], "which exercise, and which files?"),
                       (["ops.mul"], "which exercise, and which files?"), (["--bank", "ops.mul", "x.py"], "--bank judges tests/answers")]:
        done = command(*args)
        assert done.returncode == 1 and says in done.stderr and "Traceback" not in done.stderr


def test_the_bank_by_the_command(outside):
    done = command("--bank", "ops.transpose2d")
    assert done.returncode == 0 and re.search(r"ops.transpose2d │ +22 of 22 │ +6 of 6", done.stdout), done


def test_a_bank_that_is_not_written_right(tmp_path):
    for text, says in [("# %% maybe ops.mul x\n", "line 1: wanted `# %% right"), ("# %% wrong ops.mul x | colour: red\n", "has colour")]:
        (tmp_path / "ops.py").write_text(text)
        with pytest.raises(CourseError, match=re.escape(says)):
            read_answers(tmp_path / "ops.py")


def test_without_bubblewrap_the_command_says_which(tmp_path):
    (tmp_path / "a.py").write_text(MUL)
    (tmp_path / "refused").mkdir()
    refused = tmp_path / "refused/bwrap"
    refused.write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n")
    refused.chmod(0o755)
    if not sys.platform.startswith("linux"):
        return
    for path, says in [(tmp_path, "is not installed"), (refused.parent, "was refused (bwrap: No permissions to create new namespace)")]:
        done = command("ops.mul", tmp_path / "a.py", PATH=str(path))
        assert done.returncode == 1 and says in done.stderr and "--no-sandbox" in done.stderr and "Traceback" not in done.stderr
        assert command("ops.mul", tmp_path / "a.py", "--no-sandbox", PATH=str(path)).returncode == 0


def test_without_a_sandbox_the_same_scores():
    with Judge(ROOT, sandbox=False, limits=Limits(seconds=1)) as it:
        assert grade(it, WRONG)[:2] == (3.0, "graded")
        assert grade(it, "import os\nos._exit(0)")[:2] == (0.0, "died")
        assert grade(it, "while True: pass")[:2] == (0.0, "timed out")
        assert grade(it, "from minitorch.ops import mul")[0] == 0
        assert grade(it, MUL)[0] == 5


def test_where_namespaces_do_not_nest_each_answer_has_its_own_sandbox(outside, monkeypatch):
    monkeypatch.setattr(Warm, "start", lambda self, start=Warm.start: (start(self), setattr(self, "nested", False))[0])
    with Judge(ROOT, limits=Limits(seconds=1)) as it:
        assert grade(it, WRONG)[0] == 3
        warm = next(iter(it.warm.values()))
        assert warm.process is None         # gone, with all that the answer may have started
        assert grade(it, "import os\nos.kill(os.getppid(), 9)\n" + MUL)[0] == 0
        assert grade(it, MUL)[0] == 5


def test_no_sandbox_is_an_error_of_its_own(monkeypatch, tmp_path):
    monkeypatch.setattr(sandbox, "problem", lambda: "there is none")
    with pytest.raises(NoSandbox, match="there is none"):
        Warm(tmp_path)


def test_a_child_that_is_gone_stays_gone(outside):
    grade(outside, MUL)
    with next(iter(outside.warm.values())).answer() as child:
        for _ in range(2):
            with pytest.raises(Gone) as gone:
                child({"load": {"given": [], "answer": "import os; os._exit(0)"}})
            assert gone.value.kind == "died"
