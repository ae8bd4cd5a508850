"""Queries about lowered functions, passes by usual names, instruments, other aids for migration."""

import io

import numpy as np
import pytest

import lathe
from expect import named
from lathe import relay, te, tir


def program(n=8):
    A = te.placeholder((n,), name="A")
    B = te.compute((n,), lambda i: A[i] + 1.0, name="B")
    C = te.compute((n,), lambda i: B[i] * 2.0, name="C")
    return te.create_schedule(C.op), A, B, C


def bound(threads=64):
    A = te.placeholder((256,), name="A")
    B = te.compute((256,), lambda i: A[i] + 1.0, name="B")
    s = te.create_schedule(B.op)
    block, thread = s[B].split(B.op.axis[0], factor=threads)
    s[B].bind(block, te.thread_axis("blockIdx.x"))
    s[B].bind(thread, te.thread_axis("threadIdx.x"))
    return lathe.lower(s, [A, B])["main"]


def test_verify_ssa_finds_what_is_defined_twice():
    i = te.var("i")
    A = tir.decl_buffer((4,), name="A")
    loop = tir.For(i, 0, 4, "serial", tir.Store(A, 1.0, [i]))
    assert tir.analysis.verify_ssa(tir.Func("once", [A], loop))
    assert not tir.analysis.verify_ssa(tir.Func("twice", [A], tir.For(i, 0, 4, "serial", loop)))
    assert not tir.analysis.verify_ssa(tir.Func("free", [A], tir.Store(A, 1.0, [i])))
    again = tir.stmt_functor.renew_defs(tir.Func("once", [A], loop))
    assert not again.params[0].same_as(A) and not again.body.var.same_as(i)
    assert again.body.body.buffer.same_as(again.params[0]) and lathe.ir.structural_equal(
        again, tir.Func("once", [A], loop))
    with pytest.raises(lathe.LatheError, match="node-kind"):
        tir.stmt_functor.renew_defs(i)


def test_verify_memory():
    s, A, B, C = program()
    assert not tir.analysis.verify_memory(lathe.lower(s, [A, C])["main"])
    assert tir.analysis.verify_memory(bound())
    with pytest.raises(lathe.LatheError, match="unbound-device-loop"):
        tir.transform.VerifyMemory()(lathe.lower(s, [A, C]))


def test_verify_gpu_code():
    func = bound(64)
    check = tir.analysis.verify_gpu_code
    assert check(func, {"max_threads_per_block": 64}) and not check(func, {"max_threads_per_block": 63})
    assert check(func, {"max_thread_x": 64}) and not check(func, {"max_thread_x": 32})
    assert check(func, {"max_kernels": 1}) and not check(func, {"max_kernels": 0})
    assert check(func, {})
    with pytest.raises(lathe.LatheError, match="unknown-limit"):
        check(func, {"max_coffee": 1})

    A = te.placeholder((256,), name="A")
    B = te.compute((256,), lambda i: A[i] + 1.0, name="B")
    s = te.create_schedule(B.op)
    AA = s.cache_read(A, "shared", [B.op])
    block, thread = s[B].split(B.op.axis[0], factor=64)
    s[B].bind(block, te.thread_axis("blockIdx.x"))
    s[B].bind(thread, te.thread_axis("threadIdx.x"))
    s[AA].compute_at(s[B], block)
    s[AA].bind(s[AA].split(AA.op.axis[0], nparts=64)[0], te.thread_axis("threadIdx.x"))
    func = lathe.lower(s, [A, B])["main"]
    assert check(func, {"max_shared_memory_per_block": 256})
    assert not check(func, {"max_shared_memory_per_block": 255})


