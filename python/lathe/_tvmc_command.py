"""The commands `compile`, `run` and `tune` with TVM's options.

    python -m lathe.tvmc compile --target llvm model.onnx
"""

import argparse
import sys
import zipfile

from . import tvmc
from .error import LatheError


def parser():
    """The ArgumentParser of the commands.

    Example:
        >>> from lathe import _tvmc_command
        >>> _tvmc_command.parser().parse_args(["compile", "--target", "llvm", "m.onnx"]).output
        'module.tar'
    """
    made = argparse.ArgumentParser("tvmc", description="Compiles, runs and tunes models; `lathe` does all of it, too.")
    commands = made.add_subparsers(dest="command", required=True)

    def command(name, what):
        one = commands.add_parser(name, help=what, description=what)
        one.add_argument("FILE")
        return one

    def model(one):
        one.add_argument("--target", required=True)
        one.add_argument("--model-format", choices=tvmc.get_frontend_names())
        one.add_argument("--input-shapes", help='"data:[1,3,224,224] other:[1]"')
        one.add_argument("--desired-layout", choices=("NCHW", "NHWC"))
        one.add_argument("--tuning-records")

    def device(one, place, key):
        one.add_argument("--hostname", "--rpc-tracker", dest="rpc_tracker", metavar="HOST[:PORT]", help=place)
        one.add_argument("--rpc-key", help=key)

    one = command("compile", "Compiles a model into a package.")
    model(one)
    one.add_argument("-o", "--output", default="module.tar")
    one.add_argument("-f", "--output-format", choices=("so", "tar"), default="so")
    one.add_argument("-O", "--opt-level", type=int, choices=range(4), default=3)
    one.add_argument("--cross-compiler")
    one.add_argument("--cross-compiler-options")
    one.add_argument("--dump-code", default="", help="formats with commas, such as relay,ll,asm")
    one.add_argument("--disabled-pass", default="")
    one = command("run", "Runs a package.")
    one.add_argument("--device", default="cpu")
    one.add_argument("-i", "--inputs", help="a .npz file")
    one.add_argument("-o", "--outputs", help="a .npz file")
    one.add_argument("--fill-mode", choices=("random", "zeros", "ones"), default="random")
    one.add_argument("--print-time", action="store_true")
    one.add_argument("--print-top", type=int, help="so many of the largest elements of the first result")
    one.add_argument("--profile", action="store_true")
    one.add_argument("--repeat", type=int, default=1)
    one.add_argument("--number", type=int, default=1)
    device(one, "with --rpc-key: of a tracker (port 9190 if none is given); without: of a server (port 9090)",
           "what the tracker shall lend")
    one = command("tune", "Searches schedules for the kernels of a model.")
    model(one)
    one.add_argument("-o", "--output", required=True)
    one.add_argument("--trials", type=int, default=10000)
    one.add_argument("--early-stopping", type=int)
    one.add_argument("--tuner", choices=("xgb", "ga", "random", "gridsearch"), default="xgb")
    one.add_argument("--enable-autoscheduler", action="store_true")
    one.add_argument("--timeout", type=int, default=10)
    one.add_argument("--repeat", type=int, default=1)
    one.add_argument("--number", type=int, default=10)
    one.add_argument("--min-repeat-ms", type=int, default=0)
    device(one, "of a tracker (port 9190 if none is given), which lends devices; it needs --rpc-key",
           "what the tracker shall lend; without both options this machine measures")
    return made


def shapes(text):
    """{name: extents} of "data:[1,3,224,224] other:[1]"; None for no text.

    Raises:
        TVMCError: `tvmc-inputs`: the text has another form.

    Example:
        >>> from lathe import _tvmc_command
        >>> _tvmc_command.shapes("data:[1,3] n:[2]")
        {'data': [1, 3], 'n': [2]}
    """
    if text is None:
        return None
    made = {}
    for part in text.replace(", ", ",").split():
        name, _, listed = part.rpartition(":")
        try:
            made[name] = [int(n) for n in listed.strip("[]").split(",") if n]
        except ValueError:
            name = ""
        if not name or not listed.startswith("["):
            raise tvmc.TVMCError("shapes of inputs have another form", "tvmc-inputs",
                                 f"expected: data:[1,3,224,224] other:[1]\nfound: {part}")
    return made


