"""A peer of bench/networks in a process of its own (network_worker.py), and what it is asked."""

import json
import os
import signal
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


class Peer:
    """The process of one peer. Use it in a `with` statement: when that ends, so does the process,
    at once if what it was asked was interrupted."""

    def __init__(self, name, threads, options, folder, cache):
        self.name = name
        command = [sys.executable, os.path.join(HERE, "network_worker.py"), f"--peer={name}", f"--threads={threads}"]
        command += ["--thread-time"] if options.thread_time and threads == 1 else []
        command += ["--bfloat16"] if options.bfloat16 else []
        if name == "lathe":
            command += ["--records"] if options.records else []
            command += [f"--opt-level={options.opt_level}", f"--disable={options.disable}"]
        many = dict.fromkeys(("OMP_NUM_THREADS", "LATHE_NUM_THREADS"), str(threads))
        # What a peer writes beside its answers is removed with `folder`.
        kept = {"TMPDIR": folder, "TORCHINDUCTOR_CACHE_DIR": os.path.join(folder, "inductor")}
        environment = dict(os.environ, PYTHONPATH=options.site, LATHE_CACHE_DIR=cache, **many, **kept)
        # A group of its own: Ctrl-C reaches the bench alone, which then ends the peer with all that
        # it has started.
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment, start_new_session=True
        )

    def ask(self, **request):
        """The answer to a request; {"failed": why} if the peer could not do it, or ended."""
        try:
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        return json.loads(line) if line else {"failed": f"its process ended with {self.process.wait()}"}

    def close(self):
        """Ends the process when it has done what it was asked."""
        self.process.stdin.close()
        if self.process.returncode is not None:  # it ended when it was asked for something
            return
        os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOWAIT)
        self.kill()

    def kill(self):
        """Ends the process at once, and all that it has started and left running."""
        if self.process.returncode is None:  # its number is not given to another process yet
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()

    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        if kind is None:
            self.close()
        else:
            self.kill()
