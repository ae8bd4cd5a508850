"""The stubs are what make_stubs.py writes; mypy accepts the lessons and finds planted mistakes."""

import os
import re
import subprocess
import sys

ROOT = os.getcwd()

if __name__ == "__main__":
    environment = dict(os.environ, PYTHONPATH=":".join(p for p in sys.path if p),
                       MYPYPATH=os.path.join(ROOT, "python/site"))
    python = [sys.executable, "-S", "-B"]
    # The package's folder is the only one on the path: files beside the script must not hide the
    # package.
    make = ("import runpy, sys; sys.argv = ['make_stubs.py', '--check', 'python']; "
            "runpy.run_path('python/stubs/make_stubs.py', run_name='__main__')")
    stale = subprocess.run([*python, "-c", make], env=environment).returncode
    mypy = [*python, "-m", "mypy", "--no-site-packages", "--cache-dir", os.environ["TEST_TMPDIR"],
            "--ignore-missing-imports"]
    wrong = subprocess.run([*mypy, *sys.argv[1:]], env=environment).returncode

    misuse = "python/tests/misuse.py"
    with open(misuse, encoding="utf-8") as f:
        planted = {n for n, line in enumerate(f, 1) if "# mistake" in line}
    done = subprocess.run([*mypy, misuse], env=environment, capture_output=True, text=True)
    found = {int(n) for n in re.findall(r"misuse.py:(\d+): error", done.stdout)}
    if found != planted:
        print(done.stdout, done.stderr, "not found:", sorted(planted - found), "not planted:", sorted(found - planted))
    sys.exit(stale or wrong or found != planted)
