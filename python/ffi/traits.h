// The conversion of the compiler's types to and from tagged values: nodes, lists, attributes, and
// boxes around objects that are not nodes (schedules, stages, targets).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ir/module.h"
#include "ir/tensor_op.h"
#include "runtime/function.h"
#include "runtime/value.h"

namespace lathe::python {

// The object kinds of this process's Python package, in addition to those of nodes (abi/value.h).
// They are never passed to a plugin.
enum BoxKind : uint32_t {
  kScheduleBox = 1024,
  kStageBox = 1025,
  kGroupBox = 1026,
  kTargetBox = 1027,
  kAnalyzerBox = 1028,
  kBoundsBox = 1029,
  kSessionBox = 1030,
  // 1031 and 1032 are values of graphs (runtime/graph/vm/values.h).
  kServerBox = 1033,
  kTrackerBox = 1034,
  kProxyBox = 1035,
  kSpaceBox = 1036,
  kTunerBox = 1037,
  kRunArgumentsBox = 1038,
  kMeasurerBox = 1039,
  kRecordsBox = 1040,
  kTaskSchedulerBox = 1041,
};

// Holds a T that is not an object itself.
template <class T, uint32_t box_kind>
struct Box : Object {
  Box() : Object(box_kind) {}
  explicit Box(T item) : Object(box_kind), item(std::move(item)) {}
  static constexpr uint32_t kKind = box_kind;
  T item;
};

// A parameter that may be NONE. OrNull gives its value, or null for NONE.
template <class T>
using Maybe = std::optional<T>;
template <class T>
T OrNull(const Maybe<T>& item) {
  return item.value_or(T());
}

// A parameter that takes any value.
struct Any : runtime::Value {
  Any() = default;
  explicit Any(Value value) : Value(std::move(value)) {}
};

// The node in a value; null if it holds none.
inline const ir::Node* NodeOf(const lathe_value& value) {
  if (value.kind != LATHE_VALUE_OBJECT || value.v_object == nullptr) return nullptr;
  const uint32_t kind = value.v_object->kind;
  if (kind < LATHE_OBJECT_NODE || kind >= kScheduleBox) return nullptr;
  return static_cast<const ir::Node*>(static_cast<const Object*>(value.v_object));
}

inline lathe_value BorrowNode(const Object* node) {
  return runtime::internal::ObjectValue(static_cast<lathe_object*>(const_cast<Object*>(node)));
}

// Converts a value to an expression: an expression, an iteration variable (gives its variable), a
// number (int32, or int64 if it does not fit; float32; bool), a string. Null for other values.
ir::Expr ExprOf(const lathe_value& value);
// The same, but a number takes the type `like` if that type can hold it.
ir::Expr ExprLike(const lathe_value& value, DataType like);

}  // namespace lathe::python

