"""A process for code that nobody has read: under bubblewrap, with limits, and dead when its time is over."""
import contextlib
import os
import shutil
import site
import socket
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

import numpy as np

from . import wire
from .checkout import CourseError

GO_ON = "--no-sandbox runs answers without one: only for answers that you trust"


@dataclass(frozen=True)
class Limits:
    """What one answer may use."""

    seconds: float = 3.0            # of its own time, until it is told to stop; four times that, and it is killed
    memory: int = 2 << 30           # bytes, of each process, and of all together
    processes: int = 32             # threads count
    file: int = 16 << 20            # bytes of a file; /tmp as a whole holds four of them

    @property
    def patience(self):
        """Seconds that the host waits for an answer."""
        return 4 * self.seconds


# the text has builtins of its own: an answer that patches `max` patches it for itself
START = """
import builtins, sys
sys.path[:0] = {paths!r}
space = {{"__name__": "inside", "__builtins__": dict(vars(builtins))}}
exec(compile({text!r}, "<inside>", "exec"), space)
space["main"]({config!r})
"""


class NoSandbox(CourseError):
    """Bubblewrap is missing, or refused."""


class Gone(Exception):
    """The process that ran the answer gave no answer. `kind`: "timed out", "died" or "malformed"."""

    def __init__(self, kind, reason):
        super().__init__(reason)
        self.kind = kind


@cache
def problem():
    """Why there is no sandbox here, in a sentence; empty where there is one."""
    if not sys.platform.startswith("linux"):
        return f"bubblewrap, the sandbox, is for Linux, and this is {sys.platform}. {GO_ON}"
    if not shutil.which("bwrap"):
        return f"bubblewrap, the sandbox, is not installed (apt-get or dnf install bubblewrap). {GO_ON}"
    tried = subprocess.run(command(["true"]), capture_output=True, encoding="utf-8", errors="replace")
    if tried.returncode == 0:
        return ""
    said = (tried.stderr.strip().splitlines() or [f"exit code {tried.returncode}"])[-1]
    return (f"bubblewrap, the sandbox, is installed and was refused ({said}). Unprivileged user namespaces are "
            "probably switched off: an administrator can allow them (sysctl user.max_user_namespaces, "
            "kernel.apparmor_restrict_unprivileged_userns), a container needs --security-opt seccomp=unconfined or its "
            f"like. {GO_ON}")


def command(argv, read=(), size=Limits.file * 4):
    """The command line that runs `argv` in a sandbox: a read-only system without the course, no network, its own /tmp.

    read  (folder here, folder there): what else it may read
    size  bytes that /tmp may hold
    """
    args = ["bwrap", "--unshare-all", "--unshare-user", "--die-with-parent", "--new-session", "--clearenv",
            "--setenv", "OPENBLAS_NUM_THREADS", "1", "--setenv", "HOME", "/tmp", "--setenv", "PATH", "/usr/bin:/bin",
            "--setenv", "LANG", "C.UTF-8"]
    for folder in ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64"):
        if os.path.islink(folder):
            args += ["--symlink", os.readlink(folder), folder]
        elif os.path.isdir(folder):
            args += ["--ro-bind", folder, folder]
    for path in ("/etc/ld.so.cache", "/etc/alternatives"):
        args += ["--ro-bind-try", path, path]
    prefix = os.path.realpath(sys.base_prefix)
    if not prefix.startswith("/usr/"):
        args += ["--ro-bind", prefix, prefix] if prefix != "/usr" else []
    for folder in {*site.getsitepackages([prefix]), *site.getsitepackages(["/usr", "/usr/local"])}:
        for path in Path(folder).glob("minitorch*"):    # an installed library is the answer sheet
            args += ["--tmpfs", str(path)] if path.is_dir() else ["--ro-bind", "/dev/null", str(path)]
    args += ["--proc", "/proc", "--ro-bind", "/proc/sys", "/proc/sys", "--dev", "/dev"]     # root could write sysctls
    for folder in ("/tmp", "/dev/shm"):
        args += ["--size", str(size), "--tmpfs", folder]
    for here, there in read:
        args += ["--ro-bind", str(here), there]
    return [*args, "--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/tmp", "--", *argv]


