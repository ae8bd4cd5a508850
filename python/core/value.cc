// Conversion of Python objects to tagged values, and back.
#include <cstring>
#include <string>

#include "base/dtype.h"
#include "python/core/object.h"
#include "runtime/object_ref.h"

namespace lathe::python {
namespace {

lathe_value Number(int32_t kind, int64_t number) {
  lathe_value value{};
  value.kind = kind;
  value.v_int = number;
  return value;
}

lathe_value OfObject(lathe_object* object) {
  lathe_value value{};
  if (object == nullptr) return value;
  value.kind = LATHE_VALUE_OBJECT;
  value.v_object = object;
  return value;
}

bool IntArgument(PyObject* object, lathe_value* out) {
  int overflow = 0;
  const long long number = PyLong_AsLongLongAndOverflow(object, &overflow);
  if (overflow != 0) {
    PyErr_SetString(PyExc_OverflowError, "an int of more than 64 bits cannot be passed on");
    return false;
  }
  if (number == -1 && PyErr_Occurred() != nullptr) return false;
  *out = Number(LATHE_VALUE_INT, number);
  return true;
}

bool FloatArgument(PyObject* object, lathe_value* out) {
  const double number = PyFloat_AsDouble(object);
  if (number == -1.0 && PyErr_Occurred() != nullptr) return false;
  out->kind = LATHE_VALUE_FLOAT;
  out->padding = 0;
  out->v_float = number;
  return true;
}

bool StringArgument(PyObject* object, lathe_value* out, Loans& loans) {
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(object, &size);
  if (text == nullptr) return false;
  if (std::strlen(text) == static_cast<size_t>(size)) {
    out->kind = LATHE_VALUE_STRING;
    out->padding = 0;
    out->v_string = text;
    return true;
  }
  // The text contains a NUL: use a string object, which stores its size.
  Loan& loan = loans.Next();
  auto made = runtime::MakeStringObject({text, static_cast<size_t>(size)});
  loan.object = reinterpret_cast<lathe_object*>(made.release());
  *out = OfObject(loan.object);
  return true;
}

bool BytesArgument(PyObject* object, lathe_value* out, Loans& loans) {
  char* data = nullptr;
  Py_ssize_t size = 0;
  if (PyBytes_AsStringAndSize(object, &data, &size) != 0) return false;
  Loan& loan = loans.Next();
  loan.bytes = {data, static_cast<size_t>(size)};
  out->kind = LATHE_VALUE_BYTES;
  out->padding = 0;
  out->v_bytes = &loan.bytes;
  return true;
}

// The buffer is exported until the call ends, so nobody can make it another size meanwhile.
bool ByteArrayArgument(PyObject* object, lathe_value* out, Loans& loans) {
  Loan& loan = loans.Next();
  if (RunPython(PyObject_GetBuffer, object, &loan.view, PyBUF_SIMPLE) != 0) return false;
  loan.has_view = true;
  loan.bytes = {static_cast<const char*>(loan.view.buf), static_cast<size_t>(loan.view.len)};
  out->kind = LATHE_VALUE_BYTES;
  out->padding = 0;
  out->v_bytes = &loan.bytes;
  return true;
}

// A dict is an array of [key, value] to all code but Python, which gets a dict back. Its `drop`
// tells it from other arrays, because the calling convention has no kind of object for it.
void (*g_drop_array)(lathe_object*) = nullptr;  // set when the first dict is made
void DropDict(lathe_object* self) { g_drop_array(self); }

// Converts lists, tuples and dicts. The elements are owned, because arrays are immutable objects.
bool ArrayOf(PyObject* object, lathe_value* out) {
  // Versions of Python differ in how deeply C code may recurse. A list that contains itself must
  // end in an error.
  constexpr int kDeepest = 200;
  static thread_local int depth = 0;
  struct Level {
    Level() { ++depth; }
    ~Level() { --depth; }
  } const level;
  if (depth > kDeepest) {
    PyErr_Format(PyExc_RecursionError, "containers within each other, more than %d deep", kDeepest);
    return false;
  }
  PyRef items;
  if (PyDict_Check(object)) {
    items = PyRef(RunPython(PyDict_Items, object));
  } else {
    items = PyRef(RunPython(PySequence_Tuple, object));
  }
  if (!items) return false;
  const bool is_list = PyList_Check(items.get());
  const Py_ssize_t n = is_list ? PyList_Size(items.get()) : PyTuple_Size(items.get());
  std::vector<runtime::Value> values;
  values.reserve(static_cast<size_t>(n));
  for (Py_ssize_t i = 0; i < n; ++i) {
    PyObject* item = is_list ? PyList_GetItem(items.get(), i) : PyTuple_GetItem(items.get(), i);
    lathe_value value{};
    if (item == nullptr || !ToOwned(item, &value)) return false;
    values.push_back(runtime::Value::Adopt(value));
  }
  *out = runtime::ValueTraits<std::vector<runtime::Value>>::Own(std::move(values));
  if (PyDict_Check(object)) {
    g_drop_array = out->v_object->drop;
    out->v_object->drop = DropDict;
  }
  return true;
}

// NumPy's names of element types: a class such as numpy.float32, or a numpy.dtype. 1: converted,
// -1: a Python error, 0: neither.
int DTypeArgument(PyObject* object, lathe_value* out, Loans& loans) {
  const bool is_class = PyType_Check(object);
  LATHE_PY_NAME(kModule, "__module__");
  PyRef module(
      PyObject_GetAttr(is_class ? object : reinterpret_cast<PyObject*>(Py_TYPE(object)), kModule));
  const char* from = module && PyUnicode_Check(module.get())
                         ? PyUnicode_AsUTF8AndSize(module.get(), nullptr)
                         : nullptr;
  PyErr_Clear();
  if (from == nullptr ||
      !(std::string_view(from).starts_with("numpy") || std::string_view(from) == "ml_dtypes"))
    return 0;
  // Of other objects of NumPy's only a dtype has both.
  if (!is_class &&
      (!PyObject_HasAttrString(object, "itemsize") || !PyObject_HasAttrString(object, "char")))
    return 0;
  PyRef name(PyObject_GetAttrString(object, is_class ? "__name__" : "name"));
  if (!name || !PyUnicode_Check(name.get())) {
    PyErr_Clear();
    return 0;
  }
  const char* text = PyUnicode_AsUTF8AndSize(name.get(), nullptr);
  if (text == nullptr) return -1;
  DataType found;
  std::string spelled(text);
  if (spelled == "bool_") spelled = "bool";  // of NumPy before 2.0
  if (!DataType::Parse(spelled, &found)) return 0;
  Loan& loan = loans.Next();
  auto made = runtime::MakeStringObject(spelled);
  loan.object = reinterpret_cast<lathe_object*>(made.release());
  *out = OfObject(loan.object);
  return 1;
}

// numpy.bool_, which is a number of its own: neither a bool nor an index. 1: converted, -1: a
// Python error, 0: not one.
int NumPyBoolArgument(PyObject* object, lathe_value* out) {
  LATHE_PY_NAME(kModule, "__module__");
  LATHE_PY_NAME(kName, "__name__");
  PyObject* const type = reinterpret_cast<PyObject*>(Py_TYPE(object));
  const PyRef module(PyObject_GetAttr(type, kModule)), name(PyObject_GetAttr(type, kName));
  const auto is = [](const PyRef& text, const char* wanted) {
    return text && PyUnicode_Check(text.get()) &&
           PyUnicode_CompareWithASCIIString(text.get(), wanted) == 0;
  };
  PyErr_Clear();
  if (!is(module, "numpy") || !(is(name, "bool") || is(name, "bool_"))) return 0;
  const int truth = RunPython(PyObject_IsTrue, object);
  if (truth < 0) return -1;
  *out = Number(LATHE_VALUE_BOOL, truth);
  return 1;
}

// Handles what the type checks in ToArgument did not find: arrays of other libraries, other types
// of numbers, callables.
bool OtherArgument(PyObject* object, lathe_value* out, Loans& loans) {
  const int array = BorrowArray(object, out, loans);
  if (array != 0) return array > 0;
  LATHE_PY_NAME(kAsValue, "__lathe_value__");
  if (PyRef converted(PyObject_GetAttr(reinterpret_cast<PyObject*>(Py_TYPE(object)), kAsValue));
      converted) {
    PyRef made(RunPython(PyObject_CallMethodObjArgs, object, kAsValue, nullptr));
    if (!made) return false;
    Loan& loan = loans.Next();
    loan.keep = made.release();
    return ToArgument(loan.keep, out, loans);
  }
  PyErr_Clear();
  if (const int dtype = DTypeArgument(object, out, loans); dtype != 0) return dtype > 0;
  if (const int truth = NumPyBoolArgument(object, out); truth != 0) return truth > 0;
  if (PyIndex_Check(object)) {
    PyRef number(RunPython(PyNumber_Index, object));
    return number && IntArgument(number.get(), out);
  }
  if (PyCallable_Check(object) != 0) {
    Loan& loan = loans.Next();
    loan.object = FunctionFromCallable(object);
    *out = OfObject(loan.object);
    return loan.object != nullptr;
  }
  LATHE_PY_NAME(kFloat, "__float__");
  if (PyObject_HasAttr(reinterpret_cast<PyObject*>(Py_TYPE(object)), kFloat) != 0) {
    PyRef number(RunPython(PyNumber_Float, object));
    return number && FloatArgument(number.get(), out);
  }
  PyErr_Format(PyExc_TypeError,
               "cannot pass an object of type %R to a function of lathe\n  help: numbers, strings, "
               "bytes, arrays, functions, None, and lists and dicts of them can be passed",
               reinterpret_cast<PyObject*>(Py_TYPE(object)));
  return false;
}

PyObject* DTypeText(DLDataType dtype) {
  // A small cache: programs use few types very often.
  struct Cached {
    uint32_t bits;
    PyObject* text;
  };
  static Cached cache[16] = {};
  uint32_t bits = 0;
  std::memcpy(&bits, &dtype, sizeof(bits));
  Cached& slot = cache[(bits ^ (bits >> 7)) & 15];
  if (slot.text == nullptr || slot.bits != bits) {
    PyObject* made = Guarded<PyObject*>(nullptr, [&] {
      const std::string text = DataType(dtype).ToString();
      return PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size()));
    });
    if (made == nullptr) return nullptr;
    Py_XDECREF(slot.text);
    slot = {bits, made};
  }
  Py_INCREF(slot.text);
  return slot.text;
}

