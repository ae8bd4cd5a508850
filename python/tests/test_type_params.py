"""Types with parameters, and references: relay.TypeVar, TypeCall, TypeData of type variables, RefCreate."""

import pickle
import subprocess
import sys

import numpy as np
import pytest

import lathe
from lathe import relay

F32, I32 = relay.scalar_type("float32"), relay.scalar_type("int32")
A, B = relay.TypeVar("a"), relay.TypeVar("b")


def run(body_or_mod, *args, kind="debug"):
    mod = body_or_mod if isinstance(body_or_mod, lathe.IRModule) else lathe.IRModule.from_expr(
        body_or_mod if isinstance(body_or_mod, relay.Function) else relay.Function([], body_or_mod))
    return relay.create_executor(kind, mod).evaluate()(*args)


def plain(value):
    if isinstance(value, list):
        return [plain(one) for one in value]
    return value.numpy().tolist()


# -- Types.

def test_variables_are_equal_by_name_and_kind():
    assert relay.TypeVar("a") == A and A != B
    assert A != relay.TypeVar("a", relay.TypeKind.ShapeVar) and A != relay.GlobalTypeVar("a")
    assert (A.name_hint, A.kind, str(A)) == ("a", relay.TypeKind.Type, "a")
    assert isinstance(A, relay.TypeVar) and isinstance(A, relay.Type) and not isinstance(F32, relay.TypeVar)
    assert not isinstance(relay.GlobalTypeVar("a"), relay.TypeVar)
    assert relay.IncompleteType() != relay.IncompleteType()


def test_types_are_made_of_types():
    cell = relay.GlobalTypeVar("List")
    applied = cell(relay.TupleType([A, F32]))
    assert applied == relay.TypeCall(cell, [relay.TupleType([A, F32])]) and isinstance(applied, relay.TypeCall)
    assert applied.func == cell and applied.args == (relay.TupleType([A, F32]),)
    assert str(applied) == "List[(a, float32[])]"
    assert cell() == cell and cell(A) != cell(B)
    assert relay.RefType(F32).value == F32 and isinstance(relay.RefType(F32), relay.RefType)
    fn = relay.FuncType([A, F32], applied, [A])
    assert fn.type_params == [A] and fn.arg_types == (A, F32)


def test_wrong_uses_of_type_parameters_say_so():
    for make in (lambda: relay.FuncType([F32], F32, [A]), lambda: relay.FuncType([A], A, [A], ["relation"]),
                 lambda: relay.Function([], relay.const(1), None, [F32]),
                 lambda: relay.TypeCall(A.name_hint, [F32]), lambda: relay.RefType(3),
                 lambda: relay.Function([relay.Var("x", A)], relay.Var("x", A), None, [A]).checked_type,
                 lambda: relay.Call(relay.op.get("exp"), [relay.const(1.0)], None, [F32])):
        with pytest.raises(lathe.LatheError) as raised:
            make()
        assert raised.value.name == "relay-type-arguments"


def test_visitors_and_mutators_of_types():
    class Names(relay.TypeVisitor):
        def __init__(self):
            self.found = []

        def visit_type_var(self, one):
            self.found.append(one.name_hint)

    class Closed(relay.TypeMutator):
        def visit_type_var(self, one):
            return F32

    whole = relay.FuncType([relay.TupleType([A, relay.RefType(B)])], relay.GlobalTypeVar("List")(A))
    names = Names()
    names.visit(whole)
    assert names.found == ["a", "b", "a"]
    assert str(Closed().visit(whole)) == "fn((float32[], Ref[float32[]])) -> List[float32[]]"
    assert Closed().visit(F32) is F32


def test_type_variables_of_expressions():
    x, y = relay.Var("x", A), relay.Var("y", relay.GlobalTypeVar("List")(B))
    func = relay.Function([x, y], x, A, [A])
    assert relay.analysis.all_type_vars(func) == [A, B]
    assert relay.analysis.bound_type_vars(func) == [A] and relay.analysis.free_type_vars(func) == [B]
    assert relay.analysis.free_type_vars(relay.TupleType([A, B])) == [A, B]
    assert relay.analysis.all_type_vars(relay.Var("z", F32)) == []


