// Field: a property whose value comes from a packed function: function(object, index).
//
// The classes of IR nodes have one for each entry of a node's field list.
#include <cstddef>

#include "python/core/object.h"

namespace lathe::python {
namespace {

struct PyField {
  PyObject_HEAD PyObject* function;  // a Function
  int64_t index;
  PyObject* doc;
};

PyObject* New(PyTypeObject* type, PyObject* args, PyObject*) {
  PyObject *function = nullptr, *doc = nullptr;
  long long index = 0;
  if (!PyArg_ParseTuple(args, "OLO", &function, &index, &doc)) return nullptr;
  if (!PyObject_TypeCheck(function, g_types.function)) {
    PyErr_SetString(PyExc_TypeError, "a Function is needed");
    return nullptr;
  }
  PyObject* self = PyType_GenericAlloc(type, 0);
  if (self == nullptr) return nullptr;
  auto* field = reinterpret_cast<PyField*>(self);
  Py_INCREF(function);
  Py_INCREF(doc);
  field->function = function;
  field->index = index;
  field->doc = doc;
  return self;
}

void Dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  auto* field = reinterpret_cast<PyField*>(self);
  Py_XDECREF(field->function);
  Py_XDECREF(field->doc);
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(reinterpret_cast<PyObject*>(type));
}

PyObject* Get(PyObject* self, PyObject* instance, PyObject*) {
  if (instance == nullptr || instance == Py_None) {
    Py_INCREF(self);
    return self;
  }
  if (!PyObject_TypeCheck(instance, g_types.object)) {
    PyErr_SetString(PyExc_TypeError, "no object of lathe");
    return nullptr;
  }
  const auto* field = reinterpret_cast<PyField*>(self);
  auto* function = reinterpret_cast<lathe_function*>(ObjectOf(field->function));
  lathe_value args[2] = {};
  args[0].kind = LATHE_VALUE_OBJECT;
  args[0].v_object = ObjectOf(instance);
  args[1].kind = LATHE_VALUE_INT;
  args[1].v_int = field->index;
  lathe_value result{};
  if (function->call(function->self, args, 2, &result) == 0) return FromOwned(result);
  RaiseFromError(reinterpret_cast<lathe_error*>(result.v_object));
  return nullptr;
}

int Set(PyObject*, PyObject*, PyObject*) {
  PyErr_SetString(PyExc_AttributeError, "nodes are immutable");
  return -1;
}

PyMemberDef kMembers[] = {
    {"__doc__", T_OBJECT, offsetof(PyField, doc), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};
PyType_Slot kSlots[] = {
    {Py_tp_new, reinterpret_cast<void*>(New)},
    {Py_tp_dealloc, reinterpret_cast<void*>(Dealloc)},
    {Py_tp_descr_get, reinterpret_cast<void*>(Get)},
    {Py_tp_descr_set, reinterpret_cast<void*>(Set)},
    {Py_tp_members, kMembers},
    {0, nullptr},
};
PyType_Spec kSpec = {"lathe._core.Field", sizeof(PyField), 0, Py_TPFLAGS_DEFAULT, kSlots};

}  // namespace

bool AddFieldType(PyObject* module) { return AddType(module, &kSpec, nullptr, &g_types.field); }

}  // namespace lathe::python
