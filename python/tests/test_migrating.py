"""Every row of the table of TVM's names must be true."""

import importlib
import inspect
import os
import pathlib
import re

import pytest

import lathe
import tvm_usage

TABLE = os.path.join(os.path.dirname(lathe.__file__), "tvm_names.tsv")
STATUSES = ("same", "renamed", "never")


def table():
    """[name, parameters, files, status, note] of all rows."""
    with open(TABLE, encoding="utf-8") as f:
        lines = f.read().splitlines()
    assert lines[0].split("\t") == ["name", "parameters", "files", "status", "note"]
    return [line.split("\t") for line in lines[1:]]


def rows():
    return [(name, status, note) for name, _, _, status, note in table()]


def resolve(path):
    return tvm_usage.resolve("tvm." + path)


def test_the_table_has_its_rows():
    found = table()
    assert len(found) > 7000
    assert len({row[0] for row in found}) == len(found) and all(row[3] in STATUSES for row in found)


def test_a_module_of_tvm_does_not_hide_what_has_its_name():
    from lathe import topi
    from lathe.topi.nn.conv2d import conv2d_nchw
    assert callable(topi.nn.conv2d) and topi.nn.conv2d.__name__ == "conv2d"
    assert conv2d_nchw is topi.nn.conv2d_nchw


def test_reasons_name_what_exists():
    """`te.sum` in a reason is a way out: it must be there. `s.split` is a method of a variable."""
    named = {(found, name) for name, status, note in rows() if status == "never"
             for found in re.findall(r"`(?:lathe\.)?([A-Za-z_][\w.]*\.\w+)`", note)}
    assert len(named) > 200
    wrong = [(found, name) for found, name in sorted(named)
             if resolve(found.partition(".")[0]) is not None and resolve(found) is None]
    assert not wrong
    assert not [name for name, status, note in rows() if (status == "never") > bool(note)]


def test_never_is_for_what_hardly_anybody_writes():
    wrong = [name for name, _, files, status, _ in table()
             if status == "never" and int(files) >= 5 and not tvm_usage.LEFT_OUT.match("tvm." + name)]
    assert not wrong


