"""Places in texts, which expressions may be given."""


class SourceName(str):
    """The name of a text, such as a file.

    Example:
        >>> from lathe import relay
        >>> relay.SourceName("model.py").name
        'model.py'
    """

    __slots__ = ()

    @property
    def name(self):
        """The name."""
        return str(self)


class Span(tuple):
    """A place in a text: (name, line). Errors about an expression that has it show it.

    Args:
        source_name: a SourceName or a text.
        line, end_line: the first and the last line, from 1.
        column, end_column: the first column, and the one behind the last, from 1.

    Example:
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(2,), span=relay.Span(relay.SourceName("model.py"), 3, 3, 1, 8))
        >>> x.span, x.span.line, x.span.source_name.name
        (('model.py', 3), 3, 'model.py')
    """

    def __new__(cls, source_name, line, end_line, column, end_column):
        made = super().__new__(cls, (str(source_name), int(line)))
        made.source_name, made.line, made.end_line = SourceName(source_name), int(line), int(end_line)
        made.column, made.end_column = int(column), int(end_column)
        return made

    def __getnewargs__(self):
        """What makes it again, when it is copied."""
        return self.source_name, self.line, self.end_line, self.column, self.end_column
