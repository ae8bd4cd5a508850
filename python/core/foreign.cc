// Arrays of other libraries: the buffer protocol, DLPack's table of C functions, __dlpack__.
//
// For each type, the fastest of these that it supports is found once and remembered. Checks that
// these interfaces omit are made here: PyTorch's table does not report that a tensor requires
// gradients, or that its values are still to be conjugated or negated.
#include <cstring>
#include <memory>
#include <string>

#include "python/core/object.h"
#include "runtime/status.h"

namespace lathe::python {
namespace {

// DLPack 1.2's table for exchanging tensors without Python calls. Written from the specification;
// parameters that are not used here have no names.
struct ExchangeTable {
  DLPackVersion version;
  ExchangeTable* previous;  // the table of an older version
  int (*allocate)(DLTensor*, DLManagedTensorVersioned**, void*,
                  void (*)(void*, const char*, const char*));
  int (*managed_from_object)(void* object, DLManagedTensorVersioned** out);
  int (*managed_to_object)(DLManagedTensorVersioned*, void** out);
  int (*tensor_from_object)(void* object, DLTensor* out);  // may be null
  int (*current_stream)(int32_t device_type, int32_t device_id, void** out);
};

enum class Way : uint8_t { kNone, kBuffer, kTable, kMethod };
struct TypeFacts {
  PyTypeObject* type = nullptr;
  Way way = Way::kNone;
  const ExchangeTable* table = nullptr;
  bool has_gradients = false;  // objects of the type have requires_grad
  // The getter of requires_grad if it is a C getter. It is called directly, without a lookup.
  PyObject* gradient = nullptr;
  descrgetfunc gradient_get = nullptr;
};

bool HasAttribute(PyTypeObject* type, PyObject* name) {
  PyRef found(PyObject_GetAttr(reinterpret_cast<PyObject*>(type), name));
  if (!found) PyErr_Clear();
  return static_cast<bool>(found);
}

const ExchangeTable* TableOf(PyTypeObject* type) {
  LATHE_PY_NAME(kTable, "__dlpack_c_exchange_api__");
  PyRef capsule(PyObject_GetAttr(reinterpret_cast<PyObject*>(type), kTable));
  const ExchangeTable* table = nullptr;
  if (capsule && PyCapsule_IsValid(capsule.get(), "dlpack_exchange_api") != 0) {
    table = static_cast<const ExchangeTable*>(
        PyCapsule_GetPointer(capsule.get(), "dlpack_exchange_api"));
  }
  PyErr_Clear();
  while (table != nullptr && table->version.major > 1) table = table->previous;
  return table;
}

bool IsNumPyArray(PyTypeObject* type) {
  LATHE_PY_NAME(kInterface, "__array_interface__");
  return HasAttribute(type, kInterface);
}

// A small hash table, so that the few common types are found at once.
TypeFacts& SlotOf(PyTypeObject* type) {
  static TypeFacts known[32];
  return known[(reinterpret_cast<uintptr_t>(type) >> 5) & 31];
}

const TypeFacts& FactsOf(PyTypeObject* type) {
  TypeFacts& slot = SlotOf(type);
  if (slot.type == type) return slot;
  LATHE_PY_NAME(kMethod, "__dlpack__");
  LATHE_PY_NAME(kGradient, "requires_grad");
  TypeFacts facts;
  facts.type = type;
  facts.table = TableOf(type);
  const bool has_method = HasAttribute(type, kMethod);
  if (has_method && IsNumPyArray(type)) {
    facts.way = Way::kBuffer;
  } else if (facts.table != nullptr) {
    facts.way = Way::kTable;
  } else if (has_method) {
    facts.way = Way::kMethod;
  } else if (type == &PyByteArray_Type || type == &PyMemoryView_Type) {
    facts.way = Way::kBuffer;
  }
  PyRef gradient(PyObject_GetAttr(reinterpret_cast<PyObject*>(type), kGradient));
  if (!gradient) PyErr_Clear();
  facts.has_gradients = static_cast<bool>(gradient);
  if (gradient && Py_TYPE(gradient.get()) == &PyGetSetDescr_Type) {
    facts.gradient_get =
        reinterpret_cast<descrgetfunc>(PyType_GetSlot(Py_TYPE(gradient.get()), Py_tp_descr_get));
    facts.gradient = gradient.release();
  }
  // A remembered type must stay alive, so that no other type can get its address.
  Py_INCREF(reinterpret_cast<PyObject*>(type));
  Py_XDECREF(reinterpret_cast<PyObject*>(slot.type));
  Py_XDECREF(slot.gradient);
  slot = facts;
  return slot;
}

// The truth value of `made`. Drops the reference. An exception counts as false.
inline bool IsTrue(PyObject* made) {
  if (made == Py_False) [[likely]] {
    Py_DECREF(made);
    return false;
  }
  const PyRef value(made);
  const int truth = value ? RunPython(PyObject_IsTrue, value.get()) : -1;
  if (truth < 0) PyErr_Clear();
  return truth == 1;
}

void Refuse(const char* name, const std::string& message, const char* notes) {
  RaiseFromError(runtime::MakeErrorObject(LATHE_INVALID_ARGUMENT, name, message, notes).release());
}

// Checks that PyTorch's table leaves to its caller.
bool CheckPlain(PyObject* object, const TypeFacts& facts) {
  if (!facts.has_gradients) return true;
  PyObject* requires_grad = nullptr;
  if (facts.gradient_get != nullptr) [[likely]] {
    requires_grad =
        facts.gradient_get(facts.gradient, object, reinterpret_cast<PyObject*>(Py_TYPE(object)));
  } else {
    LATHE_PY_NAME(kGradient, "requires_grad");
    requires_grad = RunPython(PyObject_GetAttr, object, kGradient);
  }
  if (!IsTrue(requires_grad)) [[likely]]
    return true;
  Refuse("array-requires-grad", "the tensor requires gradients, which lathe would not track",
         "help: pass tensor.detach()");
  return false;
}
bool CheckResolved(PyObject* object) {
  LATHE_PY_NAME(kConjugated, "is_conj");
  LATHE_PY_NAME(kNegated, "is_neg");
  for (PyObject* name : {kConjugated, kNegated}) {
    if (!IsTrue(RunPython(PyObject_CallMethodObjArgs, object, name, nullptr))) continue;
    Refuse("array-not-resolved", "the tensor's values are still to be conjugated or negated",
           "help: pass tensor.resolve_conj().resolve_neg()");
    return false;
  }
  return true;
}
// May the values still have to be conjugated or negated? Only complex tensors are conjugated
// lazily. Negated views are imaginary parts of such tensors, so all their strides are even. A
// compact tensor with at least one dimension is therefore no such view (unless as_strided made it).
// Asking every tensor would cost more than the rest of the call.
bool MayBePending(const DLTensor& dl) {
  if (dl.dtype.code == kDLComplex || dl.ndim == 0) return true;
  if (dl.strides == nullptr) return false;
  int64_t compact = 1;
  for (int i = dl.ndim - 1; i >= 0; --i) {
    if (dl.strides[i] != compact) return true;
    compact *= dl.shape[i];
  }
  return false;
}

// Raises an error that names the array's type, with the library's own exception as its cause. Only
// the first line of the library's text is kept: PyTorch appends its C++ frames.
void RefuseUnshared(PyObject* object) {
  if (PyErr_ExceptionMatches(PyExc_Exception) == 0 ||
      PyErr_ExceptionMatches(PyExc_MemoryError) != 0)
    return;
  PyObject *type = nullptr, *cause = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &cause, &traceback);
  RunPython(PyErr_NormalizeException, &type, &cause, &traceback);
  Py_XDECREF(type);
  Py_XDECREF(traceback);
  PyRef text(RunPython(PyObject_Str, cause));
  const char* utf8 = text ? PyUnicode_AsUTF8AndSize(text.get(), nullptr) : nullptr;
  std::string reason = utf8 == nullptr ? "" : utf8;
  PyErr_Clear();
  reason = reason.substr(0, reason.find('\n'));
  PyRef name(PyObject_GetAttrString(reinterpret_cast<PyObject*>(Py_TYPE(object)), "__name__"));
  const char* type_name = name ? PyUnicode_AsUTF8AndSize(name.get(), nullptr) : nullptr;
  Refuse("array-not-shared",
         std::string("the memory of this ") + (type_name == nullptr ? "array" : type_name) +
             " cannot be shared: " + reason,
         "help: arrays are dense and in the memory of a device");
  PyObject* raised = nullptr;
  PyErr_Fetch(&type, &raised, &traceback);
  RunPython(PyErr_NormalizeException, &type, &raised, &traceback);
  PyException_SetCause(raised, cause);  // takes over the reference
  PyErr_Restore(type, raised, traceback);
}

// The type of a format such as "<f4". False for structures, text and foreign byte order.
bool DTypeOfFormat(const char* format, Py_ssize_t size, DLDataType* out) {
  if (format == nullptr) format = "B";
  if (*format == '@' || *format == '=' || *format == '<' || *format == '|') ++format;
  if (format[0] == '\0' || format[1] != '\0') return false;
  uint8_t code = 0;
  switch (*format) {
    case 'b':
    case 'h':
    case 'i':
    case 'l':
    case 'q':
    case 'n':
      code = kDLInt;
      break;
    case 'B':
    case 'H':
    case 'I':
    case 'L':
    case 'Q':
    case 'N':
      code = kDLUInt;
      break;
    case 'e':
    case 'f':
    case 'd':
      code = kDLFloat;
      break;
    case '?':
      code = kDLBool;
      break;
    default:
      return false;
  }
  *out = {code, static_cast<uint8_t>(size * 8), 1};
  return true;
}

// 1: borrowed. 0: try another way (an element type without a format, too many dimensions, strides
// that are not whole elements). -1: a Python exception.
int BorrowBuffer(PyObject* object, Loan& loan) {
  if (RunPython(PyObject_GetBuffer, object, &loan.view, PyBUF_RECORDS_RO) != 0) {
    if (PyErr_ExceptionMatches(PyExc_MemoryError) != 0) return -1;
    PyErr_Clear();
    return 0;
  }
  loan.has_view = true;
  const Py_buffer& view = loan.view;
  constexpr int kMost = 8;
  if (view.ndim > kMost || view.itemsize <= 0 ||
      !DTypeOfFormat(view.format, view.itemsize, &loan.dl.dtype))
    return 0;
  for (int i = 0; i < view.ndim; ++i) {
    loan.dims[i] = view.shape[i];
    const Py_ssize_t stride = view.strides[i];
    if (stride % view.itemsize != 0) return 0;
    loan.dims[kMost + i] = stride / view.itemsize;
  }
  loan.dl.data = view.buf;
  loan.dl.device = {kDLCPU, 0};
  loan.dl.ndim = view.ndim;
  loan.dl.shape = loan.dims.data();
  loan.dl.strides = loan.dims.data() + kMost;
  loan.dl.byte_offset = 0;
  return 1;
}

void Lend(const DLTensor* dl, lathe_value* value) {
  value->kind = LATHE_VALUE_DLTENSOR;
  value->padding = 0;
  value->v_dltensor = const_cast<DLTensor*>(dl);
}

void LendTensor(runtime::Tensor tensor, lathe_value* value, Loan& loan) {
  loan.object = reinterpret_cast<lathe_object*>(tensor.release());
  value->kind = LATHE_VALUE_OBJECT;
  value->padding = 0;
  value->v_object = loan.object;
}

// The capsule from object.__dlpack__(max_version=(1, 1)); without the argument for producers older
// than DLPack 1.0.
PyObject* CallDlpack(PyObject* object) {
  LATHE_PY_NAME(kMethod, "__dlpack__");
  static PyObject* const names = Py_BuildValue("(s)", "max_version");
  static PyObject* const version = Py_BuildValue("(ii)", 1, 1);
  PyObject* args[2] = {object, version};
  PyObject* made = RunPython(PyObject_VectorcallMethod, kMethod, args,
                             1 | PY_VECTORCALL_ARGUMENTS_OFFSET, names);
  if (made != nullptr || PyErr_ExceptionMatches(PyExc_TypeError) == 0) return made;
  PyErr_Clear();
  return RunPython(PyObject_VectorcallMethod, kMethod, args, 1 | PY_VECTORCALL_ARGUMENTS_OFFSET,
                   nullptr);
}

// The Python converter for arrays with neither a format nor DLPack (elements of ml_dtypes).
PyObject* g_converter = nullptr;
runtime::Tensor ConvertInPython(PyObject* object) {
  if (g_converter == nullptr) return {};
  PyRef made(RunPython(PyObject_CallFunctionObjArgs, g_converter, object, nullptr));
  if (!made || made.get() == Py_None) return {};
  if (!PyObject_TypeCheck(made.get(), g_types.tensor)) return {};
  return runtime::Tensor(reinterpret_cast<lathe_tensor*>(ObjectOf(made.get())));
}

runtime::Tensor ShareByTable(PyObject* object, const TypeFacts& facts) {
  // The strides do not help here: the table may have changed strides of axes with extent 1.
  if (facts.has_gradients && !CheckResolved(object)) return {};
  DLManagedTensorVersioned* managed = nullptr;
  if (facts.table->managed_from_object(object, &managed) != 0) {
    RefuseUnshared(object);
    return {};
  }
  auto tensor = runtime::Tensor::FromDLPackVersioned(managed);
  if (tensor.ok()) return *std::move(tensor);
  if (managed->deleter != nullptr) managed->deleter(managed);
  RaiseFromError(runtime::MakeErrorObject(tensor.status()).release());
  return {};
}

runtime::Tensor ShareByMethod(PyObject* object) {
  PyRef capsule(CallDlpack(object));
  if (!capsule) {
    // The library cannot put this element type into a capsule.
    PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
    PyErr_Fetch(&type, &value, &traceback);
    runtime::Tensor converted = ConvertInPython(object);
    if (converted) {
      Py_XDECREF(type);
      Py_XDECREF(value);
      Py_XDECREF(traceback);
      return converted;
    }
    if (PyErr_Occurred() != nullptr) {
      Py_XDECREF(type);
      Py_XDECREF(value);
      Py_XDECREF(traceback);
      return {};
    }
    PyErr_Restore(type, value, traceback);
    return {};
  }
  return TakeCapsule(capsule.get());
}

// Owns a buffer as long as a tensor uses its memory.
struct HeldBuffer {
  Py_buffer view;
};
void ReleaseBuffer(void* context) {
  auto* held = static_cast<HeldBuffer*>(context);
  if (const Gil gil; gil) RunPython(PyBuffer_Release, &held->view);
  delete held;
}

runtime::Tensor ShareBuffer(Loan& loan) {
  // The copied view may still point into `loan.view` (bytes keep their shape inside the view).
  // Those pointers are not used again.
  auto held = std::make_unique<HeldBuffer>(HeldBuffer{loan.view});
  const DLTensor& dl = loan.dl;
  const auto rank = static_cast<size_t>(dl.ndim);
  runtime::Tensor tensor = runtime::Tensor::Wrap(
      dl.data, 0, {dl.shape, rank}, {dl.strides, rank}, DataType(dl.dtype), runtime::Device::Cpu(),
      ReleaseBuffer, held.get(), held->view.readonly != 0);
  held.release();
  loan.has_view = false;
  return tensor;
}

int Borrow(PyObject* object, const TypeFacts& facts, lathe_value* value, Loans& loans) {
  if (!CheckPlain(object, facts)) return -1;
  // A bare DLTensor has no read-only flag. So this is only for libraries like PyTorch, which have
  // no read-only tensors (and have gradients).
  if (facts.way == Way::kTable && facts.has_gradients &&
      facts.table->tensor_from_object != nullptr) {
    DLTensor& dl = loans.NextTensor();
    if (facts.table->tensor_from_object(object, &dl) != 0) {
      RefuseUnshared(object);
      return -1;
    }
    if (MayBePending(dl) && !CheckResolved(object)) return -1;
    Lend(&dl, value);
    return 1;
  }
  Loan& loan = loans.Next();
  if (facts.way == Way::kBuffer) {
    const int borrowed = BorrowBuffer(object, loan);
    if (borrowed < 0) return -1;
    if (borrowed == 1 && loan.view.readonly == 0) {
      Lend(&loan.dl, value);
      return 1;
    }
    // Only a tensor object has a read-only flag.
    if (borrowed == 1) {
      LendTensor(ShareBuffer(loan), value, loan);
      return 1;
    }
    loan.Return();
    if (PyByteArray_Check(object) || Py_TYPE(object) == &PyMemoryView_Type) return 0;
  }
  runtime::Tensor tensor =
      facts.way == Way::kTable ? ShareByTable(object, facts) : ShareByMethod(object);
  if (!tensor) return -1;
  LendTensor(std::move(tensor), value, loan);
  return 1;
}

}  // namespace