# TVM 0.9's parameter names of functions that the page calls the same. `span` is left out: Lathe
# records source positions itself.
PARAMETERS = {
    "relay.frontend.from_pytorch": "script_module input_infos custom_convert_map default_dtype "
                                   "use_parser_friendly_name keep_quantized_weight",
    "contrib.download.download": "url path overwrite size_compare retries",
    "contrib.download.download_testdata": "url relpath module overwrite",
    "te.placeholder": "shape dtype name", "te.compute": "shape fcompute name tag attrs",
    "te.scan": "init update state_placeholder inputs name tag attrs",
    "te.extern": "shape inputs fcompute name dtype in_buffers out_buffers tag attrs", "te.var": "name dtype",
    "te.size_var": "name dtype", "te.const": "value dtype", "te.thread_axis": "dom tag name",
    "te.reduce_axis": "dom name thread_tag", "te.sum": "expr axis where init", "te.min": "expr axis where init",
    "te.max": "expr axis where init", "te.comm_reducer": "fcombine fidentity name", "te.create_schedule": "ops",
    "te.decl_tensor_intrin": "op fcompute name binds scalar_params default_buffer_params", "te.tag_scope": "tag",
    "te.if_then_else": "cond t f", "te.min_value": "dtype", "te.max_value": "dtype",
    "te.Schedule.create_group": "outputs inputs include_inputs", "te.Schedule.cache_read": "tensor scope readers",
    "te.Schedule.cache_write": "tensor scope", "te.Schedule.rfactor": "tensor axis factor_axis",
    "te.Stage.split": "parent factor nparts", "te.Stage.set_scope": "scope", "te.Stage.bind": "ivar thread_ivar",
    "te.Stage.env_threads": "threads", "te.Stage.set_store_predicate": "predicate",
    "te.Stage.compute_at": "parent scope", "te.Stage.tile": "x_parent y_parent x_factor y_factor",
    "te.Stage.vectorize": "var", "te.Stage.unroll": "var", "te.Stage.parallel": "var",
    "te.Stage.tensorize": "var tensor_intrin", "te.Stage.pragma": "var pragma_type pragma_value",
    "te.Stage.prefetch": "tensor var offset", "te.Stage.storage_align": "axis factor offset",
    "tir.decl_buffer": "shape dtype name data strides elem_offset scope data_alignment offset_factor buffer_type "
                       "axis_separators",
    "tir.q_multiply_shift": "x y q s", "tir.if_then_else": "cond t f", "tir.floordiv": "a b", "tir.floormod": "a b",
    "tir.truncdiv": "a b", "tir.truncmod": "a b", "tir.const": "value dtype", "tir.convert": "value",
    "tir.stmt_functor.post_order_visit": "stmt fvisit",
    "tir.stmt_functor.ir_transform": "stmt preorder postorder only_enable",
    "tir.stmt_functor.substitute": "node vmap", "tir.stmt_functor.renew_defs": "func",
    "tir.transform.prim_func_pass": "pass_func opt_level name required", "tir.transform.Apply": "ftransform",
    "tir.transform.Filter": "fcond", "tir.analysis.expr_deep_equal": "lhs rhs", "tir.analysis.verify_ssa": "func",
    "tir.analysis.verify_memory": "func", "tir.analysis.verify_gpu_code": "func constraints",
    "tir.analysis.calculate_workspace_bytes": "func workspace_byte_alignment",
    "tir.analysis.calculate_constant_bytes": "func constant_byte_alignment",
    "tir.analysis.detect_buffer_access_lca": "func", "tir.analysis.undefined_vars": "node defs",
    "ir.structural_equal": "lhs rhs map_free_vars", "ir.assert_structural_equal": "lhs rhs map_free_vars",
    "ir.structural_hash": "node map_free_vars", "ir.load_json": "json_str", "ir.save_json": "node",
    "ir.register_op_attr": "op_name attr_key value level", "arith.detect_linear_equation": "expr var_list",
    "arith.detect_clip_bound": "expr var_list", "arith.estimate_region_upper_bound": "region var_dom predicate",
    "arith.Analyzer.simplify": "expr steps", "arith.Analyzer.bind": "var expr",
    "arith.Analyzer.can_prove_equal": "lhs rhs", "arith.Analyzer.int_set": "expr dom_map",
    "arith.Analyzer.constraint_scope": "constraint", "arith.Analyzer.const_int_bound": "expr",
    "arith.Analyzer.modular_set": "expr", "transform.PassContext": "opt_level required_pass disabled_pass instruments config",
    "transform.Sequential": "passes opt_level name required", "transform.module_pass": "pass_func opt_level name required",
    "transform.PrintIR": "header show_meta_data",
    "transform.ApplyPassToFunction": "transform func_name_regex error_if_no_function_matches_regex",
    "instrument.pass_instrument": "pi_cls", "nd.array": "arr device mem_scope", "nd.empty": "shape dtype device mem_scope",
    "nd.device": "dev_type dev_id", "nd.cpu": "dev_id", "nd.cuda": "dev_id", "nd.cl": "dev_id",
    "runtime.load_module": "path fmt", "runtime.enabled": "target", "runtime.save_param_dict": "params",
    "runtime.load_param_dict": "param_bytes", "runtime.Module.get_function": "name query_imports",
    "runtime.Module.implements_function": "func_name query_imports", "runtime.Module.get_source": "fmt",
    "runtime.Module.import_module": "module", "runtime.Module.save": "file_name fmt",
    "runtime.Module.export_library": "file_name fcompile addons workspace_dir",
    "runtime.Module.time_evaluator": "func_name dev number repeat min_repeat_ms cooldown_interval_ms "
                                     "repeats_to_cooldown f_preproc",
    "target.Target": "target host", "target.cuda": "model arch options", "target.generic_func": "fdefault",
    "target.register_tag": "name config override", "driver.lower": "inp args name binds simple_mode",
    "driver.build": "inputs args target target_host runtime name binds",
    "register_func": "func_name f override", "get_global_func": "name allow_missing",
    "register_intrin_lowering": "op_name target f level", "testing.assert_allclose": "actual desired rtol atol",
    "testing.device_enabled": "target",
    "relay.var": "name_hint type_annotation shape dtype", "relay.const": "value dtype", "relay.bind": "expr binds",
    "relay.Function": "params body ret_type type_params attrs", "relay.Call": "op args attrs type_args",
    "relay.Let": "variable value body", "relay.If": "cond true_branch false_branch", "relay.Tuple": "fields",
    "relay.TupleGetItem": "tuple_value index", "relay.Var": "name_hint type_annotation",
    "relay.build": "ir_mod target target_host executor runtime workspace_memory_pools constant_memory_pools params mod_name",
    "relay.create_executor": "kind mod device target params", "relay.optimize": "mod target params",
    "relay.nn.conv2d": "data weight strides padding dilation groups channels kernel_size data_layout kernel_layout "
                       "out_layout out_dtype",
    "relay.nn.dense": "data weight units out_dtype", "relay.nn.softmax": "data axis", "relay.clip": "a a_min a_max",
    "relay.nn.batch_norm": "data gamma beta moving_mean moving_var axis epsilon center scale",
    "relay.strided_slice": "data begin end strides axes slice_mode", "relay.reshape": "data newshape allowzero",
    "relay.concatenate": "data axis", "relay.sum": "data axis keepdims exclude", "relay.cast": "data dtype",
    "relay.transform.FuseOps": "fuse_opt_level", "relay.analysis.free_vars": "expr",
    "relay.Match": "data clauses complete", "relay.Clause": "lhs rhs", "relay.TypeData": "header type_vars constructors",
    "relay.Constructor": "name_hint inputs belong_to", "relay.vm.compile": "mod target target_host params",
    "runtime.vm.VirtualMachine": "exe device memory_cfg", "runtime.vm.VirtualMachine.invoke": "func_name args kwargs",
    "runtime.vm.VirtualMachine.benchmark": "device args func_name repeat number min_repeat_ms end_to_end kwargs",
    "runtime.vm.VirtualMachine.get_input_index": "input_name func_name",
    "runtime.vm.Executable.load_exec": "bytecode lib",
    "relay.testing.create_workload": "net initializer seed", "ir.IRModule.from_expr": "expr functions type_defs",
    "contrib.graph_executor.create": "graph_json_str libmod device",
    "contrib.graph_executor.GraphModule.set_input": "key value params",
    "contrib.graph_executor.GraphModule.run": "input_dict", "contrib.graph_executor.GraphModule.get_output": "index out",
    "contrib.graph_executor.GraphModule.benchmark": "device func_name repeat number min_repeat_ms end_to_end "
                                                    "cooldown_interval_ms repeats_to_cooldown kwargs",
    "autotvm.template": "task_name func", "autotvm.task.create": "task_name args target target_host",
    "autotvm.measure_option": "builder runner", "autotvm.LocalBuilder": "timeout n_parallel build_kwargs build_func do_fork "
                                                                        "runtime",
    "autotvm.LocalRunner": "timeout number repeat min_repeat_ms cooldown_interval enable_cpu_cache_flush module_loader",
    "autotvm.RPCRunner": "key host port priority timeout n_parallel number repeat min_repeat_ms cooldown_interval "
                         "enable_cpu_cache_flush module_loader",
    "autotvm.measure.request_remote": "device_key host port priority timeout",
    "autotvm.tuner.Tuner": "task kwargs", "autotvm.tuner.RandomTuner": "task range_idx",
    "autotvm.tuner.GATuner": "task pop_size elite_num mutation_prob",
    "autotvm.callback.log_to_file": "file_out protocol", "autotvm.callback.progress_bar": "total prefix si_prefix",
    "autotvm.record.encode": "inp result protocol", "autotvm.record.decode": "row protocol",
    "autotvm.record.pick_best": "in_file out_file", "autotvm.apply_history_best": "records",
    "autotvm.database.filter_inputs": "db measure_inputs retry",
    "auto_scheduler.loop_state.State.split": "stage iterator lengths inner_to_outer",
    "auto_scheduler.loop_state.State.follow_split": "stage iterator src_step_id n_split",
    "auto_scheduler.loop_state.State.follow_fused_split": "stage iterator src_step_ids level factor_or_nparts",
    "auto_scheduler.loop_state.State.fuse": "stage iters",
    "auto_scheduler.loop_state.State.reorder": "stage order",
    "auto_scheduler.loop_state.State.compute_at": "stage target_stage target_iter",
    "auto_scheduler.loop_state.State.compute_inline": "stage",
    "auto_scheduler.loop_state.State.compute_root": "stage",
    "auto_scheduler.loop_state.State.cache_read": "stage scope_name reader_stages",
    "auto_scheduler.loop_state.State.cache_write": "stage scope_name",
    "auto_scheduler.loop_state.State.rfactor": "stage iterator factor_iter_id",
    "auto_scheduler.loop_state.State.parallel": "stage iterator",
    "auto_scheduler.loop_state.State.vectorize": "stage iterator",
    "auto_scheduler.loop_state.State.unroll": "stage iterator max_unroll",
    "auto_scheduler.loop_state.State.bind": "stage iterator thread_name",
    "auto_scheduler.loop_state.State.pragma": "stage iterator pragma_type",
    "auto_scheduler.loop_state.State.storage_align": "stage iterator factor offset",
    "auto_scheduler.loop_state.State.tensorize": "stage iterator ti_func_name",
    "auto_scheduler.PreloadCustomSketchRule": "meet_condition_func apply_func rule_name",
    "auto_scheduler.feature.get_per_store_features_from_states": "states task max_n_bufs",
    "auto_scheduler.feature.get_per_store_features_from_file": "filename max_lines max_n_bufs",
    "auto_scheduler.feature.get_per_store_features_from_measure_pairs": "inputs results skip_first_n_feature_extraction max_n_bufs",
    "auto_scheduler.feature.get_per_store_feature_names": "max_n_bufs",
    "relay.TypeVar": "name_hint kind", "relay.IncompleteType": "kind", "relay.TypeCall": "func args",
    "relay.RefType": "value", "relay.RefCreate": "value", "relay.RefRead": "ref", "relay.RefWrite": "ref value",
    "relay.frontend.from_mxnet": "symbol shape dtype arg_params aux_params",
    "relay.quantize.quantize": "mod params dataset", "relay.loops.while_loop": "cond loop_vars loop_bodies",
    "relay.sparse_to_dense": "sparse_indices output_shape sparse_values default_value",
    "relay.transform.FakeQuantizationToInteger": "hard_fail use_qat",
    "relay.transform.Legalize": "legalize_map_attr_name", "relay.transform.PlanDevices": "config",
    "relay.nn.conv2d_backward_weight": "grad data strides padding dilation groups channels kernel_size grad_layout "
                                       "data_layout kernel_layout out_dtype",
    "arith.solve_linear_inequalities": "equations variables ranges deskew_range",
    "arith.estimate_region_lower_bound": "region var_dom predicate", "tir.trace": "args trace_action",
    "tir.IndexMap.from_func": "mapping_function ndim", "target.VirtualDevice": "device target memory_scope",
    "target.make_compilation_config": "ctxt target target_host", "testing.aot.generate_ref_data": "mod input_data params target",
    "testing.autotvm.get_sample_task": "n", "contrib.sparse.array": "source_array device shape stype",
    "contrib.cblas.matmul": "lhs rhs transa transb kwargs", "contrib.thrust.can_use_thrust": "target func_name",
    "contrib.pipeline_executor.PipelineModule": "module", "ir.PointerType": "element_type storage_scope",
}