# -- Functions.

def test_a_function_has_the_types_of_each_call():
    x, f = relay.Var("x", A), relay.Var("f")
    body = relay.Let(f, relay.Function([x], relay.Tuple([x, x]), relay.TupleType([A, A]), [A]),
                     relay.Tuple([f(relay.const(1.5)), f(relay.const([1, 2]))]))
    assert relay.Function([], body).checked_type.ret_type == relay.TupleType(
        [relay.TupleType([F32, F32]), relay.TupleType([relay.TensorType((2,), "int32")] * 2)])
    assert plain(run(body)) == [[1.5, 1.5], [[1, 2], [1, 2]]]


def test_functions_of_a_module_are_made_for_each_type():
    x, y = relay.Var("x", A), relay.Var("y", B)
    swap, mod = relay.GlobalVar("swap"), lathe.IRModule()
    mod[swap] = relay.Function([x, y], relay.Tuple([y, x]), relay.TupleType([B, A]), [A, B])
    mod["main"] = relay.Function([], relay.Tuple([swap(relay.const(1), relay.const(2.5)),
                                                  swap(relay.const([1.0]), relay.const(3))]))
    assert plain(run(mod)) == [[2.5, 1], [3, [1.0]]]
    assert [v.name_hint for v in mod.get_global_vars()] == ["swap", "main"]
    assert mod["swap"].type_params == [A, B]
    assert mod["swap"].checked_type == relay.FuncType([A, B], relay.TupleType([B, A]))


def test_generic_functions_call_themselves_and_each_other():
    n, x = relay.var("n", I32), relay.Var("x", A)
    again, mod = relay.GlobalVar("again"), lathe.IRModule()
    mod[again] = relay.Function([n, x], relay.If(n > relay.const(0), again(n - relay.const(1), x), x), A, [A])
    f, y = relay.Var("f", relay.FuncType([A], A)), relay.Var("y", A)
    twice = relay.GlobalVar("twice")
    mod[twice] = relay.Function([f, y], f(again(relay.const(2), f(y))), A, [A])
    z = relay.var("z", shape=(2,))
    mod["main"] = relay.Function([], twice(relay.Function([z], z * 2.0), relay.const([1.0, 3.0])))
    assert plain(run(mod)) == [4.0, 12.0]


def test_type_arguments_are_given_where_nothing_says_them():
    name = relay.Var("x", relay.GlobalTypeVar("Maybe")(A))
    some, mod = maybe()
    is_some = relay.GlobalVar("is_some")
    mod[is_some] = relay.Function([name], relay.Match(name, [
        relay.Clause(relay.PatternConstructor(some[1], [relay.PatternWildcard()]), relay.const(True)),
        relay.Clause(relay.PatternWildcard(), relay.const(False))]), relay.scalar_type("bool"), [A])
    mod["main"] = relay.Function([], relay.Tuple([
        is_some(relay.Call(some[0], [], type_args=[F32])), is_some(some[1](relay.const(1)))]))
    assert plain(run(mod)) == [False, True]
    with pytest.raises(lathe.LatheError, match="type_args"):
        mod["other"] = relay.Function([], is_some(some[0]()))


# -- Data types.

def maybe():
    """((Nothing, Just), a module with the data type Maybe[a])."""
    header = relay.GlobalTypeVar("Maybe")
    made = [relay.Constructor("Nothing", [], header), relay.Constructor("Just", [A], header)]
    mod = lathe.IRModule()
    mod[header] = relay.TypeData(header, [A], made)
    return made, mod


def lists(mod):
    header = relay.GlobalTypeVar("Chain")
    nil, cons = relay.Constructor("End", [], header), relay.Constructor("Link", [A, header(A)], header)
    mod[header] = relay.TypeData(header, [A], [nil, cons])
    return header, nil, cons


