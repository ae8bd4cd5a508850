"""What modules answer when they are asked for names that they do not have.

TVM has modules that are parts of ours (`tvm.te.tensor`), and names in other places. Both work here.
The error for a name that lathe will never have says why, and what to write instead.
"""

import functools
import importlib
import importlib.abc
import importlib.util
import pathlib
import sys
import types

from . import compat

_PACKAGE = __package__ + "."
_TABLE = pathlib.Path(__file__).with_name("tvm_names.tsv")

#: A module of TVM -> our modules that have its names. Some are modules of ours, too, which have a part of the names.
MODULES = {
    "_ffi": "runtime error",
    "_ffi.base": "error runtime",
    "_ffi.function": "runtime",
    "_ffi.ndarray": "nd",
    "_ffi.registry": "runtime",
    "_ffi.runtime_ctypes": "runtime",
    "arith._ffi_api": "arith",
    "arith.analyzer": "arith",
    "arith.bound": "arith",
    "arith.int_set": "arith",
    "arith.int_solver": "arith",
    "arith.iter_affine_map": "arith",
    "arith.pattern": "arith",
    "auto_scheduler._ffi_api": "auto_scheduler",
    "auto_scheduler.cost_model": "auto_scheduler",
    "auto_scheduler.cost_model.cost_model": "auto_scheduler",
    "auto_scheduler.cost_model.xgb_model": "auto_scheduler",
    "auto_scheduler.utils": "auto_scheduler autotvm.measure autotvm.task topi.utils",
    "autotvm.feature": "auto_scheduler.feature",
    "autotvm.graph_tuner.dynamic_programming_tuner": "autotvm.graph_tuner",
    "autotvm.graph_tuner.pbqp_tuner": "autotvm.graph_tuner",
    "autotvm.measure.executor": "relay.backend",
    "autotvm.measure.measure": "autotvm",
    "autotvm.measure.measure_methods": "autotvm autotvm.measure",
    "autotvm.tuner.ga_tuner": "autotvm.tuner",
    "autotvm.tuner.index_based_tuner": "autotvm.tuner",
    "autotvm.utils": "autotvm topi.utils",
    "container": "runtime.container ir",
    "driver.build_module": "driver",
    "driver.tvmc.autotuner": "tvmc",
    "driver.tvmc.compiler": "tvmc",
    "driver.tvmc.frontends": "tvmc",
    "driver.tvmc.main": "_tvmc_command",
    "driver.tvmc.model": "tvmc",
    "driver.tvmc.runner": "tvmc",
    "driver.tvmc.transform": "tvmc",
    "generic": "topi.generic target",
    "ir.adt": "relay.adt",
    "ir.attrs": "ir",
    "ir.base": "ir",
    "ir.container": "ir runtime.container",
    "ir.expr": "ir",
    "ir.function": "ir",
    "ir.instrument": "instrument",
    "ir.module": "ir",
    "ir.op": "ir",
    "ir.tensor_type": "ir",
    "ir.transform": "transform relay.transform",
    "ir.type": "ir relay",
    "ir.type_relation": "ir relay",
    "ndarray": "nd",
    "relay.adt": "relay",
    "relay.analysis.analysis": "relay.analysis",
    "relay.analysis.call_graph": "relay.analysis",
    "relay.analysis.count_layers": "relay.analysis",
    "relay.analysis.feature": "relay.analysis",
    "relay.backend.executor": "relay.backend",
    "relay.backend.graph_executor_factory": "relay.backend.executor_factory",
    "relay.backend.runtime": "relay.backend",
    "relay.base": "relay",
    "relay.expr": "relay",
    "relay.expr_functor": "relay",
    "relay.feature": "relay.analysis",
    "relay.function": "relay",
    "relay.op.algorithm": "relay.op",
    "relay.op.annotation.annotation": "relay.annotation",
    "relay.op.contrib.register": "relay.pattern_table",
    "relay.op.dyn.nn": "relay.dyn.nn",
    "relay.op.image.image": "relay.image",
    "relay.op.nn.nn": "relay.nn",
    "relay.op.nn.utils": "topi.nn.utils",
    "relay.op.op": "relay.op",
    "relay.op.random.kernel": "relay.random",
    "relay.op.reduce": "relay.op",
    "relay.op.tensor": "relay.op",
    "relay.op.transform": "relay.op",
    "relay.op.vision.multibox": "relay.vision",
    "relay.op.vision.nms": "relay.vision",
    "relay.op.vision.rcnn": "relay.vision",
    "relay.op.vision.yolo": "relay.vision",
    "relay.qnn.op.qnn": "relay.qnn.op",
    "relay.quantize.quantize": "relay.quantize",
    "relay.transform.recast": "relay.transform",
    "relay.transform.transform": "relay.transform",
    "relay.ty": "relay",
    "relay.vm": "relay.backend.vm",
    "runtime._ffi_api": "runtime",
    "runtime.executor": "contrib.graph_executor",
    "runtime.executor.aot_executor": "contrib.graph_executor",
    "runtime.module": "runtime",
    "runtime.ndarray": "nd runtime",
    "runtime.object": "runtime ir",
    "runtime.object_generic": "runtime",
    "runtime.params": "runtime",
    "target.compilation_config": "target",
    "target.generic_func": "target",
    "target.tag": "target",
    "target.target": "target",
    "target.virtual_device": "target",
    "te.autodiff": "te",
    "te.operation": "te",
    "te.schedule": "te",
    "te.tag": "te",
    "te.tensor": "te",
    "te.tensor_intrin": "tir",
    "testing.utils": "testing",
    "tir.analysis.analysis": "tir.analysis",
    "tir.buffer": "tir",
    "tir.data_layout": "tir",
    "tir.expr": "tir",
    "tir.function": "tir",
    "tir.generic": "tir",
    "tir.op": "tir",
    "tir.stmt": "tir",
    "tir.transform.function_pass": "tir.transform",
    "tir.transform.transform": "tir.transform",
    "topi.argwhere": "topi",
    "topi.einsum": "topi",
    "topi.generic.default": "topi.generic",
    "topi.generic.extern": "topi.generic",
    "topi.generic.image": "topi.generic",
    "topi.generic.injective": "topi.generic",
    "topi.generic.nn": "topi.generic",
    "topi.generic.search": "topi.generic",
    "topi.generic.sort": "topi.generic",
    "topi.generic.vision": "topi.generic",
    "topi.image.dilation2d": "topi.image",
    "topi.image.grid_sample": "topi.image",
    "topi.image.resize": "topi.image",
    "topi.nn.batch_matmul": "topi.nn",
    "topi.nn.batch_norm": "topi.nn",
    "topi.nn.batch_to_space_nd": "topi.nn",
    "topi.nn.bitserial_conv2d": "topi.nn",
    "topi.nn.bitserial_dense": "topi.nn",
    "topi.nn.bitserial_util": "topi.nn",
    "topi.nn.bnn": "topi.nn",
    "topi.nn.conv1d": "topi.nn",
    "topi.nn.conv1d_transpose": "topi.nn",
    "topi.nn.conv2d": "topi.nn",
    "topi.nn.conv2d_transpose": "topi.nn",
    "topi.nn.conv3d": "topi.nn",
    "topi.nn.conv3d_transpose": "topi.nn",
    "topi.nn.correlation": "topi.nn",
    "topi.nn.deformable_conv2d": "topi.nn",
    "topi.nn.dense": "topi.nn",
    "topi.nn.depth_to_space": "topi.nn",
    "topi.nn.depthwise_conv2d": "topi.nn",
    "topi.nn.dilate": "topi.nn",
    "topi.nn.elemwise": "topi.nn",
    "topi.nn.fifo_buffer": "topi.nn",
    "topi.nn.flatten": "topi.nn",
    "topi.nn.local_response_norm": "topi.nn",
    "topi.nn.loss": "topi.nn",
    "topi.nn.lstm": "topi.nn",
    "topi.nn.mapping": "topi.nn",
    "topi.nn.pad": "topi.nn",
    "topi.nn.pooling": "topi.nn",
    "topi.nn.softmax": "topi.nn",
    "topi.nn.space_to_batch_nd": "topi.nn",
    "topi.nn.space_to_depth": "topi.nn",
    "topi.nn.sparse": "topi.nn",
    "topi.nn.upsampling": "topi.nn",
    "topi.reduction": "topi",
    "topi.scan": "topi",
    "topi.scatter": "topi",
    "topi.scatter_add": "topi",
    "topi.searchsorted": "topi",
    "topi.signal": "topi",
    "topi.sort": "topi",
    "topi.sparse_reshape": "topi",
    "topi.stft": "topi",
    "topi.tensor": "topi",
    "topi.transform": "topi",
    "topi.unique": "topi",
    "topi.vision.nms": "topi.vision",
    "topi.vision.rcnn": "topi.vision",
    "topi.vision.rcnn.proposal": "topi.vision",
    "topi.vision.rcnn.roi_align": "topi.vision",
    "topi.vision.rcnn.roi_pool": "topi.vision",
    "topi.vision.reorg": "topi.vision",
    "topi.vision.ssd": "topi.vision",
    "topi.vision.ssd.multibox": "topi.vision",
    "utils.roofline": "utils",
}
#: A module of TVM -> the module of ours that it is.
SAME_MODULE = {
    "contrib.graph_runtime": "contrib.graph_executor",
    "driver.tvmc": "tvmc",
    "relay.contrib.tensorrt": "relay._tensorrt",
    "relay.op.annotation": "relay.annotation",
    "relay.op.contrib": "relay.contrib",
    "relay.op.contrib.tensorrt": "relay._tensorrt",
    "relay.op.dyn": "relay.dyn",
    "relay.op.image": "relay.image",
    "relay.op.nn": "relay.nn",
    "relay.op.random": "relay.random",
    "relay.op.vision": "relay.vision",
    "testing.aot": "_testing_aot",
    "testing.auto_scheduler": "_workloads",
    "testing.autotvm": "_testing_autotvm",
}


