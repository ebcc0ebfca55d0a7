"""What runs in the sandbox: a warm process that forks one child for each answer.

Sent as text behind that of wire.py, to `python -I -S -c`. It is told by one socket, over which the host sends another:
the one that the child is to talk over. The warm process never runs a student's code and never reads what a child says.
Each child is the first process of a PID namespace of its own, inside a user namespace of its own, so it cannot signal,
trace or read the warm process, and all that it starts dies with it.
"""
import builtins
import contextlib
import ctypes
import io
import linecache
import os
import resource
import select
import shutil
import signal
import socket
import sys
import time
import types
import warnings

import numpy as np

with contextlib.suppress(ImportError):      # sent as text: it stands above
    from .wire import receive, send

NEW_USER, NEW_PID, NEW_IPC = 0x10000000, 0x20000000, 0x08000000


def main(config):
    control = socket.socket(fileno=config["control"])
    os.set_inheritable(control.fileno(), False)
    _traceable(False)
    send(control, {"nested": config["sandbox"] and _can_nest()})
    while True:
        try:
            message, fds, _, _ = socket.recv_fds(control, 1, 1)
        except OSError:
            return
        if not message:
            return
        try:
            limits = receive(control)
            if limits["nested"]:
                pid, helper = _fork_nested(fds[0], limits)
            else:
                pid, helper = _fork(fds[0], limits), None
        except OSError as error:    # no process to be had: the host hears of it, and goes on
            os.close(fds[0])
            send(control, {"reason": f"could not start: {error}", "status": 0})
            continue
        os.close(fds[0])
        reason = _watch(control, pid, limits, config["sandbox"])
        status = _end(pid, helper)
        for folder in ("/tmp", "/dev/shm") if config["sandbox"] else ():
            for entry in os.scandir(folder):
                with contextlib.suppress(OSError):
                    shutil.rmtree(entry.path) if entry.is_dir(follow_symlinks=False) else os.unlink(entry.path)
        send(control, {"reason": reason, "status": status})


def _unshare(flags):
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(flags):
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))


def _traceable(yes):
    """Whether others of our user may trace this process and read and write its memory."""
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(4, int(yes), 0, 0, 0)       # PR_SET_DUMPABLE


def _can_nest():
    """Whether a process here may have namespaces of its own."""
    pid = os.fork()
    if not pid:
        try:
            _unshare(NEW_USER | NEW_PID | NEW_IPC)
            os._exit(0)
        except OSError:
            os._exit(1)
    return os.waitpid(pid, 0)[1] == 0


def _fork(connection, limits):
    pid = os.fork()
    if not pid:
        _child(connection, limits)
    return pid


def _fork_nested(connection, limits):
    """(the pid of the child, that of the process between): it takes two forks to be the first of a PID namespace."""
    told, tell = os.pipe()
    helper = os.fork()
    if not helper:
        try:
            os.setsid()
            uid, gid = os.getuid(), os.getgid()
            _traceable(True)        # or the maps could not be written
            _unshare(NEW_USER | NEW_PID | NEW_IPC)
            for name, text in ("setgroups", "deny"), ("uid_map", f"{uid} {uid} 1"), ("gid_map", f"{gid} {gid} 1"):
                with open(f"/proc/self/{name}", "w") as file:
                    file.write(text)
            _traceable(False)
            pid = os.fork()
            if not pid:
                os.setsid()     # not in one process group with this helper: kill(0, …) is theirs alone
                os.close(tell), os.close(told)
                _child(connection, limits)
            os.write(tell, str(pid).encode())
            os.close(connection), os.close(tell), os.close(told)
            os._exit(_code(os.waitpid(pid, 0)[1]))
        finally:
            os._exit(255)
    os.close(tell)
    said = os.read(told, 20)
    os.close(told)
    if not said:
        os.waitpid(helper, 0)
        raise OSError("a namespace of its own was refused")
    return int(said), helper


def _code(status):
    return os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status)


def _watch(control, pid, limits, sandbox):
    """Wait until the host says that it is enough; kills what passes its limits, and returns which."""
    reason = ""
    while not select.select([control], [], [], 0.02)[0]:
        if sandbox and not reason:
            count, memory = _usage()
            if count > limits["processes"]:
                reason = f"more than {limits['processes']} processes"
            elif memory > limits["memory"]:
                reason = f"more than {limits['memory'] >> 20} MiB of memory"
            if reason:
                os.kill(pid, signal.SIGKILL)
    control.recv(1)
    return reason


def _usage():
    """(number of processes, bytes of memory) of all in the sandbox but this one; threads count as processes."""
    count, pages = 0, 0
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) != os.getpid():
            with contextlib.suppress(OSError, ValueError, IndexError):
                with open(f"/proc/{name}/statm") as file:
                    pages += int(file.read().split()[1])
                with open(f"/proc/{name}/stat", "rb") as file:      # a process may call itself what it likes
                    count += int(file.read().rpartition(b")")[2].split()[17])
    return count, pages * os.sysconf("SC_PAGE_SIZE")