PyObject* DeviceOf(DLDevice packed) {
  const runtime::Device device = runtime::Device::FromPacked(packed);
  PyObject* made = PyType_GenericAlloc(g_types.device_class, 0);
  if (made == nullptr) return nullptr;
  auto* fields = reinterpret_cast<PyDevice*>(made);
  fields->kind = device.kind;
  fields->id = device.id;
  fields->session = device.session;
  return made;
}

PyObject* TextOf(const lathe_string& string) {
  return PyUnicode_DecodeUTF8(string.data, static_cast<Py_ssize_t>(string.size), "replace");
}

PyObject* FromDict(const std::vector<runtime::Value>& items) {
  PyRef dict(PyDict_New());
  if (!dict) return nullptr;
  for (const runtime::Value& item : items) {
    const std::vector<runtime::Value>& pair = *runtime::ArrayElements(item.c());
    PyRef key(FromBorrowed(pair.at(0).c()));
    PyRef value(FromBorrowed(pair.at(1).c()));
    if (!key || !value || RunPython(PyDict_SetItem, dict.get(), key.get(), value.get()) != 0)
      return nullptr;
  }
  return dict.release();
}

PyObject* FromArray(const std::vector<runtime::Value>& items) {
  PyRef tuple(PyTuple_New(static_cast<Py_ssize_t>(items.size())));
  if (!tuple) return nullptr;
  for (size_t i = 0; i < items.size(); ++i) {
    PyObject* item = FromBorrowed(items[i].c());
    if (item == nullptr || PyTuple_SetItem(tuple.get(), static_cast<Py_ssize_t>(i), item) != 0)
      return nullptr;
  }
  return tuple.release();
}

}  // namespace

