#include "python/core/object.h"

#include <cstdint>

#include "runtime/object_ref.h"

namespace lathe::python {

CoreTypes g_types;

void DeallocHandle(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  runtime::ReleaseObject(ObjectOf(self));
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(reinterpret_cast<PyObject*>(type));
}

namespace {

// The registered class of each object kind; null: the plain Object.
std::vector<PyTypeObject*>& Classes() {
  static auto* classes = new std::vector<PyTypeObject*>();
  return *classes;
}

PyTypeObject* ClassOf(uint32_t kind) {
  const std::vector<PyTypeObject*>& classes = Classes();
  if (kind < classes.size() && classes[kind] != nullptr) return classes[kind];
  if (kind == LATHE_OBJECT_FUNCTION) return g_types.function;
  if (kind == LATHE_OBJECT_TENSOR) return g_types.tensor;
  if (kind == LATHE_OBJECT_MODULE) return g_types.module;
  return g_types.object;
}

Py_hash_t Hash(PyObject* self) {
  const auto bits = reinterpret_cast<uintptr_t>(ObjectOf(self));
  const auto hash = static_cast<Py_hash_t>((bits >> 4) | (bits << 60));
  return hash == -1 ? -2 : hash;
}

PyObject* Compare(PyObject* self, PyObject* other, int op) {
  if ((op != Py_EQ && op != Py_NE) || !PyObject_TypeCheck(other, g_types.object))
    Py_RETURN_NOTIMPLEMENTED;
  const bool same = ObjectOf(self) == ObjectOf(other);
  return PyBool_FromLong(same == (op == Py_EQ));
}

PyObject* SameAs(PyObject* self, PyObject* other) {
  return PyBool_FromLong(PyObject_TypeCheck(other, g_types.object) &&
                         ObjectOf(self) == ObjectOf(other));
}

PyObject* NewRefused(PyTypeObject* type, PyObject*, PyObject*) {
  PyRef name(PyObject_GetAttrString(reinterpret_cast<PyObject*>(type), "__name__"));
  PyErr_Format(PyExc_TypeError,
               "%S objects are made by functions of lathe, not by calling the class", name.get());
  return nullptr;
}

PyObject* Address(PyObject* self, void*) { return PyLong_FromVoidPtr(ObjectOf(self)); }
PyObject* Kind(PyObject* self, void*) {
  return PyLong_FromUnsignedLong(ObjectOf(self) == nullptr ? 0 : ObjectOf(self)->kind);
}

PyMethodDef kMethods[] = {
    {"same_as", SameAs, METH_O, "same_as(other) -> bool\n\nDo both stand for the same object?"},
    {nullptr, nullptr, 0, nullptr},
};
PyGetSetDef kGetSet[] = {
    {"handle", Address, nullptr, "The address of the C++ object, for debugging.", nullptr},
    {"_object_kind", Kind, nullptr, "The number of its kind.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};
PyType_Slot kSlots[] = {
    {Py_tp_doc, const_cast<char*>("A handle of a C++ object, compared and hashed by identity.")},
    {Py_tp_dealloc, reinterpret_cast<void*>(DeallocHandle)},
    {Py_tp_hash, reinterpret_cast<void*>(Hash)},
    {Py_tp_richcompare, reinterpret_cast<void*>(Compare)},
    {Py_tp_new, reinterpret_cast<void*>(NewRefused)},
    {Py_tp_methods, kMethods},
    {Py_tp_getset, kGetSet},
    {0, nullptr},
};
PyType_Spec kSpec = {"lathe._core.Object", sizeof(PyHandle), 0,
                     Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, kSlots};

PyObject* DeviceNew(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"kind", "id", "session", nullptr};
  int kind = 0, id = 0, session = 0;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "i|ii", const_cast<char**>(names), &kind, &id,
                                   &session))
    return nullptr;
  // The limit of the packed form. A larger number would name another device.
  constexpr int kMost = 65535;
  if (kind < 0 || kind > kMost || id < 0 || id > kMost || session < 0 || session > kMost) {
    PyErr_Format(PyExc_ValueError,
                 "there is no device of kind %d, number %d, session %d\n  expected: each from 0 to "
                 "%d",
                 kind, id, session, kMost);
    return nullptr;
  }
  PyObject* self = PyType_GenericAlloc(type, 0);
  if (self == nullptr) return nullptr;
  auto* device = reinterpret_cast<PyDevice*>(self);
  device->kind = kind;
  device->id = id;
  device->session = session;
  return self;
}

void PlainDealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(reinterpret_cast<PyObject*>(type));
}