def test_bytes_of_memory():
    s, A, B, C = program(6)
    func = lathe.lower(s, [A, C])["main"]
    assert tir.analysis.calculate_workspace_bytes(func) == 24
    assert tir.analysis.calculate_workspace_bytes(func, 16) == 32
    assert tir.analysis.calculate_constant_bytes(func) == 0
    with pytest.raises(lathe.LatheError, match="memory-alignment"):
        tir.analysis.calculate_workspace_bytes(func, 0)
    n = te.size_var("n")
    A = te.placeholder((n,), name="A")
    B = te.compute((n,), lambda i: A[i] + 1.0, name="B")
    C = te.compute((n,), lambda i: B[i] * 2.0, name="C")
    with pytest.raises(lathe.LatheError, match="memory-size-symbolic"):
        tir.analysis.calculate_workspace_bytes(lathe.lower(te.create_schedule(C.op), [A, C])["main"])
    # Buffers whose lifetimes do not overlap do not add up; nested buffers do.
    out = tir.decl_buffer((1,), name="out")

    def uses(size, inner=None):
        buffer = tir.decl_buffer((size,), "int8", f"b{size}")
        body = tir.Store(buffer, tir.const(0, "int8"), [0])
        return tir.Allocate(buffer, body if inner is None else tir.Seq([body, inner]))

    func = tir.Func("f", [out], tir.Seq([uses(100), uses(30, uses(50))]))
    assert tir.analysis.calculate_workspace_bytes(func) == 100
    assert tir.analysis.calculate_workspace_bytes(tir.Func("g", [out], uses(30, uses(50)))) == 80


def test_where_buffers_are_used():
    s, A, B, C = program()
    func = lathe.lower(s, [A, C])["main"]
    found = {buffer.name: stmt for buffer, stmt in tir.analysis.detect_buffer_access_lca(func).items()}
    assert set(found) == {"A", "B", "C"}
    # B is written in one loop and read in the next: only the statement around both loops contains
    # all.
    assert isinstance(found["B"], tir.Seq) and isinstance(found["A"], tir.Store)


def test_device_passes_by_name():
    module = lathe.ir.Module([bound().with_attr("device_type", 2)])
    kernels = [f for f in tir.transform.SplitHostDevice()(module).functions
               if "calling_convention" in f.attrs]
    assert len(kernels) == 1 and kernels[0].attrs["launch"].value == "blockIdx.x threadIdx.x"
    names = {name for name, _, _ in lathe.transform.passes()}
    assert set(tir.transform.NAMES.values()) <= names
    for usual in tir.transform.NAMES:
        assert getattr(tir.transform, usual)().info.name in names


def test_passes_know_the_target_in_force():
    A = te.placeholder((8,), "bfloat16", name="A")
    B = te.compute((8,), lambda i: A[i] + A[i], name="B")
    module = lathe.lower(te.create_schedule(B.op), [A, B])
    legalize = tir.transform.BF16Legalize()
    assert lathe.ir.structural_equal(legalize(module), module)  # no target: nothing is missing
    with lathe.Target("opencl"):
        assert "float32" in str(legalize(module))


def test_parameters_are_variables_and_buffers():
    body = tir.Evaluate(0)
    for params in ("ab", [3], [tir.const(1)], [te.reduce_axis((0, 2))], [None]):
        with pytest.raises(lathe.error.LatheTypeError, match="neither a variable nor a buffer"):
            tir.Func("f", params, body)
        with pytest.raises(TypeError):
            lathe.te.schedule.SchedulePostProcToPrimFunc("ab", body)
    assert len(tir.Func("f", [te.var("n"), tir.decl_buffer((2,))], body).params) == 2


def test_functions_are_bound_to_a_target():
    A = te.placeholder((8,), "bfloat16", name="A")
    B = te.compute((8,), lambda i: A[i] + A[i], name="B")
    module = lathe.lower(te.create_schedule(B.op), [A, B])
    other = lathe.lower(te.create_schedule(B.op), [A, B], name="other")
    both = module.with_functions([module["main"], other["other"]])
    bound = lathe.transform.Sequential([tir.transform.BindTarget("opencl"), tir.transform.BF16Legalize()])(both)
    assert all("float32" in str(func) and func.attrs["target"].kind == "opencl" for func in bound.functions)
    half = both.with_functions([tir.transform.BindTarget("opencl")(module)["main"], other["other"]])
    assert "float32" not in str(tir.transform.BF16Legalize()(half))  # the functions have no target in common
    one = tir.transform.BindTarget(lathe.Target("llvm -mcpu=x86-64"))(module)
    assert lathe.build(one).metadata["target"].startswith("llvm") and "-mcpu=x86-64" in lathe.build(one).metadata["target"]
    with pytest.raises(lathe.LatheError, match="target-unknown-kind"):
        tir.transform.BindTarget("nothing")