class _Module(types.ModuleType):
    def __reduce__(self):
        """By name, as pickle knows plain modules: functions that refer to it are sent to workers."""
        return importlib.import_module, (self.__name__,)


class Ours(_Module):
    """A module of the package, which also answers to old names."""

    def __getattr__(self, name):
        return _answer(self.__name__, name)

    def __setattr__(self, name, value):
        """An old module does not hide what has its name: `topi.nn.conv2d` stays the function, as in TVM."""
        if not (isinstance(value, Old) and name in vars(self)):
            super().__setattr__(name, value)

    def __dir__(self):
        """Also what is loaded on first use: `_LAZY` lists it. Old names are not shown."""
        return sorted({*super().__dir__(), *vars(self).get("_LAZY", ())})


class Old(_Module):
    """A module that only TVM has. Its names are those of modules of ours: see MODULES."""

    def __getattr__(self, name):
        if name == "__all__":
            return sorted({key for one in _sources(self.__name__) for key in dir(one) if not key.startswith("_")})
        return _answer(self.__name__, name)

    def __dir__(self):
        return self.__all__


def _sources(module):
    """The modules that have the names of a module in MODULES."""
    return [importlib.import_module(_PACKAGE + path) for path in MODULES.get(module.removeprefix(_PACKAGE), "").split()]


