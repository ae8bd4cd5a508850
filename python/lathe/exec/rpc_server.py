"""Offers this machine's devices to sessions over the network: python -m lathe.exec.rpc_server."""

import argparse
import signal
import sys
import threading


def _address(parser, option, text):
    """(host, port) of "HOST:PORT"; None of ""."""
    if not text:
        return None
    host, _, port = text.rpartition(":")
    if not host or not port.isdigit() or not 0 < int(port) < 65536:
        parser.error(f"{option}: expected HOST:PORT, found `{text}`")
    return host, int(port)


def _bytes(text):
    """The number of "500M"."""
    unit = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}.get(text[-1:], 1)
    try:
        number = float(text[:-1] if unit > 1 else text)
        if not (number == 0 or 1 <= number * unit <= 1e18):
            raise ValueError
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected a number of bytes such as 500M or 2G, found `{text}`") from None
    return int(number * unit)


def main(args=None):
    """Runs the program until Ctrl-C or SIGTERM. Returns the exit status.

    Example:
        >>> import os, tempfile
        >>> from lathe.exec import rpc_server
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     rpc_server.main(["--keygen", os.path.join(folder, "secret")])
        0
    """
    parser = argparse.ArgumentParser(
        prog="python -m lathe.exec.rpc_server", description=__doc__.partition(":")[0] + ".",
        epilog="example: python -m lathe.exec.rpc_server --host 0.0.0.0 --secret-file "
               "~/.lathe-secret --key rk3399")
    parser.add_argument("--host", default="127.0.0.1",
                        help="address to listen on (%(default)s: this machine only)")
    parser.add_argument("--port", type=int, default=9090, help="first port to try (%(default)s)")
    parser.add_argument("--port-end", type=int, default=0,
                        help="tries ports up to this one, exclusive (PORT + 100)")
    parser.add_argument("--key", default="", help="the kind of this device")
    parser.add_argument("--tracker", default="", metavar="HOST:PORT",
                        help="a tracker lends this device; then sessions need its leases")
    parser.add_argument("--proxy", default="", metavar="HOST:PORT",
                        help="clients reach this device through a proxy; then it does not listen")
    parser.add_argument("--through-proxy", action="store_true",
                        help="--host and --port are those of a proxy, as with --proxy")
    parser.add_argument("--custom-addr", default="",
                        help="where clients reach this server, if not where the tracker sees it")
    parser.add_argument("--load-library", default="",
                        help="Python modules that workers import, separated by commas; of "
                             "MODULE:FUNCTION the function is called")
    parser.add_argument("--secret-file", default="",
                        help="clients must have the same secret (--keygen makes one)")
    parser.add_argument("--insecure", action="store_true",
                        help="takes anybody without a secret, on a network that you trust wholly")
    parser.add_argument("--session-timeout", type=float, default=0,
                        help="the longest that a session may last, in seconds (0: no limit)")
    parser.add_argument("--max-sessions", type=int, default=1,
                        help="sessions at once (%(default)s); others wait")
    parser.add_argument("--session-memory", type=_bytes, default=0, metavar="BYTES",
                        help="what a session's process may have: 500M, 2G (0: no limit)")
    parser.add_argument("--confined", action="store_true",
                        help="code of sessions may write files of its session's folder only, where "
                             "the kernel can (Landlock)")
    parser.add_argument("--log-file", default="", metavar="FILE",
                        help="writes what happens there, with the time; it may be rotated")
    parser.add_argument("--silent", action="store_true", help="prints errors only")
    parser.add_argument("--no-fork", action="store_true",
                        help="without effect: workers are new processes, never forked ones")
    parser.add_argument("--keygen", metavar="FILE", help="makes a secret, and ends")
    options = parser.parse_args(args)

    from .. import rpc
    from ..error import LatheError

    tracker = _address(parser, "--tracker", options.tracker)
    port_end = options.port_end or (min(options.port + 100, 65536) if options.port else 0)
    listen = (options.host, options.port, port_end)
    proxy = _address(parser, "--proxy", options.proxy)
    if options.through_proxy:
        if proxy:
            parser.error("expected one of --proxy and --through-proxy, found both")
        proxy = (options.host, options.port)
    if proxy:
        listen = (*proxy, 0)
    try:
        if options.keygen:
            rpc.keygen(options.keygen)
            return 0
        server = rpc.Server(
            *listen, is_proxy=proxy is not None, key=options.key,
            load_library=options.load_library, secret_file=options.secret_file, insecure=options.insecure,
            session_timeout=options.session_timeout, max_sessions=options.max_sessions,
            session_memory=options.session_memory, confined=options.confined,
            silent=options.silent, tracker_addr=tracker, custom_addr=options.custom_addr,
            log_file=options.log_file)
    except (LatheError, ValueError) as error:
        print(f"rpc_server: {error}", file=sys.stderr)
        return 1
    print(f"dialling {proxy[0]}:{proxy[1]}" if proxy
          else f"listening on {options.host}:{server.port}", flush=True)
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    while not stop.wait(0.5):
        pass
    server.terminate()
    return 0


if __name__ == "__main__":
    sys.exit(main())