def _end(pid, helper):
    """Kill all that is left of an answer; returns how its first process ended."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
    if helper:      # the kernel has killed the whole namespace when its first process is waited for
        return _code(os.waitpid(helper, 0)[1])
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)
    return _code(os.waitpid(pid, 0)[1])


# ---------------------------------------------------------------- in the child


def _child(fd, limits):
    code = 1
    try:
        if not limits["nested"]:
            os.setsid()
        null = os.open(os.devnull, os.O_RDWR)
        for n in (0, 1, 2):
            os.dup2(null, n)
        connection = socket.socket(fileno=os.dup(fd))
        os.closerange(3, connection.fileno())
        os.closerange(connection.fileno() + 1, 256)
        for name, most in (("AS", limits["memory"]), ("CPU", limits["cpu"]), ("FSIZE", limits["file"]), ("CORE", 0),
                           ("NOFILE", 64), ("NPROC", limits["processes"])):
            with contextlib.suppress(ValueError, OSError, AttributeError):
                resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (most, most))
        _serve(connection, limits)
        code = 0
    finally:
        os._exit(code)


def _serve(connection, limits):
    space = types.ModuleType("answer")
    sys.modules["answer"] = space
    space.__builtins__ = builtins       # the real ones: those of this file are a copy
    builtins.get_ipython = _Inert()
    clock = Clock(limits["seconds"])
    sys.addaudithook(_audit)
    while True:
        request = receive(connection)
        try:
            with captured() as said:
                [(what, arguments)] = request.items()
                reply = (load if what == "load" else ask)(space, clock, **arguments)
            reply.update(printed=said.text, warned=said.warned)
            message = reply
        except MemoryError:
            message = {"error": "MemoryError: more than the memory that an answer may use"}
        except (Exception, SystemExit) as error:
            message = {"error": f"{type(error).__name__}: {error}"}
        try:
            send(connection, message)
        except TypeError as error:
            send(connection, {"error": str(error)})


def load(space, clock, given, answer):
    """Run the cells before the exercise, then the answer. Patched builtins are not those of the check's program."""
    for i, source in enumerate([*given, answer]):
        file = f"<given {i}>" if i < len(given) else "<answer>"
        linecache.cache[file] = (len(source), None, source.splitlines(True), file)
        with clock() if i == len(given) else contextlib.nullcontext():
            exec(compile(source, file, "exec"), space.__dict__)
    return {"error": ""}


def ask(space, clock, program, name, calls):
    function = space.__dict__.get(name)
    if not callable(function):
        return {"error": f"there is no function called {name}"}
    judge = {"__name__": "check", "__builtins__": __builtins__}
    exec(compile(program, "<check>", "exec"), judge)
    judge["limit"] = clock
    HIDES.clear()
    answers = judge["run"](function, calls)
    gradients = [p for a in answers for p in a.get("grads", ()) if type(p) is dict and "numerical" in p]
    if clock.rang or any("RecursionError" in p["error"] for p in [*answers, *gradients]):
        HIDES[:] = [h for h in HIDES if h != UNSEEN["sys.setprofile"]]      # Python drops a profiler that they hit
    for pulled in gradients if HIDES else ():
        pulled["numerical"] = pulled["numerical"] or f"{HIDES[0]}: there the check cannot look on"
    return {"error": "", "answers": answers}


HIDES = []      # what an answer did where the check's profiler does not see it
UNSEEN = {"_thread.start_new_thread": "a thread is started", "_thread.start_joinable_thread": "a thread is started",
          "os.fork": "a process is started", "os.posix_spawn": "a process is started",
          "subprocess.Popen": "a process is started", "ctypes.dlopen": "machine code is called",
          "sys.setprofile": "the profiler is changed"}


def _audit(event, arguments):
    """Python tells of these events, and no code can take this function away again."""
    if event in UNSEEN and sys._getframe(1).f_code.co_filename != "<check>":
        HIDES.append(UNSEEN[event])


class Clock:
    """A context that lasts some seconds at most: together, and then the twentieth part of a second each."""

    def __init__(self, seconds):
        self.seconds, self.left, self.rang = seconds, seconds, False
        signal.signal(signal.SIGALRM, self.ring)

    def ring(self, *signal):
        self.rang = True
        raise TimeoutError(f"more than {self.seconds:g} s: an endless loop?")

    @contextlib.contextmanager
    def __call__(self):
        start = time.monotonic()
        signal.setitimer(signal.ITIMER_REAL, self.left, 0.1)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            self.left = max(self.left - (time.monotonic() - start), 0.05)


class _Kept(io.TextIOBase):
    """Keeps the first 10,000 characters that are written to it."""

    text = ""

    def writable(self):
        return True

    def write(self, text):
        self.text += str(text)[:10_000 - len(self.text)]
        return len(text)


@contextlib.contextmanager
def captured():
    """What is printed (.text) and warned of (.warned) meanwhile."""
    said = sys.stdout = sys.stderr = _Kept()
    said.warned = []
    usual = np.errstate(divide="warn", over="warn", invalid="warn", under="ignore")
    with warnings.catch_warnings(record=True) as warned, usual:
        warnings.simplefilter("always")
        yield said
        said.warned = sorted({f"{w.category.__name__}: {w.message}"[:200] for w in warned[:1000]})[:10]


class _Inert:
    """Stands in for get_ipython and whatever is asked of it: there is no IPython here."""

    def __call__(self, *args, **kwargs):
        return self

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __iter__(self):
        return iter(())
