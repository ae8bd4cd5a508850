// Tensor: attributes, DLPack and the buffer protocol. All other methods are registered functions.
#include <cstring>
#include <string>

#include "base/dtype.h"
#include "python/core/object.h"
#include "runtime/object_ref.h"
#include "runtime/status.h"

namespace lathe::python {
namespace {

lathe_tensor* TensorOf(PyObject* self) { return reinterpret_cast<lathe_tensor*>(ObjectOf(self)); }

PyObject* TupleOf(const int64_t* items, int32_t n) {
  PyRef tuple(PyTuple_New(n));
  for (int32_t i = 0; tuple && i < n; ++i) {
    PyObject* item = PyLong_FromLongLong(items[i]);
    if (item == nullptr || PyTuple_SetItem(tuple.get(), i, item) != 0) return nullptr;
  }
  return tuple.release();
}

PyObject* Shape(PyObject* self, void*) {
  const DLTensor& dl = TensorOf(self)->dl;
  return TupleOf(dl.shape, dl.ndim);
}

PyObject* Strides(PyObject* self, void*) {
  const runtime::Tensor tensor(TensorOf(self));
  int64_t strides[runtime::kMaxRank] = {};
  for (int i = 0; i < tensor.rank(); ++i) strides[i] = tensor.stride(i);
  return TupleOf(strides, tensor.rank());
}

PyObject* NDim(PyObject* self, void*) { return PyLong_FromLong(TensorOf(self)->dl.ndim); }

PyObject* DType(PyObject* self, void*) {
  lathe_value value{};
  value.kind = LATHE_VALUE_DTYPE;
  value.v_dtype = TensorOf(self)->dl.dtype;
  return FromBorrowed(value);
}

PyObject* DeviceAttribute(PyObject* self, void*) {
  const lathe_tensor* tensor = TensorOf(self);
  return FromBorrowed(runtime::ValueTraits<runtime::Device>::Borrow(
      runtime::Device::FromPacked(tensor->dl.device)));
}

PyObject* ReadOnly(PyObject* self, void*) {
  return PyBool_FromLong((TensorOf(self)->flags & LATHE_TENSOR_READ_ONLY) != 0);
}

bool IsRemote(PyObject* self) {
  return runtime::Device::FromPacked(TensorOf(self)->dl.device).is_remote();
}

PyObject* Lent(PyObject* self, void*) { return PyBool_FromLong(IsLentHere(TensorOf(self))); }

PyObject* DataPointer(PyObject* self, void*) {
  const DLTensor& dl = TensorOf(self)->dl;
  if (IsRemote(self)) {
    return Guarded<PyObject*>(nullptr, [&] {
      const std::string text = runtime::DescribeTensor(dl);
      RaiseFromError(runtime::MakeErrorObject(
                         runtime::MakeStatus(absl::StatusCode::kFailedPrecondition, "tensor-remote",
                                             {text,
                                              " has a handle and no address\nhelp: copy it to "
                                              "this process: copyto(lathe.cpu())"}))
                         .release());
      return nullptr;
    });
  }
  return PyLong_FromVoidPtr(static_cast<char*>(dl.data) + dl.byte_offset);
}

// -- DLPack.

void DropCapsule(PyObject* capsule) {
  // A consumer renames a capsule that it takes over.
  if (PyCapsule_IsValid(capsule, "dltensor") != 0) {
    auto* managed = static_cast<DLManagedTensor*>(PyCapsule_GetPointer(capsule, "dltensor"));
    managed->deleter(managed);
  } else if (PyCapsule_IsValid(capsule, "dltensor_versioned") != 0) {
    auto* managed =
        static_cast<DLManagedTensorVersioned*>(PyCapsule_GetPointer(capsule, "dltensor_versioned"));
    managed->deleter(managed);
  }
}

template <class T>
PyObject* MakeCapsule(absl::StatusOr<T*> managed, const char* name) {
  if (!managed.ok()) {
    lathe_error* error = runtime::MakeErrorObject(managed.status()).release();
    PyErr_Format(PyExc_BufferError, "%s\n%s", error->message, error->notes);
    runtime::ReleaseObject(&error->object);
    return nullptr;
  }
  PyObject* capsule = PyCapsule_New(*managed, name, DropCapsule);
  if (capsule == nullptr) (*managed)->deleter(*managed);
  return capsule;
}

PyObject* Dlpack(PyObject* self, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"stream", "max_version", "dl_device", "copy", nullptr};
  PyObject *stream = Py_None, *version = Py_None, *device = Py_None, *copy = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|$OOOO", const_cast<char**>(names), &stream,
                                   &version, &device, &copy))
    return nullptr;
  const lathe_tensor* self_tensor = TensorOf(self);
  if (device != Py_None) {
    int type = 0, id = 0;
    if (!PyArg_ParseTuple(device, "ii;dl_device is (type, id)", &type, &id)) return nullptr;
    if (type != self_tensor->dl.device.device_type || id != self_tensor->dl.device.device_id) {
      PyErr_SetString(PyExc_BufferError,
                      "the tensor lies on another device\n  help: copy it with copyto first");
      return nullptr;
    }
  }
  if (!IsRemote(self) && !MakeOwn(TensorOf(self))) return nullptr;
  try {
    runtime::Tensor tensor(TensorOf(self));
    if (IsRemote(self)) return MakeCapsule(tensor.ToDLPack(), "dltensor");  // refuses, by name
    if (copy != Py_None && PyObject_IsTrue(copy) == 1) {
      auto cloned = tensor.Clone();
      if (!cloned.ok()) {
        RaiseFromError(runtime::MakeErrorObject(cloned.status()).release());
        return nullptr;
      }
      tensor = *std::move(cloned);
    }
    int major = 0, minor = 0;
    if (version != Py_None &&
        !PyArg_ParseTuple(version, "ii;max_version is (major, minor)", &major, &minor))
      return nullptr;
    if (major >= 1) return MakeCapsule(tensor.ToDLPackVersioned(), "dltensor_versioned");
    return MakeCapsule(tensor.ToDLPack(), "dltensor");
  } catch (...) {
    return RaiseCurrentException();
  }
}