@pytest.mark.parametrize("kind", ["debug", "vm"])
def test_lists_of_any_type(kind):
    mod = lathe.IRModule()
    header, nil, cons = lists(mod)
    xs, h, t, f = relay.Var("xs", header(A)), relay.Var("h"), relay.Var("t"), relay.Var("f", relay.FuncType([A], B))
    match = lambda value, end, link: relay.Match(value, [
        relay.Clause(relay.PatternConstructor(nil), end),
        relay.Clause(relay.PatternConstructor(cons, [relay.PatternVar(h), relay.PatternVar(t)]), link)])
    mapped = relay.GlobalVar("mapped")
    mod[mapped] = relay.Function([f, xs], match(xs, nil(), cons(f(h), mapped(f, t))), header(B), [A, B])
    x = relay.var("x", shape=())
    to_int = relay.Function([x], relay.cast(x * 2.0, "int32"))
    mod["main"] = relay.Function([x], mapped(to_int, cons(x, cons(relay.const(2.5), nil()))))
    value, found = run(mod, np.float32(1.0), kind=kind), []
    while len(value):
        found.append(int(value.fields[0].numpy()))
        value = value.fields[1]
    assert found == [2, 5]
    assert mod["main"].checked_type.ret_type == header(I32)


def test_what_has_no_type_gets_that_of_its_place():
    mod = lathe.IRModule()
    header, nil, cons = lists(mod)
    x, c = relay.var("x", shape=()), relay.var("c", shape=(), dtype="bool")
    l = relay.Var("l", header(F32))
    empty = relay.Match(l, [relay.Clause(relay.PatternWildcard(), nil())])
    body = relay.Let(l, nil(), relay.If(c, empty, cons(x, nil())))
    mod["main"] = relay.Function([c, x], body, header(F32))
    assert len(run(mod, np.bool_(False), np.float32(2))) == 2 and len(run(mod, np.bool_(True), np.float32(2))) == 0
    nested = lathe.IRModule()
    header, nil, cons = lists(nested)
    nested["main"] = relay.Function([], cons(cons(relay.const(1.0), nil()), nil()))
    assert nested["main"].checked_type.ret_type == header(header(F32))
    assert plain(run(nested).fields[0].fields[0]) == 1.0


def listed(value):
    """Lists, options and trees of a Prelude as tuples."""
    if isinstance(value, list):
        return [listed(one) for one in value]
    if isinstance(value, lathe.runtime.container.ADT):
        return (value.constructor.name_hint, *map(listed, value.fields))
    return value.numpy().tolist()


def chain(p, *items):
    made = p.nil()
    for item in reversed(items):
        made = p.cons(item if isinstance(item, relay.Expr) else relay.const(item), made)
    return made


def scalars(body, *dtypes):
    params = [relay.var(f"x{n}", shape=(), dtype=dtype) for n, dtype in enumerate(dtypes)]
    return relay.Function(params, body(*params))


def steps(p):
    """Counts down, and gives each number as a float."""
    return scalars(lambda n: relay.If(n > relay.const(0), p.some(relay.Tuple([n - relay.const(1), relay.cast(n, "float32")])),
                                      p.none()), "int32")


