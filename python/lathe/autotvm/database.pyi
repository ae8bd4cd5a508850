"""Written by python/stubs/make_stubs.py."""

from typing import Any

class Database:
    """Base: keeps the results of what was measured.

    Example:
        >>> from lathe import autotvm
        >>> issubclass(autotvm.database.DummyDatabase, autotvm.database.Database)
        True
    """
    def load(self, inp: Any, get_all: Any = ...) -> Any: ...
    def save(self, inp: Any, res: Any, extend: Any = ...) -> Any: ...
    ...

class DummyDatabase(Database):
    """A database in the memory of this process.

    Example:
        >>> from lathe import autotvm
        >>> db = autotvm.database.DummyDatabase()
        >>> config = autotvm.task.ConfigEntity(0, None, {}, [])
        >>> given = autotvm.MeasureInput("llvm", autotvm.task.Task("t", (1,)), config)
        >>> db.save(given, autotvm.MeasureResult((0.5,), 0, 1.0, 0.0))
        >>> db.load(given).costs
        (0.5,)
    """
    def filter(self, func: Any) -> Any: ...
    def flush(self) -> Any: ...
    def load(self, inp: Any, get_all: Any = ...) -> Any: ...
    def save(self, inp: Any, res: Any, extend: Any = ...) -> Any: ...
    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

def filter_inputs(db: Any, measure_inputs: Any, retry: Any = ...) -> Any:
    """The inputs of which a database has no result; with `retry`, also those that failed.

    Example:
        >>> from lathe import autotvm
        >>> autotvm.database.filter_inputs(autotvm.database.DummyDatabase(), [])
        []
    """