def test_small_passes():
    i = te.var("i")
    A = tir.decl_buffer((4,), name="A")
    body = tir.Seq([tir.Assert(tir.const(False), "never", "never holds"),
                    tir.For(i, 0, 4, "parallel", tir.Store(A, 1.0, [i]))])
    module = lathe.ir.Module([tir.Func("f", [A], body), tir.Func("other", [], tir.Evaluate(0))])
    with pytest.raises(lathe.LatheError, match="never"):
        lathe.build(module, target="llvm")["f"](np.zeros(4, "float32"))
    kept = lathe.transform.Sequential([tir.transform.SkipAssert(), tir.transform.ConvertForLoopsToSerial(),
                                       tir.transform.Filter(lambda f: f.name == "f")])(module)
    assert list(kept) == ["f"] and "parallel" not in str(kept)
    out = np.zeros(4, "float32")
    lathe.build(kept, target="llvm")(out)
    assert (out == 1).all()


def test_passes_for_some_functions(capsys):
    def rename(func, module, context):
        return func.with_attr("seen", 1)

    mark = lathe.transform.prim_func_pass(rename, name="mark")
    functions = [tir.Func(name, [], tir.Evaluate(0)) for name in ("one", "two")]
    module = lathe.ir.Module(functions)
    out = lathe.transform.ApplyPassToFunction(mark, "t.*")(module)
    assert [("seen" in f.attrs) for f in out.functions] == [False, True]
    with pytest.raises(lathe.LatheError, match="no-function-matches"):
        lathe.transform.ApplyPassToFunction(mark, "three", True)(module)
    drops = tir.transform.Filter(lambda f: False)
    with pytest.raises(lathe.LatheError, match="pass-changes-functions"):
        lathe.transform.ApplyPassToFunction(drops, "one")(module)
    lathe.transform.PrintIR("# here")(module)
    printed = capsys.readouterr().out
    assert printed.startswith("# here\n") and "two" in printed


def test_instruments():
    s, A, B, C = program()
    text = io.StringIO()
    timing = lathe.instrument.PassTimingInstrument()

    @lathe.instrument.pass_instrument
    class Names:
        """Collects names."""

        def __init__(self):
            self.names, self.entered = [], 0

        def enter_pass_ctx(self):
            self.entered += 1

        def run_before_pass(self, module, info):
            self.names.append(info.name)

    names = Names()
    instruments = [timing, names, lathe.instrument.PrintBeforeAll(text), lathe.instrument.PrintAfterAll(text)]
    with lathe.PassContext(instruments=instruments):
        lathe.lower(s, [A, C])
    assert names.entered == 1 and [n for n, _ in timing.times] == names.names and "simplify" in names.names
    assert Names.__doc__ == "Collects names." and Names.__name__ == "Names"
    assert text.getvalue().startswith("# before compact_realize\n") and "# after simplify\n" in text.getvalue()
    assert timing.render().splitlines()[-1].startswith("all ")
    with pytest.raises(lathe.LatheError, match="instrument-type"):
        lathe.instrument.pass_instrument(5)


def test_groups_of_a_schedule():
    s, A, B, C = program()
    assert len(s.groups) == 0
    group = s.create_group(outputs=B, inputs=A)
    assert [g.name for g in s.groups] == [group.name]


