"""Kernels that build_kernels wrote, called through the runtime's C functions (runtime/c_api.h)."""

import ctypes

import numpy as np


class _Device(ctypes.Structure):
    _fields_ = [("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32)]


class _DataType(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class _Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device", _Device),
        ("ndim", ctypes.c_int32),
        ("dtype", _DataType),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class _Value(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int32), ("padding", ctypes.c_uint32), ("payload", ctypes.c_void_p)]


_CPU = _Device(1, 0)
_DLTENSOR = 7  # LATHE_VALUE_DLTENSOR


class Runtime:
    """liblathe_runtime.so at `path`. Raises RuntimeError with the library's message."""

    def __init__(self, path):
        self._library = ctypes.CDLL(path)
        for name in ("module_load_file", "module_function", "function_call", "threads_set", "dtype_parse", "error_text"):
            getattr(self._library, "lathe_" + name).restype = ctypes.c_void_p

    def check(self, error):
        if error:
            text = ctypes.c_void_p()
            self._library.lathe_error_text(ctypes.c_void_p(error), ctypes.byref(text))
            # lathe_string: refs, kind, drop, data
            data = ctypes.cast(text, ctypes.POINTER(ctypes.c_char_p))[2]
            raise RuntimeError(data.decode())

    def set_threads(self, threads):
        self.check(self._library.lathe_threads_set(threads))

    def kernel(self, path, name):
        """Function `name` of the artefact at `path`, as `bind(arrays) -> call()`."""
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        self.check(self._library.lathe_module_load_file(path.encode(), ctypes.byref(module)))
        self.check(self._library.lathe_module_function(module, name.encode(), ctypes.byref(function)))

        def bind(arrays, dtypes):
            values = (_Value * len(arrays))()
            keep = [values, arrays]
            for value, array, dtype_name in zip(values, arrays, dtypes):
                dtype = _DataType()
                self.check(self._library.lathe_dtype_parse(dtype_name.encode(), ctypes.byref(dtype)))
                shape = (ctypes.c_int64 * max(array.ndim, 1))(*array.shape)
                tensor = _Tensor(array.ctypes.data, _CPU, array.ndim, dtype, shape, None, 0)
                value.kind, value.payload = _DLTENSOR, ctypes.cast(ctypes.pointer(tensor), ctypes.c_void_p)
                keep += [shape, tensor]
            result = _Value()
            call = self._library.lathe_function_call
            count, out = len(arrays), ctypes.byref(result)

            def run():
                error = call(function, values, count, out)
                if error:
                    self.check(error)

            run.keep = keep
            return run

        return bind


def aligned(shape, dtype):
    """An uninitialised array aligned to 64 bytes, as libraries allocate."""
    dtype = np.dtype(dtype)
    size = int(np.prod(shape)) * dtype.itemsize
    raw = np.empty(size + 64, np.uint8)
    start = -raw.ctypes.data % 64
    return raw[start : start + size].view(dtype).reshape(shape)