class Warm:
    """A warm process, in a sandbox, that forks one child for each answer.

    library  a folder whose minitorch the answers import
    sandbox  False: without a sandbox
    Use it as a context. Raises NoSandbox where there is none.
    """

    def __init__(self, library, limits=None, sandbox=True):
        if sandbox and problem():
            raise NoSandbox(problem())
        if not hasattr(os, "fork"):
            raise NoSandbox("answers are judged in forked processes, and this system has none: use Linux, macOS or WSL")
        self.library, self.limits, self.sandbox = Path(library), limits or Limits(), sandbox
        self.process = self.control = None

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.stop()

    def start(self):
        packages = Path(np.__file__).parent.parent
        deps = [p for p in (packages / "numpy", packages / "numpy.libs") if p.is_dir()]
        self.control, theirs = socket.socketpair()
        if self.sandbox:
            here, paths = None, ["/library", "/packages"]
        else:
            here = self.scratch = tempfile.mkdtemp(prefix="minitorch-judge-")
            for p in deps:
                os.symlink(p, f"{here}/{p.name}")
            paths = [str(self.library), here]
        config = {"control": theirs.fileno(), "sandbox": self.sandbox}
        text = Path(wire.__file__).read_text("utf-8") + "\n" + Path(__file__).with_name("inside.py").read_text("utf-8")
        program = START.format(paths=paths, text=text, config=config)
        argv = [os.path.realpath(sys.executable), "-I", "-S", "-c", program]
        if self.sandbox:
            folders = [(self.library, "/library"), *((p, f"/packages/{p.name}") for p in deps)]
            argv = command(argv, folders, 4 * self.limits.file)
        env = None if self.sandbox else {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
        null, pipe = subprocess.DEVNULL, subprocess.PIPE
        self.process = subprocess.Popen(argv, pass_fds=[theirs.fileno()], stdin=null, stdout=null, stderr=pipe,
                                        cwd=here, env=env, start_new_session=True)
        theirs.close()
        try:
            self.nested = wire.receive(self.control, 60)["nested"]
        except (EOFError, OSError, ValueError):
            self.process.kill()
            said = self.process.stderr.read().decode("utf-8", "replace").strip().splitlines()[-3:]
            self.stop()
            said = " / ".join(said) or "it said nothing"
            raise CourseError(f"the process that runs answers did not start: {said}") from None

    def stop(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process.stderr.close()
            self.control.close()
            self.process = None
            if not self.sandbox:
                shutil.rmtree(self.scratch, ignore_errors=True)

    @contextlib.contextmanager
    def answer(self):
        """A new child for one answer: a function request → reply, which raises Gone. The child is dead afterwards."""
        if self.process is None or self.process.poll() is not None:
            self.stop()
            self.start()
        ours, theirs = socket.socketpair()
        child = Child(self, ours)
        try:
            limits = {**asdict(self.limits), "cpu": int(self.limits.patience) + 1, "nested": self.nested}
            with theirs:
                socket.send_fds(self.control, [b"n"], [theirs.fileno()])
                wire.send(self.control, limits)
            yield child
        finally:
            child.end()

    def _end(self):
        """The child's time is over; returns why it was killed, if it was."""
        try:
            self.control.sendall(b"e")
            reason = wire.receive(self.control, 30)["reason"]
            if self.sandbox and not self.nested:    # all that the child started dies with the sandbox
                self.stop()
            return reason
        except (EOFError, OSError, ValueError):
            self.stop()     # the warm process is gone, or hangs: whatever is left dies with the sandbox
            return "it killed the process that started it"


class Child:
    """Talks to one answer's process."""

    def __init__(self, warm, connection):
        self.warm, self.connection, self.gone, self.ended = warm, connection, None, False

    def __call__(self, request, patience=None):
        """The reply to a request, a dict; raises Gone where there is none, and from then on."""
        if self.gone:
            raise self.gone
        patience = patience or self.warm.limits.patience
        self.connection.settimeout(patience)
        try:
            wire.send(self.connection, request)
            reply = wire.receive(self.connection, patience)
            if not isinstance(reply, dict) or not isinstance(reply.get("error"), str):
                raise ValueError("no reply")
            return reply
        except TimeoutError:
            kind, reason = "timed out", f"no answer within {patience:g} s"
        except (EOFError, OSError):
            kind, reason = "died", "the process ended before it answered"
        except ValueError as error:
            kind, reason = "malformed", f"what came back is no answer ({error})"
        self.gone = Gone(kind, self.end() or reason)
        raise self.gone

    def end(self):
        """Kill the process and all that it started; returns why it had been killed already, if it had."""
        if self.ended:
            return ""
        self.ended = True
        self.connection.close()
        return self.warm._end()