PRELUDE = {
    "map": (lambda p: p.map(scalars(lambda x: relay.cast(x * 2.0, "int32"), "float32"), chain(p, 1.5, 2.0)),
            ("Cons", 3, ("Cons", 4, ("Nil",))), "List[int32[]]"),
    "functions as values": (lambda p: p.map(p.length, chain(p, chain(p, 1, 2), chain(p, 3))),
                            ("Cons", 2, ("Cons", 1, ("Nil",))), "List[int32[]]"),
    "constructors as values": (lambda p: p.map(p.some, chain(p, 1)), ("Cons", ("Some", 1), ("Nil",)), "List[Option[int32[]]]"),
    "zip": (lambda p: p.zip(chain(p, 1, 2), chain(p, 1.5)), ("Cons", [1, 1.5], ("Nil",)), "List[(int32[], float32[])]"),
    "foldl": (lambda p: p.foldl(scalars(lambda n, x: n + relay.const(1), "int32", "float32"), relay.const(0), chain(p, 1.0, 2.0)),
              2, "int32[]"),
    "filter": (lambda p: p.filter(scalars(lambda n: n > relay.const(1), "int32"), chain(p, 1, 2)), ("Cons", 2, ("Nil",)),
               "List[int32[]]"),
    "hd": (lambda p: p.hd(relay.Call(p.nil, [], type_args=[I32])), ("None",), "Option[int32[]]"),
    "sum": (lambda p: relay.Tuple([p.sum(chain(p, 1.0, 2.0)), p.sum_of(I32)(chain(p, 1, 2))]), [3.0, 3], "(float32[], int32[])"),
    "compose": (lambda p: p.compose(scalars(lambda x: relay.cast(x, "int32"), "float32"), scalars(lambda x: x * 2.0, "float32"))(
        relay.const(1.5)), 3, "int32[]"),
    "unfoldr": (lambda p: p.unfoldr(steps(p), relay.const(2)), ("Cons", 2.0, ("Cons", 1.0, ("Nil",))), "List[float32[]]"),
    "unfoldl": (lambda p: p.unfoldl(steps(p), relay.const(2)), ("Cons", 1.0, ("Cons", 2.0, ("Nil",))), "List[float32[]]"),
    "rev": (lambda p: p.rev(p.concat(chain(p, [1, 2]), chain(p, [3, 4]))), ("Cons", [3, 4], ("Cons", [1, 2], ("Nil",))),
            "List[int32[2]]"),
    "trees": (lambda p: relay.Tuple([p.size(p.rose(relay.const(1), chain(p, p.rose(relay.const(2), p.nil())))), p.tmap(
        scalars(lambda x: relay.cast(x, "int32"), "float32"), p.rose(relay.const(1.5), p.no_trees()))]),
        [2, ("Rose", 1, ("Nil",))], "(int32[], Tree[int32[]])"),
}


@pytest.mark.parametrize("name", PRELUDE)
def test_the_prelude_is_for_all_types(name):
    body, wanted, of_type = PRELUDE[name]
    p = relay.prelude.Prelude()
    p.mod["main"] = relay.Function([], body(p))
    assert str(p.mod["main"].checked_type.ret_type) == of_type
    for kind in ("vm", "debug"):
        assert listed(run(p.mod, kind=kind)) == wanted


def test_several_types_share_one_prelude():
    p = relay.prelude.Prelude(lathe.IRModule())
    rlist, cons, nil = p.mod.get_type("List")
    whole, rows = relay.var("whole", rlist(I32)), relay.var("rows", p.list_of(relay.TensorType((2,))))
    length = p.mod.get_global_var("length")
    p.mod["main"] = relay.Function([whole, rows], relay.Tuple([length(whole), length(rows), p.hd(rows)]))
    assert str(p.mod["main"].checked_type) == "fn(List[int32[]], List[float32[2]]) -> (int32[], int32[], Option[float32[2]])"
    made = lathe.IRModule()
    made[rlist] = p.mod[rlist]
    made["main"] = relay.Function([], relay.Tuple([chain(p, 1, 2), chain(p, [1.0, 2.0])]))
    from lathe.relay.backend.interpreter import ConstructorValue

    row = ConstructorValue(cons.tag, [np.ones(2, "float32"), ConstructorValue(nil.tag, [], nil, [relay.TensorType((2,))])], cons)
    assert listed(run(p.mod, ConstructorValue(nil.tag, [], nil, [I32]), row)) == [0, 1, ("Some", [1.0, 1.0])]
    assert "type_args" in refused(lambda: ConstructorValue(nil.tag, [], nil))
    one, other = run(made)
    assert one.constructor == other.constructor == cons.full_name == "List.Cons" and one.fields[1].tag == cons.tag
    assert (nil.full_name, p.list_type, p.list_of(F32)) == ("List.Nil", p.list_of(F32), rlist(F32))
    again = lathe.ir.parse_graph(p.mod.astext())
    assert again.astext() == p.mod.astext()