def test_region_bounds():
    i, n = te.var("i"), te.var("n")
    bound = lathe.arith.estimate_region_upper_bound
    (found,) = bound([lathe.ir.Range.from_min_extent(i * 4, 4)], {i: lathe.ir.Range(0, 8)})
    assert (int(found.min_value), int(found.max_value)) == (0, 31)
    assert bound([], {}) == []
    (free,) = bound([lathe.ir.Range.from_min_extent(n, 1)], {})
    assert free.min_value.same_as(n)


def test_tags_of_targets():
    made = lathe.target.register_tag("test/board", {"kind": "llvm", "mcpu": "x86-64"}, override=True)
    assert lathe.Target("test/board") == made == lathe.target.list_tags()["test/board"]
    with pytest.raises(lathe.LatheError, match="target-tag-taken"):
        lathe.target.register_tag("test/board", "llvm")
    assert lathe.Target("nvidia/geforce-rtx-3070").attrs["arch"] == "sm_86"
    assert "aarch64" in lathe.Target("raspberry-pi/4b-aarch64").attrs["mtriple"]
    with pytest.raises(ValueError, match="target `c` writes C"):
        lathe.Target("ext_dev")
    with pytest.raises(ValueError, match="nvidia/geforce-rtx-3070"):
        lathe.Target("nvidia/geforce-rtx-3O70")
    assert all(isinstance(one, lathe.Target) for one in lathe.target.list_tags().values())
    exported = made.export()
    assert exported["kind"] == "llvm" and lathe.Target(exported["text"]) == made
    assert lathe.Target("llvm").max_num_threads is None
    assert lathe.Target("cuda").max_num_threads == 1024 and lathe.Target("cuda").thread_warp_size == 32


def test_compilers_link_exports(tmp_path):
    from lathe.contrib import cc, tar

    s, A, B, C = program()
    f = lathe.build(s, [A, C], "llvm")
    path = str(tmp_path / "f.tar")
    f.export_library(path, fcompile=tar.tar)
    out = np.zeros(8, "float32")
    lathe.load_module(path)(np.zeros(8, "float32"), out)
    assert (out == 2).all()
    with pytest.raises(ValueError, match="no plain file"):
        folder = tmp_path / "sub"
        folder.mkdir()
        import tarfile

        with tarfile.open(tmp_path / "bad.tar", "w") as bad:
            bad.add(__file__, arcname="../evil")
        tar.untar(str(tmp_path / "bad.tar"), str(folder))
    with pytest.raises(OSError, match="compiler-missing"):
        f.export_library(str(tmp_path / "f.so"), fcompile=cc.cross_compiler("no-such-compiler"))
    # A test cannot rely on the machine's compilers. This one records its arguments.
    fake = tmp_path / "fake-compiler"
    fake.write_text('#!/bin/sh\ncase "$*" in *missing*) echo cannot >&2; exit 3;; esac\nout=$4\necho "$@" > "$out"\n')
    fake.chmod(0o755)
    with pytest.raises(OSError, match="compiler-failed(.|\n)*cannot"):
        cc.create_shared(str(tmp_path / "x.so"), [str(tmp_path / "missing.o")], cc=str(fake))
    path = str(tmp_path / "f.so")
    f.export_library(path, fcompile=cc.cross_compiler(str(fake), ["-O2"]), options=["-lm"])
    with open(path) as asked:
        words = asked.read().split()
    assert words[:4] == ["-shared", "-fPIC", "-o", path] and words[4].endswith("/lib.o")
    assert words[5:] == ["-O2", "-lm"]
    seen = []
    f.export_library(path, fcompile=cc.cross_compiler(lambda *a, **k: seen.append((a, k))))
    assert seen[0][0][0] == path and seen[0][1] == {"options": []}


def test_parameters_of_programs():
    params = {"w": np.arange(6, dtype="float32").reshape(2, 3), "n": lathe.nd.array(np.array([7], "int64"))}
    data = lathe.runtime.save_param_dict(params)
    again = lathe.runtime.load_param_dict(data)
    assert list(again) == ["w", "n"] and again["n"].numpy().tolist() == [7]
    np.testing.assert_array_equal(again["w"].numpy(), params["w"])
    assert lathe.runtime.save_param_dict(again) == data
    flipped = data[:40] + bytes([data[40] ^ 1]) + data[41:]
    for bad in (b"", b"text", data[:-1], data[:20], b"LATHEPRM" + b"\xff" * 8, flipped):
        with pytest.raises(ValueError):
            lathe.runtime.load_param_dict(bad)


