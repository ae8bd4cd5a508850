"""Names of a package that are loaded on first use."""


def submodules(package, names):
    """A package's `__getattr__`: it imports what `names` lists.

    Args:
        package: the package's name.
        names: the names of modules in it; or {name: the module that has it, "" if it is a module itself}.
    """
    where = names if isinstance(names, dict) else dict.fromkeys(names, "")

    def load(name):
        import importlib

        if name not in where:
            raise AttributeError(f"module '{package}' has no attribute '{name}'")
        if where[name]:
            return getattr(importlib.import_module(where[name]), name)
        return importlib.import_module("." + name, package)

    return load
