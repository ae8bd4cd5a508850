"""Prints a tracker's devices and who waits for them: python -m lathe.exec.query_rpc_tracker."""

import argparse
import json
import os
import sys


def main(args=None):
    """Runs the program. Returns the exit status.

    Example:
        >>> from lathe import rpc
        >>> from lathe.exec import query_rpc_tracker
        >>> with rpc.Tracker("127.0.0.1") as tracker:
        ...     query_rpc_tracker.main(["--port", str(tracker.port)])
        key                  server                       state
        no devices, and nobody waits
        0
    """
    parser = argparse.ArgumentParser(prog="python -m lathe.exec.query_rpc_tracker",
                                     description=__doc__.partition(":")[0] + ".")
    parser.add_argument("--host", default=os.environ.get("TVM_TRACKER_HOST", "127.0.0.1"),
                        help="the tracker's address (%(default)s)")
    parser.add_argument("--port", type=int,
                        default=int(os.environ.get("TVM_TRACKER_PORT", "9190")),
                        help="its port (%(default)s)")
    parser.add_argument("--secret-file", default="", help="if the tracker has a secret")
    parser.add_argument("--json", action="store_true", help="for programs")
    options = parser.parse_args(args)

    from .. import rpc
    from ..error import LatheError

    try:
        tracker = rpc.connect_tracker(options.host, options.port, secret_file=options.secret_file)
        text = json.dumps(tracker.summary()) if options.json else tracker.text_summary()
    except LatheError as error:
        print(f"query_rpc_tracker: {error}", file=sys.stderr)
        return 1
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
