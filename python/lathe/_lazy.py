"""Modules of a package that are loaded on first use."""


def submodules(package, names):
    """A package's `__getattr__`: it imports the modules `names`."""
    def load(name):
        if name in names:
            import importlib

            return importlib.import_module("." + name, package)
        raise AttributeError(f"module '{package}' has no attribute '{name}'")

    return load