def test_what_a_prelude_cannot_tell_is_said():
    p = relay.prelude.Prelude()
    assert "type_args" in refused(lambda: p.mod.__setitem__("main", relay.Function([], p.hd(p.nil()))))
    assert "`foldl` takes a function that adds" in refused(lambda: p.sum_of(relay.TupleType([F32])))
    single = relay.prelude.Prelude(element_type=I32)
    single.mod["main"] = relay.Function([], single.hd(single.nil()))
    assert str(single.mod["main"].checked_type) == "fn() -> Option" and not hasattr(single, "zip")
    assert refused(lambda: single.sum_of(F32)) and single.sum_of(I32) is single.sum


# -- References.

def test_references_are_read_and_written_in_order():
    r, u, v = relay.Var("r"), relay.Var("u"), relay.Var("v")
    x = relay.var("x", shape=(2,))
    body = relay.Let(r, relay.RefCreate(x), relay.Let(u, relay.RefRead(r), relay.Let(
        v, relay.RefWrite(r, x * 10.0), relay.Tuple([u, relay.RefRead(r)]))))
    assert plain(run(relay.Function([x], body), np.array([1, 2], "float32"))) == [[1, 2], [10, 20]]


@pytest.mark.parametrize("kind", ["debug", "graph", "vm"])
def test_branches_write_references(kind):
    r, u = relay.Var("r"), relay.Var("u")
    x, c = relay.var("x", shape=(2,)), relay.var("c", shape=(), dtype="bool")
    write = relay.If(c, relay.RefWrite(r, relay.exp(x)), relay.Tuple([]))
    func = relay.Function([c, x], relay.Let(r, relay.RefCreate(x), relay.Let(u, write, relay.RefRead(r) * x)))
    data = np.array([1, 2], "float32")
    for flag, want in ((True, np.exp(data) * data), (False, data * data)):
        np.testing.assert_allclose(run(func, np.bool_(flag), data, kind=kind).numpy(), want, rtol=1e-6)


def test_functions_take_references():
    mod, reference = lathe.IRModule(), relay.Var("p", relay.RefType(F32))
    bump = relay.GlobalVar("bump")
    mod[bump] = relay.Function([reference], relay.RefWrite(reference, relay.RefRead(reference) * relay.const(3.0)))
    r, a, b, f, q = (relay.Var(n) for n in "rabfq")
    twice = relay.Function([q], relay.Let(a, bump(q), bump(q)))
    x = relay.var("x", F32)
    mod["main"] = relay.Function([x], relay.Let(r, relay.RefCreate(x), relay.Let(f, twice, relay.Let(
        b, f(r), relay.RefRead(r)))))
    assert plain(run(mod, np.float32(2))) == 18.0
    assert "bump" in mod and relay.analysis.post_order(mod["bump"])


def test_closures_and_tuples_hold_references():
    r, pair, count, u, w = (relay.Var(n) for n in ("r", "pair", "count", "u", "w"))
    n = relay.var("n", F32)
    add = relay.Function([n], relay.RefWrite(r, relay.RefRead(r) + n))
    body = relay.RefRead(relay.TupleGetItem(pair, 1))
    for var, value in ((w, count(relay.const(5.0))), (u, count(relay.const(4.0))), (count, relay.TupleGetItem(pair, 0)),
                       (pair, relay.Tuple([add, r])), (r, relay.RefCreate(relay.const(1.0)))):
        body = relay.Let(var, value, body)
    assert plain(run(body)) == 10.0


