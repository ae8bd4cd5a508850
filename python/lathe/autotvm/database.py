"""Databases of trials."""

from . import record


class Database:
    """Base: keeps the results of what was measured.

    Example:
        >>> from lathe import autotvm
        >>> issubclass(autotvm.database.DummyDatabase, autotvm.database.Database)
        True
    """

    def load(self, inp, get_all=False):
        """The last result of an input, or None; with `get_all` the list of all."""
        raise NotImplementedError(f"{type(self).__name__}.load")

    def save(self, inp, res, extend=False):
        """Keeps a result; without `extend` it replaces earlier ones of this input."""
        raise NotImplementedError(f"{type(self).__name__}.save")


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

    def __init__(self):
        self._lines = {}

    def flush(self):
        """Forgets all."""
        self._lines.clear()

    def load(self, inp, get_all=False):
        """The last result of an input, or None; with `get_all` the list of all."""
        results = [record.decode(line)[1] for line in self._lines.get(record.measure_str_key(inp), ())]
        return results if get_all else (results[-1] if results else None)

    def save(self, inp, res, extend=False):
        """Keeps a result; without `extend` it replaces earlier ones of this input."""
        lines = self._lines.setdefault(record.measure_str_key(inp), [])
        if not extend:
            lines.clear()
        lines.append(record.encode(inp, res))

    def filter(self, func):
        """The pairs (input, result) of which `func(input, result)` is True."""
        pairs = (record.decode(line) for lines in self._lines.values() for line in lines)
        return [pair for pair in pairs if func(*pair)]


def filter_inputs(db, measure_inputs, retry=False):
    """The inputs of which a database has no result; with `retry`, also those that failed.

    Example:
        >>> from lathe import autotvm
        >>> autotvm.database.filter_inputs(autotvm.database.DummyDatabase(), [])
        []
    """
    def wanted(result):
        return result is None or (retry and result.error_no != 0)

    return [given for given in measure_inputs if wanted(db.load(given))]
