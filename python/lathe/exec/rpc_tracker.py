"""Lends the devices of servers to clients, by key: python -m lathe.exec.rpc_tracker."""

import argparse
import signal
import sys
import threading


def main(args=None):
    """Runs the program until Ctrl-C or SIGTERM. Returns the exit status.

    Example:
        >>> from lathe.exec import rpc_tracker
        >>> rpc_tracker.main(["--host", "0.0.0.0", "--port", "0"])    # without a secret
        1
    """
    parser = argparse.ArgumentParser(
        prog="python -m lathe.exec.rpc_tracker", description=__doc__.partition(":")[0] + ".",
        epilog="example: python -m lathe.exec.rpc_tracker --host 0.0.0.0 "
               "--secret-file ~/.lathe-secret")
    parser.add_argument("--host", default="127.0.0.1",
                        help="address to listen on (%(default)s: this machine only)")
    parser.add_argument("--port", type=int, default=9190, help="first port to try (%(default)s)")
    parser.add_argument("--port-end", type=int, default=0,
                        help="tries ports up to this one, exclusive (PORT + 10)")
    parser.add_argument("--secret-file", default="",
                        help="servers and clients must have the same secret")
    parser.add_argument("--insecure", action="store_true",
                        help="takes anybody without a secret, on a network that you trust wholly")
    parser.add_argument("--log-file", default="", metavar="FILE",
                        help="writes what happens there, with the time; it may be rotated")
    parser.add_argument("--silent", action="store_true", help="prints errors only")
    parser.add_argument("--no-fork", action="store_true", help="without effect")
    options = parser.parse_args(args)

    from .. import rpc
    from ..error import LatheError

    try:
        port_end = options.port_end or (min(options.port + 10, 65536) if options.port else 0)
        tracker = rpc.Tracker(options.host, options.port, port_end, options.silent,
                              secret_file=options.secret_file, insecure=options.insecure,
                              log_file=options.log_file)
    except LatheError as error:
        print(f"rpc_tracker: {error}", file=sys.stderr)
        return 1
    print(f"listening on {options.host}:{tracker.port}", flush=True)
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    while not stop.wait(0.5):
        pass
    tracker.terminate()
    return 0


if __name__ == "__main__":
    sys.exit(main())