PyObject* DlpackDevice(PyObject* self, PyObject*) {
  const DLDevice& device = TensorOf(self)->dl.device;
  if (IsRemote(self)) {
    return Guarded<PyObject*>(nullptr, [&] {
      return PyErr_Format(
          PyExc_BufferError,
          "%s: DLPack has no name for a device of a session\n  help: copy the tensor to "
          "this process: copyto(lathe.cpu())",
          runtime::DescribeTensor(TensorOf(self)->dl).c_str());
    });
  }
  return Py_BuildValue("(ii)", device.device_type, device.device_id);
}

PyObject* FromDlpack(PyObject*, PyObject* source) {
  try {
    runtime::Tensor tensor;
    if (PyCapsule_IsValid(source, "dltensor") != 0 ||
        PyCapsule_IsValid(source, "dltensor_versioned") != 0) {
      tensor = TakeCapsule(source);
    } else {
      tensor = ShareArray(source);
    }
    if (!tensor) return nullptr;
    return WrapObject(reinterpret_cast<lathe_object*>(tensor.release()));
  } catch (...) {
    return RaiseCurrentException();
  }
}

// -- The buffer protocol.

const char* FormatOf(DLDataType dtype) {
  if (dtype.lanes != 1) return nullptr;
  const int key = dtype.code * 1000 + dtype.bits;
  switch (key) {
    case kDLInt * 1000 + 8:
      return "b";
    case kDLInt * 1000 + 16:
      return "h";
    case kDLInt * 1000 + 32:
      return "i";
    case kDLInt * 1000 + 64:
      return "q";
    case kDLUInt * 1000 + 8:
      return "B";
    case kDLUInt * 1000 + 16:
      return "H";
    case kDLUInt * 1000 + 32:
      return "I";
    case kDLUInt * 1000 + 64:
      return "Q";
    case kDLFloat * 1000 + 16:
      return "e";
    case kDLFloat * 1000 + 32:
      return "f";
    case kDLFloat * 1000 + 64:
      return "d";
    case kDLBool * 1000 + 8:
      return "?";
    default:
      return nullptr;
  }
}

// Are the elements contiguous with the first index changing fastest?
bool IsColumnMajor(const runtime::Tensor& tensor) {
  if (tensor.num_elements() == 0) return true;
  int64_t expected = 1;
  for (int i = 0; i < tensor.rank(); ++i) {
    if (tensor.shape(i) != 1 && tensor.stride(i) != expected) return false;
    expected *= tensor.shape(i);
  }
  return true;
}

// The element order that a consumer requires and the tensor does not have; null if it has all
// required orders.
const char* MissingOrder(const runtime::Tensor& tensor, int flags) {
  const auto wants = [&](int order) { return (flags & order) == order; };
  const bool rows = tensor.is_compact();
  if (rows)
    return wants(PyBUF_F_CONTIGUOUS) && !IsColumnMajor(tensor) ? "column by column" : nullptr;
  // A consumer that takes no strides reads row by row.
  if (wants(PyBUF_C_CONTIGUOUS) || !wants(PyBUF_STRIDES)) return "row by row";
  if (IsColumnMajor(tensor)) return nullptr;
  if (wants(PyBUF_F_CONTIGUOUS)) return "column by column";
  return wants(PyBUF_ANY_CONTIGUOUS) ? "one behind the other" : nullptr;
}