def _answer(module, name):
    """The object for an old name of a module; AttributeError if there is none."""
    path = f"{module}.{name}".removeprefix(_PACKAGE)
    if not name.startswith("__"):
        for one in _sources(module):
            found = getattr(one, name, None)
            if found is not None:
                return found
        instead = compat.moved(path)
        if instead is not None:
            return _at(instead)
        within = hasattr(sys.modules.get(module), "__path__")
        if path in MODULES or path in SAME_MODULE or within and importlib.util.find_spec(_PACKAGE + path):
            return importlib.import_module(_PACKAGE + path)
    why = "" if name.startswith("_") else reason(path) or _of_topi(module, name)
    raise AttributeError(f"module {module!r} has no attribute {name!r}" + (f": {why}" if why else ""), name=name,
                         obj=sys.modules.get(module))


def _of_topi(module, name):
    """Where topi has an operator that was looked up in `te`; "" if it has none."""
    if module != _PACKAGE + "te":
        return ""
    topi = importlib.import_module(_PACKAGE + "topi")
    found = next((path for path, one in (("topi", topi), ("topi.nn", topi.nn)) if hasattr(one, name)), None)
    return f"operators of whole tensors are in topi: {found}.{name}" if found else ""


def _at(path):
    found = sys.modules[__package__]
    for part in path.split("."):
        found = getattr(found, part)
    return found


@functools.lru_cache(None)
def _never():
    """{name: why lathe does not have it}."""
    rows = (line.split("\t") for line in _TABLE.read_text(encoding="utf-8").splitlines())
    return {row[0]: row[4] for row in rows if row[3] == "never"}


def reason(path):
    """The sentence of docs/migrating for a name of TVM's that lathe does not have; "" if there is none.

    Example:
        >>> from lathe import _old_modules
        >>> _old_modules.reason("tir.schedule.block_scope.BlockScope")
        'not part of lathe, which schedules te programs'
        >>> _old_modules.reason("te.compute")
        ''
    """
    while path:
        if path in _never():
            return _never()[path]
        path = path.rpartition(".")[0]
    return ""


class OtherName(importlib.abc.Loader):
    """Loads a module of ours under another name: one module object for both."""

    def __init__(self, module):
        self.module, self.spec = module, module.__spec__

    def create_module(self, spec):
        return self.module

    def exec_module(self, module):
        # The import system wrote the spec of the other name, by which imports within the package would take the module
        # for another one.
        module.__spec__ = self.spec


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the modules of SAME_MODULE, and makes those of MODULES."""

    def find_spec(self, name, path=None, target=None):
        if not name.startswith(_PACKAGE):
            return None
        old = name.removeprefix(_PACKAGE)
        if old in SAME_MODULE:
            real = importlib.import_module(_PACKAGE + SAME_MODULE[old])
            return importlib.util.spec_from_loader(name, OtherName(real), is_package=True)
        return importlib.util.spec_from_loader(name, self, is_package=True) if old in MODULES else None

    def create_module(self, spec):
        return Old(spec.name, f"The names of {MODULES[spec.name.removeprefix(_PACKAGE)]} under an old path.")

    def exec_module(self, module):
        pass


def attend(name):
    """The module of this name, and those in it that are loaded, also answer to old names from now on."""
    for found, module in list(sys.modules.items()):
        if (found == name or found.startswith(name + ".")) and type(module) is types.ModuleType:
            module.__class__ = Ours
            if not hasattr(module, "__path__"):
                module.__path__ = []  # it may have modules of old names


sys.meta_path.append(_Finder())
