"""Running compiled programs: functions, recursion, closures and data types.

`relay.vm.compile` makes an Executable, and a VirtualMachine runs it. One thread at a time uses a
machine; machines of one executable share code and constants, and run at the same time.
"""

from .. import _core, _ffi
from ..error import LatheTypeError, LatheValueError
from . import container  # noqa: F401  (its class stands for results)
from .device import cpu
from .module import BenchmarkResult, Module
from .tensor import array

_get = _ffi.get


class Executable:
    """A compiled program: functions in the form of instructions, plans of kernels, constants.

    Args:
        mod: the runtime module that has the program.
        name: the program's name in the module.

    Attributes:
        mod: the module. `mod.export_library(path)` writes a file that loads with the runtime alone.

    Example:
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(2,))
        >>> exe = relay.vm.compile(relay.Function([x], x + x), "llvm")
        >>> exe.globals, exe.get_function_params("main")
        (['main'], ['x'])
    """

    def __init__(self, mod, name=None):
        if not isinstance(mod, Module):
            raise LatheTypeError("an executable must be made from a module", "vm-executable-type",
                                 f"found: {type(mod).__name__}")
        names = _get("vm.names")(mod)
        if name is None and len(names) != 1:
            raise LatheValueError("the module has not one program", "vm-program",
                                  f"found: {len(names)}\nhelp: relay.vm.compile makes one")
        self.mod, self._name = mod, names[0] if name is None else name
        flat = _get("vm.entries")(mod, self._name)
        self._params = {function: list(zip(params[::2], params[1::2]))
                        for function, params in zip(flat[::2], flat[1::2])}

    def save(self):
        """(code, lib): the program as bytes, and the module with kernels and constants.

        `lib` has the program, too: it alone is enough for `load_exec`.
        """
        return bytearray(_program_in(self.mod)), self.mod

    @staticmethod
    def load_exec(bytecode, lib):
        """The Executable of what `save` gave.

        Args:
            bytecode: the program's bytes, or None if the module has it.
            lib: the module: the one that was saved, or a file of it, loaded again.
        """
        if bytecode is not None and not _get("vm.names")(lib):
            lib.import_module(_get("module.load_bytes", True)("vm_program", bytes(bytecode)))
        return Executable(lib)

    @property
    def lib(self):
        """The module."""
        return self.mod

    @property
    def globals(self):
        """The names of the functions that can be called."""
        return list(self._params)

    @property
    def bytecode(self):
        """The instructions of all functions as text."""
        return _get("vm.text")(self.mod, self._name)

    @property
    def primitive_ops(self):
        """The names of the kernels."""
        return list(_get("vm.kernels")(self.mod, self._name))

    @property
    def constants(self):
        """The number of constants."""
        return self._numbers()[4]

    def _numbers(self):
        return _get("vm.stats")(self.mod, self._name)

    @property
    def stats(self):
        """Numbers of the program as text."""
        functions, instructions, plans, kernels, constants = self._numbers()
        return ("Relay VM executable statistics:\n"
                f"  Functions: {functions}\n  Instructions: {instructions}\n"
                f"  Plans: {plans}\n  Kernel calls: {kernels}\n  Constants: {constants}\n"
                f"  Globals: {', '.join(self.globals)}")

    def get_function_params(self, func_name):
        """The names of a function's parameters.

        Raises:
            LatheError: `graph-function-unknown`.
        """
        return [name for name, _ in self._described(func_name)]

    def _described(self, func_name):
        if func_name not in self._params:
            raise LatheValueError(f"the program has no function `{func_name}`",
                                  "graph-function-unknown",
                                  "expected: " + ", ".join(self._params))
        return self._params[func_name]

    def __getitem__(self, key):
        """A function of the module."""
        return self.mod[key]

    def __repr__(self):
        return f"<lathe program {self._name}: {', '.join(self._params)}>"


def _program_in(module):
    for found in [module, *module.imported_modules]:
        if found.kind == "vm_program":
            return _get("module.save")(found)
    raise LatheValueError("the module has no program", "vm-program")


