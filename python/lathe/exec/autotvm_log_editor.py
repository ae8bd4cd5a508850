"""Edits logs of AutoTVM: python -m lathe.exec.autotvm_log_editor --act pick-best -i all.log -o best.log"""

import argparse
import sys

from lathe import autotvm
from lathe.error import LatheError


def main(arguments=None):
    """Runs the program; returns its exit status.

    Example:
        >>> import lathe.exec.autotvm_log_editor as editor
        >>> callable(editor.main)
        True
    """
    parser = argparse.ArgumentParser(
        prog="python -m lathe.exec.autotvm_log_editor", description="Edits logs of AutoTVM.",
        epilog="example: python -m lathe.exec.autotvm_log_editor --act pick-best -i all.log -o best.log")
    parser.add_argument("--act", choices=["pick-best", "split"], required=True,
                        help="pick-best: the fastest trial of each workload, into -o; "
                             "split: a log for each workload, beside -i")
    parser.add_argument("-i", "--i", dest="log", required=True, help="the log")
    parser.add_argument("-o", "--o", dest="out", help="the new log, for pick-best; by default that of -i "
                                                      "with .best.log at its end")
    given = parser.parse_args(arguments)
    try:
        if given.act == "pick-best":
            autotvm.record.pick_best(given.log, given.out or given.log + ".best.log")
        else:
            autotvm.record.split_workload(given.log)
    except (LatheError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