void SetArrayConverter(PyObject* converter) {
  Py_INCREF(converter);
  Py_XDECREF(g_converter);
  g_converter = converter;
}

runtime::Tensor TakeCapsule(PyObject* capsule) {
  absl::StatusOr<runtime::Tensor> tensor;
  if (PyCapsule_IsValid(capsule, "dltensor_versioned") != 0) {
    tensor = runtime::Tensor::FromDLPackVersioned(static_cast<DLManagedTensorVersioned*>(
        PyCapsule_GetPointer(capsule, "dltensor_versioned")));
    if (tensor.ok()) PyCapsule_SetName(capsule, "used_dltensor_versioned");
  } else if (PyCapsule_IsValid(capsule, "dltensor") != 0) {
    tensor = runtime::Tensor::FromDLPack(
        static_cast<DLManagedTensor*>(PyCapsule_GetPointer(capsule, "dltensor")));
    if (tensor.ok()) PyCapsule_SetName(capsule, "used_dltensor");
  } else {
    PyErr_SetString(PyExc_TypeError, "no DLPack capsule, or one that was used before");
    return {};
  }
  if (tensor.ok()) return *std::move(tensor);
  RaiseFromError(runtime::MakeErrorObject(tensor.status()).release());
  return {};
}

int BorrowKnownArray(PyObject* object, lathe_value* value, Loans& loans) {
  const TypeFacts& slot = SlotOf(Py_TYPE(object));
  if (slot.type != Py_TYPE(object) || slot.way == Way::kNone) return 0;
  return Borrow(object, slot, value, loans);
}

int BorrowArray(PyObject* object, lathe_value* value, Loans& loans) {
  const TypeFacts& facts = FactsOf(Py_TYPE(object));
  return facts.way == Way::kNone ? 0 : Borrow(object, facts, value, loans);
}

runtime::Tensor ShareArray(PyObject* object) {
  const TypeFacts& facts = FactsOf(Py_TYPE(object));
  if (facts.way != Way::kNone && !CheckPlain(object, facts)) return {};
  if (facts.way == Way::kTable) return ShareByTable(object, facts);
  Loan loan;
  const int borrowed = facts.way == Way::kMethod ? 0 : BorrowBuffer(object, loan);
  if (borrowed < 0) return {};
  if (borrowed == 1) return ShareBuffer(loan);
  loan.Return();
  LATHE_PY_NAME(kMethod, "__dlpack__");
  if (HasAttribute(Py_TYPE(object), kMethod)) return ShareByMethod(object);
  if (PyErr_Occurred() == nullptr) {
    PyErr_Format(PyExc_TypeError, "an object of type %R is no array",
                 reinterpret_cast<PyObject*>(Py_TYPE(object)));
  }
  return {};
}

}  // namespace lathe::python