void Loan::Return() {
  DropPython(std::exchange(keep, nullptr));
  if (object != nullptr) runtime::ReleaseObject(std::exchange(object, nullptr));
  if (managed != nullptr && managed->deleter != nullptr) managed->deleter(managed);
  managed = nullptr;
  if (has_view) RunPython(PyBuffer_Release, &view);
  has_view = false;
}

bool ToArgument(PyObject* object, lathe_value* out, Loans& loans) {
  PyTypeObject* type = Py_TYPE(object);
  if (type == g_types.tensor_class) {
    *out = OfObject(ObjectOf(object));
    return true;
  }
  // An exact type costs one comparison. Subclasses need a query of the type, further below.
  if (type == &PyLong_Type) return IntArgument(object, out);
  if (type == &PyFloat_Type) return FloatArgument(object, out);
  if (type == &PyUnicode_Type) return StringArgument(object, out, loans);
  if (object == Py_None) {
    *out = lathe_value{};
    return true;
  }
  if (type == &PyBool_Type) {
    *out = Number(LATHE_VALUE_BOOL, object == Py_True ? 1 : 0);
    return true;
  }
  if (type == &PyByteArray_Type) return ByteArrayArgument(object, out, loans);
  if (const int array = BorrowKnownArray(object, out, loans); array != 0) return array > 0;
  if (PyObject_TypeCheck(object, g_types.object)) {
    *out = OfObject(ObjectOf(object));
    return true;
  }
  if (PyList_Check(object) || PyTuple_Check(object) || PyDict_Check(object)) {
    if (!ArrayOf(object, out)) return false;
    loans.Next().object = out->v_object;
    return true;
  }
  if (PyLong_Check(object)) return IntArgument(object, out);
  if (PyUnicode_Check(object)) return StringArgument(object, out, loans);
  if (PyFloat_Check(object)) return FloatArgument(object, out);
  if (PyBytes_Check(object)) return BytesArgument(object, out, loans);
  if (PyByteArray_Check(object)) return ByteArrayArgument(object, out, loans);
  if (PyObject_TypeCheck(object, g_types.device)) {
    const auto* device = reinterpret_cast<PyDevice*>(object);
    *out = runtime::ValueTraits<runtime::Device>::Borrow(
        runtime::Device{device->kind, device->id, device->session});
    return true;
  }
  return OtherArgument(object, out, loans);
}

