"""What `tvmc` keeps in files: models, packages and results."""

import contextlib
import json
import os
import tarfile
import tempfile

from ._tvmc_frontends import TVMCError, _path

_MODEL, _PACKAGE = "model.json", "package.json"  # in an archive: what says which kind it is


class TVMCModel:
    """A model: its module and its parameters.

    Args:
        mod: an IRModule.
        params: {name: Tensor or array}.
        model_path: instead of both, a file that `save` wrote.

    Example:
        >>> from lathe import IRModule, relay, tvmc
        >>> x = relay.var("x", shape=(2,))
        >>> model = tvmc.TVMCModel(IRModule.from_expr(relay.Function([x], x + x)))
        >>> model.name, model.params
        ('default', {})
    """

    def __init__(self, mod=None, params=None, model_path=None):
        self.name = "default"
        if (mod is None) == (model_path is None):
            raise TVMCError("a model is either a module or a file", "tvmc-archive",
                            f"found: mod={mod!r}, model_path={model_path!r}")
        if model_path is not None:
            self.load(model_path)
        else:
            self.mod, self.params = mod, dict(params or {})

    def save(self, model_path):
        """Writes an archive (.tar) with module and parameters."""
        from .ir import save_json
        from .runtime import save_param_dict

        _write(model_path, {_MODEL: save_json(self.mod).encode(), "model.params": bytes(save_param_dict(self.params))})

    def load(self, model_path):
        """Reads what `save` wrote."""
        from .ir import load_json
        from .runtime import load_param_dict

        with _archive(model_path, _MODEL) as read:
            self.mod = load_json(read(_MODEL).decode())
            self.params = load_param_dict(read("model.params"))

    def summary(self, file=None):
        """Prints the module."""
        print(self.mod, file=file)

    def default_tuning_records_path(self):
        """Where `tune` writes if nothing else is said: in the folder of temporary files."""
        return os.path.join(tempfile.gettempdir(), "lathe-tvmc-records.json")

    def export_package(self, executor_factory, package_path=None, cross=None, cross_options=None,
                       output_format="so"):
        """Writes a package of what `relay.build` gave.

        Args:
            executor_factory: the result of `relay.build`.
            package_path: the archive (.tar); by default a new one among the temporary files.
            cross: a compiler that links the library.
            cross_options: its options, a text.
            output_format: "so", or "tar" for an archive of objects.

        Returns:
            The path.
        """
        if package_path is None:
            handle, package_path = tempfile.mkstemp(suffix=".tar", prefix="lathe-tvmc-")
            os.close(handle)
        with tempfile.TemporaryDirectory(prefix="lathe-tvmc-") as folder:
            library = os.path.join(folder, "mod." + output_format)
            if cross is None:
                executor_factory.export_library(library)
            else:
                from .contrib import cc

                executor_factory.export_library(
                    library, cc.cross_compiler(cross, options=(cross_options or "").split()))
            with open(library, "rb") as file:
                content = file.read()
        about = {"library": "mod." + output_format, "name": executor_factory.libmod_name}
        _write(package_path, {_PACKAGE: json.dumps(about).encode(), about["library"]: content})
        return _path(package_path)


class TVMCPackage:
    """A compiled model in an archive.

    Args:
        package_path: what `compile` wrote.
        project_dir: not supported: projects are microTVM's.

    Attributes:
        lib_path: the library, in a folder that lives as long as this object.
        name: of the graph in the library.

    Example:
        >>> from lathe import IRModule, relay, tvmc
        >>> x = relay.var("x", shape=(2,))
        >>> package = tvmc.compile(tvmc.TVMCModel(IRModule.from_expr(relay.Function([x], x + x))), "llvm")
        >>> package.lib_name
        'mod.so'
    """

    def __init__(self, package_path, project_dir=None):
        if project_dir is not None:
            raise TVMCError("projects of microTVM are not supported", "tvmc-archive", f"found: {project_dir}")
        self.package_path, self._folder = _path(package_path), tempfile.TemporaryDirectory(prefix="lathe-tvmc-")
        with _archive(package_path, _PACKAGE) as read:
            about = json.loads(read(_PACKAGE))
            self.lib_name, self.name = os.path.basename(about["library"]), about["name"]
            self.lib_path = os.path.join(self._folder.name, self.lib_name)
            with open(self.lib_path, "wb") as file:
                file.write(read(about["library"]))


class TVMCResult:
    """What a run gave.

    Attributes:
        outputs: {"output_0": array, ...}.
        times: a runtime.BenchmarkResult.

    Example:
        >>> from lathe import tvmc
        >>> tvmc.TVMCResult({"output_0": [1.0]}, None).get_output("output_0")
        [1.0]
    """

    def __init__(self, outputs, times):
        self.outputs, self.times = outputs, times

    def format_times(self):
        """Mean, median, largest and least time as a text."""
        return str(self.times)

    def get_output(self, name):
        """A result by its name."""
        return self.outputs[name]

    def save(self, output_path):
        """Writes the results as .npz."""
        import numpy as np

        np.savez(output_path, **self.outputs)

    def __str__(self):
        shapes = ", ".join(f"'{name}': {getattr(array, 'shape', ())}" for name, array in self.outputs.items())
        return f"{self.format_times()}\nOutput Names:\n  {shapes}"


def _write(path, files):
    """Writes an archive of {name: bytes}."""
    import io

    with tarfile.open(_path(path), "w") as archive:
        for name, content in files.items():
            about = tarfile.TarInfo(name)
            about.size = len(content)
            archive.addfile(about, io.BytesIO(content))


@contextlib.contextmanager
def _archive(path, kind):
    """A function: name -> bytes of that file in an archive, which must have the file `kind`."""
    try:
        with tarfile.open(_path(path)) as archive:
            names = archive.getnames()
            if kind not in names:
                raise TVMCError(f"`{path}` has no {kind}", "tvmc-archive",
                                f"expected: what {'TVMCModel.save' if kind == _MODEL else 'tvmc.compile'} wrote\n"
                                f"found: {', '.join(names) or 'nothing'}")
            yield lambda name: archive.extractfile(name).read()
    except (OSError, tarfile.TarError) as error:
        raise TVMCError(f"`{path}` cannot be read: {error}", "tvmc-archive", "expected: an archive (.tar)") from error