Py_hash_t DeviceHash(PyObject* self) {
  const auto* device = reinterpret_cast<PyDevice*>(self);
  return device->kind * 1000003 + device->id * 101 + device->session;
}

PyObject* DeviceCompare(PyObject* a, PyObject* b, int op) {
  if ((op != Py_EQ && op != Py_NE) || !PyObject_TypeCheck(b, g_types.device))
    Py_RETURN_NOTIMPLEMENTED;
  const auto *x = reinterpret_cast<PyDevice*>(a), *y = reinterpret_cast<PyDevice*>(b);
  const bool same = x->kind == y->kind && x->id == y->id && x->session == y->session;
  return PyBool_FromLong(same == (op == Py_EQ));
}

PyMemberDef kDeviceMembers[] = {
    {"device_type", T_INT, offsetof(PyDevice, kind), READONLY,
     "The number of its kind (DLPack's)."},
    {"device_id", T_INT, offsetof(PyDevice, id), READONLY, "Which device of the kind."},
    {"session", T_INT, offsetof(PyDevice, session), READONLY, "0: this process."},
    {nullptr, 0, 0, 0, nullptr},
};
PyType_Slot kDeviceSlots[] = {
    {Py_tp_doc, const_cast<char*>("Which memory and which processor.")},
    {Py_tp_new, reinterpret_cast<void*>(DeviceNew)},
    {Py_tp_dealloc, reinterpret_cast<void*>(PlainDealloc)},
    {Py_tp_hash, reinterpret_cast<void*>(DeviceHash)},
    {Py_tp_richcompare, reinterpret_cast<void*>(DeviceCompare)},
    {Py_tp_members, kDeviceMembers},
    {0, nullptr},
};
PyType_Spec kDeviceSpec = {"lathe._core.Device", sizeof(PyDevice), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, kDeviceSlots};

}  // namespace

bool AddType(PyObject* module, PyType_Spec* spec, PyObject* base, PyTypeObject** out) {
  PyObject* bases = base == nullptr ? nullptr : PyTuple_Pack(1, base);
  PyObject* type = PyType_FromSpecWithBases(spec, bases);
  Py_XDECREF(bases);
  if (type == nullptr) return false;
  *out = reinterpret_cast<PyTypeObject*>(type);
  const char* dot = spec->name;
  for (const char* at = spec->name; *at != '\0'; ++at) {
    if (*at == '.') dot = at + 1;
  }
  Py_INCREF(type);
  return PyModule_AddObject(module, dot, type) == 0;
}

bool AddObjectType(PyObject* module) { return AddType(module, &kSpec, nullptr, &g_types.object); }
bool AddDeviceType(PyObject* module) {
  if (!AddType(module, &kDeviceSpec, nullptr, &g_types.device)) return false;
  g_types.device_class = g_types.device;
  return true;
}

bool RegisterClass(uint32_t kind, PyTypeObject* type) {
  constexpr uint32_t kMost = 4096;
  if (kind >= kMost) {
    PyErr_SetString(PyExc_ValueError, "no such object kind");
    return false;
  }
  std::vector<PyTypeObject*>& classes = Classes();
  const bool has_room = Guarded(false, [&] {
    if (kind >= classes.size()) classes.resize(kind + 1);
    return true;
  });
  if (!has_room) return false;
  Py_INCREF(reinterpret_cast<PyObject*>(type));
  classes[kind] = type;
  if (kind == LATHE_OBJECT_TENSOR) g_types.tensor_class = type;
  return true;
}

PyObject* WrapObject(lathe_object* owned) {
  if (owned == nullptr) Py_RETURN_NONE;
  PyObject* self = PyType_GenericAlloc(ClassOf(owned->kind), 0);
  if (self == nullptr) {
    runtime::ReleaseObject(owned);
    return nullptr;
  }
  reinterpret_cast<PyHandle*>(self)->object = owned;
  if (owned->kind == LATHE_OBJECT_FUNCTION) {
    auto* const handle = reinterpret_cast<PyFunctionHandle*>(self);
    handle->vectorcall = FunctionVectorcall();
    // Of a session, for example: it waits for the far side, and for other threads here.
    handle->release_gil = !IsPythonFunction(*reinterpret_cast<const lathe_function*>(owned));
  } else if (owned->kind == LATHE_OBJECT_MODULE) {
    reinterpret_cast<PyModuleHandle*>(self)->vectorcall = ModuleVectorcall();
  }
  return self;
}

}  // namespace lathe::python