BY_NAME = {n: (status, note) for n, status, note in rows()}


@pytest.mark.parametrize("name", sorted(PARAMETERS))
def test_same_functions_take_the_same_parameters(name):
    """The order must be the same. The row's note must name missing parameters, as "without `x`"."""
    status, note = BY_NAME[name]
    assert status == "same"
    item = resolve(name)
    if inspect.isclass(item):
        item = item.__dict__.get("__new__") or item.__init__
        item = getattr(item, "__func__", item)
    ours = [p for p in inspect.signature(item).parameters if p not in ("self", "cls")]
    wanted = PARAMETERS[name].split()
    missing = [p for p in wanted if p not in ours]
    assert missing == [p for p in wanted if f"without `{p}`" in note], (ours, note)
    kept = [p for p in wanted if p in ours]
    assert ours[:len(kept)] == kept


@pytest.mark.parametrize("module", sorted({name.split(".")[0] for name, _, _ in rows()}))
def test_rows(module):
    """Every row is true."""
    wrong = [(name, status, problem) for name, status, note in rows() if name.split(".")[0] == module
             for problem in [problem_of(name, status, note)] if problem]
    assert not wrong


def problem_of(name, status, note):
    """What is wrong with a row; "" if nothing is."""
    there = resolve(name) is not None
    if status == "same":
        return "" if there else "there is no such name"
    if status == "renamed":
        new = re.match(r"`([\w.]+)`", note)
        if new is None or new.group(1) == name or resolve(new.group(1)) is None:
            return "the note begins with no name of ours"
        return "the old name does not work" if "old spelling works" in note and not there else ""
    if there:
        return "the name exists"
    if status == "never":
        if not note:
            return "why?"
        # If a replacement is a name of lathe's, it must exist.
        for instead in re.findall(r"`((?:te|tir|ir|arith|transform|target|runtime|nd|contrib|rpc|lathe)\.[\w.]+)[`(]", note):
            if resolve(instead.removeprefix("lathe.")) is None:
                return f"{instead} does not exist"
    return ""