bool ToOwned(PyObject* object, lathe_value* out) {
  Loans loans;
  lathe_value borrowed{};
  if (!ToArgument(object, &borrowed, loans)) return false;
  if (borrowed.kind == LATHE_VALUE_DLTENSOR) {
    runtime::Tensor tensor = ShareArray(object);
    if (!tensor) return false;
    *out = runtime::ValueTraits<runtime::Tensor>::Own(std::move(tensor));
    return true;
  }
  if (borrowed.kind == LATHE_VALUE_OBJECT && borrowed.v_object != nullptr &&
      borrowed.v_object->kind == LATHE_OBJECT_TENSOR &&
      !MakeOwn(reinterpret_cast<lathe_tensor*>(borrowed.v_object)))
    return false;
  *out = runtime::Value::CopyOf(borrowed).release();
  return true;
}

PyObject* FromBorrowed(const lathe_value& value) {
  switch (value.kind) {
    case LATHE_VALUE_NONE:
      Py_RETURN_NONE;
    case LATHE_VALUE_INT:
      return PyLong_FromLongLong(value.v_int);
    case LATHE_VALUE_BOOL:
      return PyBool_FromLong(value.v_int != 0);
    case LATHE_VALUE_FLOAT:
      return PyFloat_FromDouble(value.v_float);
    case LATHE_VALUE_POINTER:
      return PyLong_FromVoidPtr(value.v_pointer);
    case LATHE_VALUE_DTYPE:
      return DTypeText(value.v_dtype);
    case LATHE_VALUE_DEVICE:
      return DeviceOf(value.v_device);
    case LATHE_VALUE_STRING:
      return PyUnicode_DecodeUTF8(value.v_string,
                                  static_cast<Py_ssize_t>(std::strlen(value.v_string)), "replace");
    case LATHE_VALUE_BYTES:
      return PyBytes_FromStringAndSize(value.v_bytes->data,
                                       static_cast<Py_ssize_t>(value.v_bytes->size));
    case LATHE_VALUE_DLTENSOR:
      // A result would outlive the owner of the memory. Arguments are lent by Borrowed instead.
      PyErr_SetString(PyExc_TypeError,
                      "a function returned a borrowed DLTensor\n  help: return a tensor, which "
                      "owns its memory");
      return nullptr;
    case LATHE_VALUE_OBJECT:
      break;
    default:
      PyErr_Format(PyExc_TypeError, "a value of unknown kind %d", value.kind);
      return nullptr;
  }
  if (value.v_object == nullptr) Py_RETURN_NONE;
  switch (value.v_object->kind) {
    case LATHE_OBJECT_STRING:
      return TextOf(*reinterpret_cast<const lathe_string*>(value.v_object));
    case LATHE_OBJECT_BYTES: {
      const auto* bytes = reinterpret_cast<const lathe_string*>(value.v_object);
      return PyBytes_FromStringAndSize(bytes->data, static_cast<Py_ssize_t>(bytes->size));
    }
    case LATHE_OBJECT_ARRAY:
      return value.v_object->drop == DropDict ? FromDict(*runtime::ArrayElements(value))
                                              : FromArray(*runtime::ArrayElements(value));
    default:
      runtime::RetainObject(value.v_object);
      return WrapObject(value.v_object);
  }
}

PyObject* FromOwned(lathe_value value) {
  if (value.kind != LATHE_VALUE_OBJECT || value.v_object == nullptr) return FromBorrowed(value);
  switch (value.v_object->kind) {
    case LATHE_OBJECT_STRING:
    case LATHE_OBJECT_BYTES:
    case LATHE_OBJECT_ARRAY: {
      PyObject* made = FromBorrowed(value);
      runtime::ReleaseObject(value.v_object);
      return made;
    }
    default:
      return WrapObject(value.v_object);
  }
}

}  // namespace lathe::python