namespace lathe::runtime {

// Handles of nodes. A base class accepts all its derived nodes. NONE is accepted only for a
// Maybe<>. A null result becomes NONE.
template <class T>
  requires std::derived_from<T, ir::Node>
struct ValueTraits<Ref<const T>> {
  static std::string Name() {
    if constexpr (std::same_as<T, ir::Node>) {
      return "node";
    } else if constexpr (std::same_as<T, ir::ExprNode>) {
      return "expression";
    } else if constexpr (std::same_as<T, ir::StmtNode>) {
      return "statement";
    } else if constexpr (std::same_as<T, ir::OpNode>) {
      return "operation";
    } else {
      return ir::NodeKindName(ir::KindOf<T>::kValue);
    }
  }
  static Conversion Get(const lathe_value& value, Ref<const T>* out) {
    *out = nullptr;
    if (value.kind == LATHE_VALUE_NONE) return Conversion::kWrongKind;
    const ir::Node* node = python::NodeOf(value);
    if constexpr (std::same_as<T, ir::Node>) {
      if (node != nullptr) {
        *out = Ref<const T>(node);
      } else {
        *out = python::ExprOf(value);
      }
    } else if constexpr (std::same_as<T, ir::ExprNode>) {
      *out = python::ExprOf(value);
    } else if constexpr (std::same_as<T, ir::StmtNode>) {
      if (ir::IsStmt(node)) *out = Ref<const T>(static_cast<const T*>(node));
    } else if constexpr (std::same_as<T, ir::OpNode>) {
      if (ir::IsOp(node)) *out = Ref<const T>(static_cast<const T*>(node));
    } else {
      *out = Ref<const T>(ir::As<T>(node));
      // An axis stands for its variable.
      if constexpr (std::same_as<T, ir::VarNode>) {
        if (const auto* axis = ir::As<ir::IterVarNode>(node)) *out = axis->var;
      }
    }
    return *out ? Conversion::kOk : Conversion::kWrongKind;
  }
  static lathe_value Borrow(const Ref<const T>& item) { return python::BorrowNode(item.get()); }
  static lathe_value Own(Ref<const T> item) { return python::BorrowNode(item.release()); }
};

template <class T, uint32_t kind>
struct ValueTraits<Ref<python::Box<T, kind>>> {
  static std::string Name() {
    switch (kind) {
      case python::kScheduleBox:
        return "Schedule";
      case python::kStageBox:
        return "Stage";
      case python::kGroupBox:
        return "Group";
      case python::kTargetBox:
        return "Target";
      case python::kAnalyzerBox:
        return "Analyzer";
      case python::kSessionBox:
        return "session";
      default:
        return "Bounds";
    }
  }
  static Conversion Get(const lathe_value& value, Ref<python::Box<T, kind>>* out) {
    if (value.kind != LATHE_VALUE_OBJECT || value.v_object == nullptr ||
        value.v_object->kind != kind)
      return Conversion::kWrongKind;
    *out = Ref<python::Box<T, kind>>(
        static_cast<python::Box<T, kind>*>(static_cast<Object*>(value.v_object)));
    return Conversion::kOk;
  }
  static lathe_value Borrow(const Ref<python::Box<T, kind>>& item) {
    return python::BorrowNode(item.get());
  }
  static lathe_value Own(Ref<python::Box<T, kind>> item) {
    return python::BorrowNode(item.release());
  }
};

template <>
struct ValueTraits<python::Any> {
  static std::string Name() { return "value"; }
  static Conversion Get(const lathe_value& value, python::Any* out) {
    *out = python::Any(Value::CopyOf(value));
    return Conversion::kOk;
  }
  static lathe_value Own(python::Any item) { return item.release(); }
};

// Arrays, converted element by element. A single element is not accepted as an array.
template <class T>
  requires(Convertible<T> && !std::same_as<T, Value> && !std::same_as<T, python::Any>)
struct ValueTraits<std::vector<T>> {
  static std::string Name() { return "list of " + ValueTraits<T>::Name(); }
  static Conversion Get(const lathe_value& value, std::vector<T>* out) {
    out->clear();
    const std::vector<Value>* items = ArrayElements(value);
    if (items == nullptr) return Conversion::kWrongKind;
    out->reserve(items->size());
    for (const Value& item : *items) {
      T element{};
      const Conversion conversion = ValueTraits<T>::Get(item.c(), &element);
      if (conversion != Conversion::kOk) return conversion;
      if constexpr (requires { element.get(); }) {
        if (!element) return Conversion::kWrongKind;
      }
      out->push_back(std::move(element));
    }
    return Conversion::kOk;
  }
  static lathe_value Own(std::vector<T> items) {
    std::vector<Value> values;
    values.reserve(items.size());
    for (T& item : items) values.emplace_back(std::move(item));
    return ValueTraits<std::vector<Value>>::Own(std::move(values));
  }
};

// Attributes: an array of [key, value].
template <>
struct ValueTraits<ir::Dict> {
  static std::string Name() { return "dict of nodes"; }
  static Conversion Get(const lathe_value& value, ir::Dict* out);
  static lathe_value Own(const ir::Dict& items);
};

}  // namespace lathe::runtime