def test_names_that_never_exist_say_why():
    """Of each module that is there: the error of such a name ends with the row's sentence."""
    wrong, seen = [], 0
    for name, note in ((name, note) for name, status, note in rows() if status == "never"):
        module, _, last = f"lathe.{name}".rpartition(".")
        found = resolve(module.removeprefix("lathe.")) if module != "lathe" else lathe
        if not isinstance(found, type(lathe)) or found.__name__ != module:  # a module under another name
            continue
        seen += 1
        try:
            getattr(found, last)
            wrong.append(f"{name}: exists")
        except AttributeError as error:
            if not str(error).endswith(note):
                wrong.append(f"{name}: {error}")
    assert seen > 300 and not wrong, wrong[:10]


TABLES = pathlib.Path(os.environ.get("LATHE_TVM_TABLES", "/nowhere"))


@pytest.mark.skipif(not (TABLES / "usage.tsv").exists(), reason="LATHE_TVM_TABLES names no folder with usage.tsv")
def test_most_of_what_programs_write_exists():
    shares = tvm_usage.measured((name, int(uses)) for name, uses, _ in tvm_usage.read(TABLES / "usage.tsv"))[""]
    assert shares.found_uses / shares.uses >= 0.99 and shares.found / shares.names >= 0.91, str(shares)