def _place(options):
    if options.rpc_tracker is None:
        return {"rpc_key": options.rpc_key}
    host, colon, port = options.rpc_tracker.partition(":")
    if not host or (colon and not (port.isdecimal() and 0 < int(port) < 65536)):
        raise tvmc.TVMCError("this is no place of a tracker or server", "tvmc-address",
                             f"expected: HOST or HOST:PORT, such as 10.0.0.7:9190\nfound: {options.rpc_tracker}\n"
                             "help: a port is a number from 1 to 65535")
    return {"hostname": host, "port": int(port) if port else None, "rpc_key": options.rpc_key}


def _inputs(path):
    """{name: array} of a .npz file; None for no file."""
    import numpy as np

    if path is None:
        return None
    try:
        with np.load(path) as file:
            return dict(file)
    except (OSError, ValueError, TypeError, AttributeError, EOFError, zipfile.BadZipFile) as error:
        raise tvmc.TVMCError(f"inputs cannot be read: {error}", "tvmc-inputs",
                             f"expected: a file that numpy.savez wrote\nfound: {path}") from error


def _compile(options):
    model = tvmc.load(options.FILE, options.model_format, shapes(options.input_shapes))
    tvmc.compile(model, options.target, tuning_records=options.tuning_records, package_path=options.output,
                 cross=options.cross_compiler, cross_options=options.cross_compiler_options,
                 output_format=options.output_format, dump_code=[one for one in options.dump_code.split(",") if one],
                 desired_layout=options.desired_layout, disabled_pass=options.disabled_pass,
                 opt_level=options.opt_level)


def _run(options):
    import numpy as np

    inputs = _inputs(options.inputs)
    result = tvmc.run(tvmc.TVMCPackage(options.FILE), options.device, inputs=inputs, fill_mode=options.fill_mode,
                      repeat=options.repeat, number=options.number, profile=options.profile, **_place(options))
    if options.print_time:
        print(result.format_times())
    if options.print_top:
        first = np.asarray(result.get_output("output_0")).ravel()
        places = np.argsort(first)[::-1][:options.print_top]
        print(np.array([places, first[places]]))
    if options.outputs:
        result.save(options.outputs)


def _tune(options):
    model = tvmc.load(options.FILE, options.model_format, shapes(options.input_shapes))
    tvmc.tune(model, options.target, tuning_records=options.output, prior_records=options.tuning_records,
              enable_autoscheduler=options.enable_autoscheduler, trials=options.trials, tuner=options.tuner,
              early_stopping=options.early_stopping, desired_layout=options.desired_layout, timeout=options.timeout,
              repeat=options.repeat, number=options.number, min_repeat_ms=options.min_repeat_ms, **_place(options))


def _main(argv):
    """Runs a command; returns 0, or 1 after an error, which is printed.

    Args:
        argv: the words behind the program's name.
    """
    options = parser().parse_args(argv)
    try:
        {"compile": _compile, "run": _run, "tune": _tune}[options.command](options)
    except (LatheError, OSError) as error:
        print(f"Error: {error}", file=sys.stderr)
        return 1
    return 0


def main():
    """Runs the command of this process's arguments, and ends the process.

    Example:
        >>> import sys
        >>> from unittest import mock
        >>> from lathe import _tvmc_command
        >>> with mock.patch.object(sys, "argv", ["tvmc", "--help"]):
        ...     try:
        ...         _tvmc_command.main()
        ...     except SystemExit as ended:
        ...         print("ended with", ended.code)
        usage: tvmc ...
        ended with 0
    """
    sys.exit(_main(sys.argv[1:]))