def test_references_of_references():
    outer, u = relay.Var("outer"), relay.Var("u")
    body = relay.Let(outer, relay.RefCreate(relay.RefCreate(relay.const(1.0))), relay.Let(
        u, relay.RefWrite(relay.RefRead(outer), relay.const(2.0)), relay.RefRead(relay.RefRead(outer))))
    assert plain(run(body)) == 2.0


def test_gradients_of_programs_with_references():
    x, r, u = relay.var("x", shape=(2,)), relay.Var("r"), relay.Var("u")
    body = relay.Let(r, relay.RefCreate(x), relay.Let(u, relay.RefWrite(r, relay.RefRead(r) * x), relay.RefRead(r)))
    slope = relay.transform.gradient(relay.Function([x], body))
    assert plain(run(slope, np.array([1, 3], "float32"))[1][0]) == [2, 6]


def test_what_cannot_be_followed_is_refused():
    r, c, p = relay.Var("r"), relay.var("c", shape=(), dtype="bool"), relay.Var("p", relay.RefType(F32))
    one, mod = relay.const(1.0), lathe.IRModule()
    loop = relay.GlobalVar("loop")
    wrong = [relay.RefCreate(one), relay.Let(r, relay.RefCreate(one), relay.exp(r)),
             relay.RefRead(one), relay.RefRead(relay.If(relay.const(True), relay.RefCreate(one), relay.RefCreate(one)))]
    mod[loop] = relay.Function([p], loop(p))
    for body in wrong:
        with pytest.raises(lathe.LatheError) as raised:
            run(body)
        assert raised.value.name == "relay-reference"
    with pytest.raises(lathe.LatheError) as raised:
        mod["main"] = relay.Function([], relay.Let(r, relay.RefCreate(one), loop(r)))
    assert raised.value.name == "relay-reference"


def test_functors_see_references():
    class Double(relay.ExprMutator):
        def visit_ref_create(self, ref):
            return relay.RefCreate(self.visit(ref.value) * relay.const(2.0))

    body = relay.RefRead(relay.RefCreate(relay.const(1.5)))
    assert plain(run(Double().visit(body))) == 3.0
    assert len(relay.analysis.post_order(body)) == 3


def counting_loop(step):
    """A loop of three steps; `step` is computed in each."""
    return relay.loops.while_loop(lambda i: i < relay.const(3), [relay.var("i", shape=(), dtype="int32")],
                                  lambda i: [relay.Let(relay.Var("u"), step, i + relay.const(1))])


def test_loops_read_references_and_do_not_write_them():
    r, w = relay.Var("r"), relay.Var("w")

    def made(step):
        after = relay.Tuple([w, relay.RefRead(r)])
        return relay.Let(r, relay.RefCreate(relay.const(1.0)), relay.Let(w, counting_loop(step)(relay.const(0)), after))

    with pytest.raises(lathe.LatheError, match="a loop writes a reference") as raised:
        run(made(relay.RefWrite(r, relay.RefRead(r) + relay.const(1.0))))
    assert raised.value.name == "relay-reference"
    assert plain(run(made(relay.RefRead(r)))) == [[3], 1.0]


def refused(make):
    with pytest.raises(lathe.LatheError) as raised:
        make()
    assert raised.value.name == "relay-type-arguments"
    return str(raised.value)


def test_types_that_never_end_are_refused():
    x, n, o, mod = relay.Var("x", A), relay.var("n", shape=(), dtype="int32"), relay.GlobalVar("o"), lathe.IRModule()
    again = o(n - relay.const(1), relay.Tuple([x, x]))
    mod[o] = relay.Function([n, x], relay.If(n > relay.const(0), again, relay.const(1)), I32, [A])

    def use():
        mod["main"] = relay.Function([], o(relay.const(2), relay.const(1.0)))
        return mod["main"].checked_type

    assert "ever other types" in refused(use)