# Names whose parameters have another order than TVM's.
OTHER_ORDER = {
    "auto_scheduler.measure.MeasureResult", "ir.transform.PassInfo", "te.operation.const", "tir.ir_builder.IRBuilder.allocate",
    "relay.backend.executor_factory.GraphExecutorFactoryModule", "relay.op.nn.contrib_depthwise_conv2d_nchwc",
    "relay.op.nn.nn.contrib_depthwise_conv2d_nchwc", "relay.testing.lstm.lstm_cell",
    "target.generic_func.GenericFunc.register",  # takes both orders
}


def positional(item):
    """The names of the parameters that may be given by position; None if nothing says them."""
    try:
        found = inspect.signature(item).parameters.values()
    except (TypeError, ValueError):
        return None
    if any(one.kind is one.VAR_POSITIONAL for one in found):
        return None
    return [one.name for one in found if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD) and one.name != "self"]


def test_parameters_have_tvms_order():
    wrong, seen = set(), 0
    for name, parameters, _, status, _ in table():
        theirs = [re.match(r"\w*", one.strip())[0] for one in re.split(r",(?![^(\[{]*[)\]}])", parameters)]
        ours = positional(resolve(name)) if status == "same" and parameters else None
        if ours is None:
            continue
        seen += 1
        theirs = [one for one in theirs if one and one != "self"]
        if any(one in ours and ours.index(one) != place for place, one in enumerate(theirs)):
            wrong.add(name)
    assert seen > 1000 and wrong == OTHER_ORDER, wrong ^ OTHER_ORDER