int FillBuffer(PyObject* self, Py_buffer* view, int flags) {
  const runtime::Tensor tensor(TensorOf(self));
  const DLTensor& dl = tensor.dl();
  const char* format = FormatOf(dl.dtype);
  if (!tensor.device().is_host() || format == nullptr) {
    PyErr_Format(PyExc_BufferError, "%s has no buffer: %s", tensor.ToString().c_str(),
                 format == nullptr
                     ? "Python has no such element type"
                     : "its memory is not the host's; copy it with copyto(lathe.cpu())");
    return -1;
  }
  if ((flags & PyBUF_WRITABLE) != 0 && tensor.read_only()) {
    PyErr_SetString(PyExc_BufferError, "the tensor is read-only");
    return -1;
  }
  if (const char* order = MissingOrder(tensor, flags)) {
    PyErr_Format(PyExc_BufferError,
                 "%s: its elements do not lie %s, as is asked for; copy it first (numpy.array(t))",
                 tensor.ToString().c_str(), order);
    return -1;
  }
  const int rank = tensor.rank();
  // Shape and strides as Py_ssize_t; freed in ReleaseBuffer.
  auto* dims = new Py_ssize_t[static_cast<size_t>(2 * rank) + 1];
  for (int i = 0; i < rank; ++i) {
    dims[i] = static_cast<Py_ssize_t>(tensor.shape(i));
    dims[rank + i] = static_cast<Py_ssize_t>(tensor.stride(i)) * tensor.dtype().bytes();
  }
  view->internal = dims;
  view->buf = static_cast<char*>(dl.data) + dl.byte_offset;
  view->len = static_cast<Py_ssize_t>(tensor.num_bytes());
  view->itemsize = tensor.dtype().bytes();
  view->readonly = tensor.read_only() ? 1 : 0;
  view->ndim = rank;
  view->format = (flags & PyBUF_FORMAT) != 0 ? const_cast<char*>(format) : nullptr;
  view->shape = (flags & PyBUF_ND) != 0 ? dims : nullptr;
  view->strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? dims + rank : nullptr;
  view->suboffsets = nullptr;
  Py_INCREF(self);
  view->obj = self;
  return 0;
}

int GetBuffer(PyObject* self, Py_buffer* view, int flags) {
  view->obj = nullptr;
  if (!MakeOwn(TensorOf(self))) return -1;
  return Guarded(-1, [&] { return FillBuffer(self, view, flags); });
}

void ReleaseBuffer(PyObject*, Py_buffer* view) {
  delete[] static_cast<Py_ssize_t*>(view->internal);
  view->internal = nullptr;
}

PyGetSetDef kGetSet[] = {
    {"shape", Shape, nullptr, "The extents: a tuple of int.", nullptr},
    {"strides", Strides, nullptr, "In elements: a tuple of int.", nullptr},
    {"ndim", NDim, nullptr, "The number of dimensions.", nullptr},
    {"dtype", DType, nullptr, "The element type, such as 'float32'.", nullptr},
    {"device", DeviceAttribute, nullptr, "Where the elements lie.", nullptr},
    {"read_only", ReadOnly, nullptr, "May nobody write the elements through this tensor?", nullptr},
    {"_lent", Lent, nullptr, "Does it look at memory of the caller of a function that runs now?",
     nullptr},
    {"data_ptr", DataPointer, nullptr, "The address of the first element, as its device has it.",
     nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};
PyMethodDef kMethods[] = {
    {"__dlpack__", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(Dlpack)),
     METH_VARARGS | METH_KEYWORDS,
     "A DLPack capsule that shares the tensor's memory (array API standard)."},
    {"__dlpack_device__", DlpackDevice, METH_NOARGS, "(device type, device id) of DLPack."},
    {"_from_dlpack", FromDlpack, METH_O | METH_STATIC,
     "A tensor that shares the memory of an array or of a DLPack capsule."},
    {nullptr, nullptr, 0, nullptr},
};
PyType_Slot kSlots[] = {
    {Py_tp_doc, const_cast<char*>("Memory of a device with a shape, strides and an element type.")},
    {Py_tp_getset, kGetSet},
    {Py_tp_methods, kMethods},
    {Py_bf_getbuffer, reinterpret_cast<void*>(GetBuffer)},
    {Py_bf_releasebuffer, reinterpret_cast<void*>(ReleaseBuffer)},
    {0, nullptr},
};
PyType_Spec kSpec = {"lathe._core.Tensor", sizeof(PyHandle), 0,
                     Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, kSlots};

}  // namespace

bool AddTensorType(PyObject* module) {
  if (!AddType(module, &kSpec, reinterpret_cast<PyObject*>(g_types.object), &g_types.tensor))
    return false;
  g_types.tensor_class = g_types.tensor;
  return true;
}

}  // namespace lathe::python