class VirtualMachine:
    """Runs an Executable.

    Args:
        exe: an Executable, or the runtime module that has its program.
        device: the host.
        memory_cfg: without effect: plans manage memory by themselves.

    Example:
        >>> import lathe, numpy as np
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(relay.Any(),))
        >>> exe = relay.vm.compile(relay.Function([x], x * 2.0), "llvm")
        >>> vm = lathe.runtime.vm.VirtualMachine(exe, lathe.cpu())
        >>> vm.run(np.ones(3, "float32")).numpy().tolist()
        [2.0, 2.0, 2.0]
    """

    NAIVE_ALLOCATOR = 1
    POOLED_ALLOCATOR = 2

    def __init__(self, exe, device=None, memory_cfg=None):
        self._exe = exe if isinstance(exe, Executable) else Executable(exe)
        devices = device if isinstance(device, (list, tuple)) else [device or cpu()]
        if any(one.device_type != 1 for one in devices):
            raise LatheValueError("the device of a program must be the host", "graph-device",
                                  f"found: {devices[0]}")
        self._set = {}  # function -> the arguments that `set_input` set
        self.module = _get("vm.create", True)(self._exe.mod, self._exe._name)
        self._functions = {name: self.module[name]
                           for name in ("invoke", "set_input", "invoke_stateful",
                                        "get_num_outputs", "get_output")}

    def _arguments(self, func_name, args, kwargs):
        params = self._exe._described(func_name)
        names = [name for name, _ in params]
        given = list(args[:len(params)])
        wrong = len(args) > len(params) or any(key not in names[len(args):] for key in kwargs)
        missing = [name for name in names[len(args):] if name not in kwargs]
        if wrong or missing:
            raise LatheTypeError(f"`{func_name}` is called with wrong arguments",
                                 "graph-argument-count", "expected: " + ", ".join(names)
                                 + f"\nfound: {len(args)} by position, and "
                                 + (", ".join(kwargs) or "none by name"))
        given += [kwargs[name] for name in names[len(args):]]
        return [_argument(value, text) for value, (_, text) in zip(given, params)]

    def invoke(self, func_name, *args, **kwargs):
        """Calls a function.

        Args:
            func_name: its name.
            args, kwargs: Tensors, arrays, numbers, lists for tuples, ADTs. Tensors are copied. Without any,
                those that `set_input` set for this function.

        Returns:
            A Tensor, a list for a tuple, or a `runtime.container.ADT`.

        Raises:
            LatheError: `graph-function-unknown`, `graph-argument-count`, `graph-input-mismatch`,
                `graph-shape-mismatch`, `graph-value-kind`, `graph-call-depth`.
        """
        if func_name in self._set and not args and not kwargs:
            return self._functions["invoke"](func_name, *self._set[func_name])
        return self._functions["invoke"](func_name, *self._arguments(func_name, args, kwargs))

    def run(self, *args, **kwargs):
        """Calls `main`; without arguments, with those that `set_input` set."""
        return self.invoke("main", *args, **kwargs)

    def set_input(self, func_name, *args, **kwargs):
        """Keeps copies of the arguments of a function, for calls of it without arguments."""
        given = [array(one) if isinstance(one, _core.Tensor) else one
                 for one in self._arguments(func_name, args, kwargs)]
        self._functions["set_input"](func_name, *given)
        self._set[func_name] = given

    def invoke_stateful(self, func_name):
        """Calls a function with the arguments that `set_input` set; `get_outputs` has the results.

        Raises:
            LatheError: `graph-input-missing`, and those of `invoke`.
        """
        self._functions["invoke_stateful"](func_name)

    def get_outputs(self):
        """The results of the last `invoke_stateful`: a list, one for each field of a tuple."""
        return [self._functions["get_output"](i)
                for i in range(self._functions["get_num_outputs"]())]

    def get_input_index(self, input_name, func_name="main"):
        """The number of a parameter; -1 if there is none of that name."""
        names = self._exe.get_function_params(func_name)
        return names.index(input_name) if input_name in names else -1

    def benchmark(self, device=None, *args, func_name="main", repeat=5, number=5,
                  min_repeat_ms=None, end_to_end=False, **kwargs):
        """Measures the time of a call.

        Args:
            device: the host.
            args, kwargs: the arguments of the function.
            func_name: its name.
            repeat, number, min_repeat_ms: as for `Module.time_evaluator`.
            end_to_end: also measure copying the arguments.

        Returns:
            A runtime.BenchmarkResult.
        """
        device = device if device is not None else cpu()
        if not end_to_end:
            self.set_input(func_name, *args, **kwargs)
            timer = self.module.time_evaluator("invoke_stateful", device, number, repeat,
                                               min_repeat_ms or 0)
            return timer(func_name)
        import time

        results = []
        for _ in range(repeat):
            begun = time.perf_counter()
            for _ in range(number):
                self.invoke(func_name, *args, **kwargs)
            results.append((time.perf_counter() - begun) / number)
        return BenchmarkResult(results, number)

    def __repr__(self):
        return f"<lathe VirtualMachine of {self._exe!r}>"


def _argument(value, text):
    """The argument for a parameter whose type has this text."""
    if isinstance(value, (list, tuple)) and text.startswith("("):
        parts = _split(text)
        return [_argument(item, part) for item, part in zip(value, parts)] \
            if len(parts) == len(value) else list(value)
    if isinstance(value, (_core.Tensor, container.ADT)) or "[" not in text:
        return value
    return array(value, dtype=text.split("[")[0])


def _split(text):
    """The texts of a tuple's fields."""
    parts, depth, begin = [], 0, 1
    for at, char in enumerate(text):
        depth += (char in "([") - (char in ")]")
        if (char == "," and depth == 1) or (char == ")" and depth == 0):
            part = text[begin:at].strip()
            parts += [part] if part else []
            begin = at + 1
    return parts