def test_functions_of_modules():
    s, A, B, C = program()
    outer, inner = lathe.build(s, [A, C], "llvm", name="outer"), lathe.build(s, [A, C], "llvm", name="inner")
    outer.import_module(inner)
    assert outer.implements_function("outer") and not outer.implements_function("inner")
    assert outer.implements_function("inner", query_imports=True)
    assert lathe.runtime.enabled("llvm") and not lathe.runtime.enabled("")


def test_skipping_marks():
    import lathe.testing

    def plain():
        return 1

    def of_targets(target, dev):
        return 1

    (mark,) = lathe.testing.requires_llvm(plain).pytestmark
    assert mark.args == (False,)
    (mark,) = lathe.testing.parametrize_targets("llvm", "cuda")(of_targets).pytestmark
    assert [p.id for p in mark.args[1]] == ["llvm", "cuda"]


def test_passes_take_the_arguments_of_tvm():
    A = te.placeholder((64,), name="A")
    B = te.compute((64,), lambda i: A[i] + 1.0, name="B")
    s = te.create_schedule(B.op)
    s[B].vectorize(B.op.axis[0])
    T, module = tir.transform, lathe.lower(s, [A, B], simple_mode=True)
    given = {"StorageFlatten": (64, False), "NarrowDataType": (32,), "ThreadSync": ("shared",),
             "VectorizeLoop": (True,), "CommonSubexprElimTIR": (True, False), "MakePackedAPI": (0,)}
    for name, arguments in given.items():
        one = getattr(T, name)
        assert one(*arguments).info.name == one().info.name
        with pytest.raises(TypeError, match=f"tir.transform.{name}(.*)too many positional arguments"):
            one(1, 2, 3)
    flat = T.Sequential([T.FlattenBuffer(), T.Simplify()])(module)
    assert lathe.ir.structural_equal(T.Sequential([T.StorageFlatten(64), T.Simplify()])(module), flat)
    assert "vectorized" in str(flat) and "vectorized" not in str(T.VectorizeLoop(False)(flat))
    assert T.CommonSubexprElimTIR(enable_cse_tir=False)(flat) is flat
    C = te.compute((64,), lambda i: (A[i] * A[i] + 7.0) * (A[i] * A[i] + 7.0), name="C")
    common = T.FlattenBuffer()(lathe.lower(te.create_schedule(C.op), [A, C], simple_mode=True))
    for options in ({}, {"identify_equiv_terms": False}, {"identify_equiv_terms": True}):
        assert str(T.CommonSubexprElimTIR(**options)(common)) != str(common)
    assert T.CommonSubexprElimTIR(False, True)(common) is common
    assert "cache_line_size: without effect" in T.StorageFlatten.__doc__
    with pytest.raises(TypeError, match="tir.transform.Simplify(.*)PassContext"):
        T.Simplify(3)


