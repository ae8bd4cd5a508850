"""Visitors and mutators of types."""

from .. import _type_params as _tp


def _method(one):
    kind = type(one).__name__
    if kind == "TypeRef":
        named = ((_tp.TypeVar, "visit_type_var"), (_tp.IncompleteType, "visit_incomplete_type"),
                 (_tp.RefType, "visit_ref_type"), (_tp.TypeCall, "visit_type_call"))
        return next((method for cls, method in named if isinstance(one, cls)), "visit_global_type_var")
    return {"TensorType": "visit_tensor_type", "TupleType": "visit_tuple_type", "FuncType": "visit_func_type"}[kind]


class TypeFunctor:
    """A function of types with a method for each kind; derive from it.

    The methods: `visit_tensor_type`, `visit_tuple_type`, `visit_func_type`, `visit_type_var`,
    `visit_incomplete_type`, `visit_ref_type`, `visit_type_call`, `visit_global_type_var`.

    Example:
        >>> from lathe import relay
        >>> class Rank(relay.TypeFunctor):
        ...     def visit_tensor_type(self, one):
        ...         return len(one.shape)
        >>> Rank().visit(relay.TensorType((2, 3)))
        2
    """

    def visit(self, typ):
        """The result for a type. NotImplementedError if there is no method for its kind."""
        method = getattr(self, _method(typ), None)
        if method is None:
            raise NotImplementedError(f"{type(self).__name__} has no method {_method(typ)}")
        return method(typ)


class TypeVisitor(TypeFunctor):
    """Visits all parts of a type. Override `visit_tensor_type` and the like.

    Example:
        >>> from lathe import relay
        >>> class Shapes(relay.TypeVisitor):
        ...     found = ()
        ...     def visit_tensor_type(self, one):
        ...         self.found += (one.concrete_shape,)
        >>> visitor = Shapes()
        >>> visitor.visit(relay.TupleType([relay.TensorType((2,)), relay.TensorType((3,))]))
        >>> visitor.found
        ((2,), (3,))
    """

    def _parts(self, typ):
        """Called for one kind of types; visits their parts. Returns None."""
        for part in _tp.children(typ):
            self.visit(part)

    visit_tensor_type = visit_type_var = visit_incomplete_type = visit_global_type_var = _parts
    visit_tuple_type = visit_func_type = visit_ref_type = visit_type_call = _parts


class TypeMutator(TypeFunctor):
    """Builds a type anew. Override `visit_tensor_type` and the like to return other types.

    Example:
        >>> from lathe import relay
        >>> class Narrow(relay.TypeMutator):
        ...     def visit_tensor_type(self, one):
        ...         return relay.TensorType(one.shape, "float16")
        >>> Narrow().visit(relay.TupleType([relay.TensorType((2,))]))
        (float16[2],)
    """

    def _parts(self, typ):
        """Called for one kind of types. Returns one with the new parts; the same one if no part changed."""
        old = _tp.children(typ)
        new = [self.visit(part) for part in old]
        return typ if all(a is b for a, b in zip(old, new)) else _tp.with_children(typ, new)

    visit_tensor_type = visit_type_var = visit_incomplete_type = visit_global_type_var = _parts
    visit_tuple_type = visit_func_type = visit_ref_type = visit_type_call = _parts