def test_inner_functions_have_type_variables_of_their_own():
    x, y, g, o, mod = relay.Var("x", A), relay.Var("y", A), relay.Var("g"), relay.GlobalVar("o"), lathe.IRModule()
    inner = relay.Function([y], y, A, [A])
    mod[o] = relay.Function([x], relay.Let(g, inner, relay.Tuple([g(x), g(relay.const(1.5))])),
                            relay.TupleType([A, F32]), [A])
    mod["main"] = relay.Function([], o(relay.const(1)))
    assert plain(run(mod)) == [1, 1.5]
    pair = relay.Function([y], relay.Tuple([y, x]), None, [B])  # it reads a variable of the outer function
    y._type = B
    mod[o] = relay.Function([x], relay.Let(g, pair, g(relay.const(2.5))), None, [A])
    mod["main"] = relay.Function([], o(relay.const(1)))
    assert plain(run(mod)) == [2.5, 1]


def test_generic_functions_are_no_values_and_others_take_no_types():
    x, f, y = relay.Var("x", A), relay.Var("f"), relay.var("y", shape=())
    generic = relay.Function([x], x, A, [A])
    assert "used as a value" in refused(lambda: run(relay.Let(f, generic, relay.Tuple([f, relay.const(1.0)]))))
    plainly = relay.Function([y], relay.exp(y))
    assert "has type arguments" in refused(lambda: run(relay.Call(plainly, [relay.const(0.0)], type_args=[F32])))
    h, mod = relay.GlobalVar("h"), lathe.IRModule()
    mod[h] = plainly
    assert "has type arguments" in refused(lambda: mod.__setitem__("main", relay.Function(
        [], relay.Call(h, [relay.const(0.0)], type_args=[F32]))))


def test_calls_keep_their_places():
    h, z, mod = relay.GlobalVar("h"), relay.Var("z", F32), lathe.IRModule()
    mod[h] = relay.Function([z], relay.exp(z), F32)
    call = h(z)
    func = relay.Function([z], call)
    assert relay._instances.Instances({"h": mod[h]}).function(func).body is call
    x, o = relay.Var("x", A), relay.GlobalVar("o")
    generic = relay.Function([x], x, A, [A])
    call = o(z)
    made = relay._instances.Instances({"o": generic}).function(relay.Function([z], call)).body
    assert made is not call and made._place == call._place


def test_types_made_of_types_are_restored_and_have_names_of_their_own():
    applied, ref = relay.GlobalTypeVar("Ref")(F32), relay.RefType(F32)
    assert applied != ref and isinstance(ref, relay.RefType) and not isinstance(ref, relay.TypeCall)
    assert isinstance(applied, relay.TypeCall) and not isinstance(applied, relay.RefType)
    assert str(ref) == str(applied) == "Ref[float32[]]"
    assert relay.GlobalTypeVar("ns::List").name_hint == "ns::List"
    types = relay.TupleType([relay.GlobalTypeVar("Kept")(relay.GlobalTypeVar("Inner")(A)), relay.RefType(I32)])
    program = (f"import pickle, sys; sys.path[:0] = {[one for one in sys.path if one]!r}; "
               "from lathe import relay, _type_params; t = pickle.load(sys.stdin.buffer); "
               "assert isinstance(t.fields[0], relay.TypeCall) and t.fields[1].value.dtype == 'int32'; "
               "assert t.fields[0].args[0].func.name == 'Inner'; print(len(_type_params.variables(t)))")
    made = subprocess.run([sys.executable, "-c", program], input=pickle.dumps(types), capture_output=True)
    assert made.stdout == b"1\n", made.stderr


def test_functions_take_tuples_with_references():
    p, f, mod = relay.Var("p", relay.TupleType([relay.RefType(F32), F32])), relay.GlobalVar("f"), lathe.IRModule()
    mod[f] = relay.Function([p], relay.RefRead(relay.TupleGetItem(p, 0)), F32)
    mod["main"] = relay.Function([], f(relay.Tuple([relay.RefCreate(relay.const(1.5)), relay.const(2.0)])))
    assert plain(run(mod)) == 1.5