def test_attributes_of_functions_hold_what_programs_give():
    func = tir.Func("f", [], tir.Evaluate(0))
    cuda = lathe.Target("cuda -arch=sm_75", host="llvm")
    for value in (cuda, [1, 2], ["a", [1.5, None]], {"a": [cuda], "b": True}):
        made = func.with_attr("noted", value)
        wanted = {"a": (cuda,), "b": True} if isinstance(value, dict) else value
        wanted = (1, 2) if wanted == [1, 2] else ("a", (1.5, None)) if isinstance(wanted, list) else wanted
        assert made.attrs["noted"] == wanted
        renamed = made.with_attr("global_symbol", "g")
        assert renamed.name == renamed.attrs["global_symbol"] == "g" and renamed.attrs["noted"] == wanted
        assert lathe.ir.load_json(lathe.ir.save_json(made)).attrs["noted"] == wanted
        assert tir.Func("f", [], func.body, made.attrs).attrs == made.attrs
        assert not made.without_attr("noted").attrs and func.without_attr("noted") is func
    assert func.with_attr("noted", [tir.const(3)]).attrs["noted"] == (3,)
    assert func.with_attr("target", cuda).attrs["target"].host.kind == "llvm"
    assert func.with_attr("noted", {"a": [cuda]}).attrs["noted"]["a"][0].host.kind == "llvm"
    # A text that looks like what is stored of lists is a text all the same.
    for text in ("json:hello", "json:[1]", "json:", "json:json:3"):
        for value in (text, tir.StringImm(text)):
            made = func.with_attr("noted", value).with_attr("more", 1)
            assert made.attrs["noted"] == text and tir.Func("g", [], func.body, made.attrs).attrs["noted"] == text
        assert func.with_attr("noted", [text]).attrs["noted"] == (text,)
    for number, wanted in ((np.int64(3), 3), (np.float32(1.5), 1.5), (np.bool_(True), True), (np.array(4, "int8"), 4)):
        found = func.with_attr("noted", number).attrs["noted"]
        assert getattr(found, "value", found) == wanted and str(func.with_attr("noted", wanted)) == str(func.with_attr("noted", number))
        (found,), = func.with_attr("noted", [[number]]).attrs["noted"]
        assert found == wanted and type(found) is type(wanted)
    bound = tir.transform.Apply(lambda one: one.with_attr("target", lathe.Target("llvm")))(lathe.ir.Module([func]))
    assert bound["f"].attrs["target"] == lathe.Target("llvm")
    assert tir.transform.BindTarget(cuda)(lathe.ir.Module([func]))["f"].attrs["target"].host.kind == "llvm"
    for value in (None, lathe.cpu(), [func], np.arange(3), [np.arange(3)]):
        with pytest.raises(TypeError, match="attribute `noted` cannot have this value"):
            func.with_attr("noted", value)


def test_attributes_and_functions_are_read_as_of_a_dict():
    func = tir.Func("f", [], tir.Evaluate(0)).with_attr("noted", "a")
    assert func.attrs.get("global_symbol") == "f" and func.attrs.get("noted").value == "a"
    assert func.attrs.get("other") is None and func.attrs.get("other", 3) == 3
    assert "global_symbol" in func.attrs and "noted" in func.attrs and "other" not in func.attrs
    functions = lathe.ir.Module([func]).functions
    var, = functions.keys()
    assert "f" in functions and var in functions and func in functions and "g" not in functions and 3 not in functions
    assert functions.get("f").same_as(func) and functions.get(var).same_as(func)
    assert functions.get("g") is None and functions.get("g", 3) == 3
    assert "expected: func.with_attr" in named("function-name", func.without_attr, "global_symbol")
    assert func.without_attr("other") is func and not func.without_attr("noted").attrs
    two = lathe.ir.Module([func, tir.Func("main", [], tir.Evaluate(0))])
    for read in (two.__getitem__, two.functions.__getitem__, two.get_global_var):
        with pytest.raises(KeyError):
            read("mian")
        text = named("module-no-function", read, "mian")
        assert "expected: one of `f`, `main`" in text and "did you mean `main`?" in text
    assert "expected: one of `global_symbol`, `noted`" in named("function-no-attribute", func.attrs.__getitem__, "other")


def test_passes_over_loops_refuse_graphs():
    graphs = lathe.IRModule.from_expr(relay.tanh(relay.var("x", shape=(2,))))
    for one in (tir.transform.Simplify(), tir.transform.VectorizeLoop(), tir.transform.Apply(lambda func: func),
                tir.transform.BindTarget("llvm")):
        assert "found: a module of graphs" in named("pass-module-kind", one, graphs)
    assert "found: int" in named("pass-module-kind", tir.transform.Simplify(), 3)


def test_building_takes_the_targets_of_functions_as_texts():
    s, A, B, C = program()
    module = lathe.lower(s, [A, C])
    old = tir.transform.Apply(lambda func: func.with_attr("target", "llvm -mcpu=x86-64"))(module)
    bound = tir.transform.Apply(lambda func: func.with_attr("target", lathe.Target("llvm -mcpu=x86-64")))(module)
    sources = [lathe.build(one).get_source("asm") for one in (old, bound, old["main"], bound["main"])]
    assert sources == [sources[0]] * 4 and sources[0] == lathe.build(module, target="llvm -mcpu=x86-64").get_source("asm")
    wrong = tir.transform.Apply(lambda func: func.with_attr("target", "nothing"))(module)
    assert "`nothing`" in named("target-unknown-kind", lathe.build, wrong)
    assert "found: Evaluate" in named("target-malformed", lathe.build, lathe.ir.Module(
        [module["main"].with_attr("target", tir.Evaluate(0))]))


def test_building_modules_refuses_what_only_schedules_take():
    s, A, B, C = program()
    module = lathe.lower(s, [A, C])
    binds = {A: tir.decl_buffer(A.shape, A.dtype)}
    own = tir.transform.BindTarget("llvm")(module)
    for inputs in (own, module, {"llvm": module}):
        assert "help: leave `binds` out" in named("lower-binds", lathe.build, inputs, binds=binds)
        lathe.build(inputs, binds={})
    assert "help: leave `args` out" in named("lower-input-type", lathe.build, {"llvm": module}, [A, C])


def test_calls_take_names_with_a_prefix():
    x = te.var("x", "float32")
    for name in ("exp", "tir.exp", lathe.ir.Op.get("tir.exp")):
        made = tir.Call("float32", name, [x])
        assert str(made) == "exp(x)" and made.op == "exp"
    assert tir.Call(dtype="float32", op="tir.exp", args=[x]).args[0] is not None


def test_modules_of_loops_are_read_as_tvms_modules():
    one, two = (tir.Func(name, [], tir.Evaluate(0)) for name in ("one", "two"))
    module = lathe.ir.Module([one, two], {"a": 1})
    assert [(var.name_hint, func.name) for var, func in module.functions.items()] == [("one", "one"), ("two", "two")]
    assert [var.name_hint for var in module.get_global_vars()] == [var.name_hint for var in module.functions.keys()]
    var = module.get_global_var("two")
    assert module[var].name == module.functions[var].name == module.functions["two"].name == "two"
    assert var in module and "three" not in module and module.functions[0].name == "one" and len(module.functions) == 2
    assert dict(module.items())[var].name == "two"
    assert [func.name for func in module.functions.values()] == ["one", "two"]
    assert module.get_attr("a").value == 1 and module.get_attr("b") is None
    assert module.with_attr("b", 2).get_attr("b").value == 2 and module.with_attr("b", 2).get_attr("a").value == 1
    for key in ("three", "items"):
        with pytest.raises(KeyError):
            module.get_global_var(key)
    for name in ("update_func", "update"):
        with pytest.raises(AttributeError, match="never changes(.*)with_functions"):
            getattr(module, name)
    with pytest.raises(TypeError, match="function `one` cannot be set(.*)with_functions"):
        module["one"] = two

    @lathe.transform.module_pass(opt_level=0)
    def mark(module, context):
        return module.with_functions([func.with_attr("mark", 1) for _, func in module.functions.items()])

    assert all(func.attrs["mark"].value == 1 for func in mark(module).functions)
    x = lathe.relay.var("x", shape=(2,))
    graphs = lathe.IRModule.from_expr(lathe.relay.tanh(x))
    graphs.update_func(graphs.get_global_var("main"), lathe.relay.Function([x], lathe.relay.exp(x)))
    assert "exp" in str(graphs)


def test_scopes_of_buffers_are_called():
    assert tir.decl_buffer((4,)).scope() == "global" and tir.decl_buffer((4,)).scope == ""
    assert tir.decl_buffer((4,), scope="shared").scope() == "shared"
