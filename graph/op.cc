// Attributes of operators, sets of types, and the checks of one call.
#include "graph/op.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <shared_mutex>

#include "base/error.h"
#include "graph/devices.h"
#include "graph/ops/families.h"
#include "graph/ops/gradients/gradients.h"
#include "graph/register_op.h"
#include "ir/names.h"
#include "ir/text/printer.h"

namespace lathe::graph {

using ir::As;
using ir::Expr;
using ir::NodeRef;

const char* OpKindName(OpKind kind) {
  switch (kind) {
    case OpKind::kElementwise:
      return "elementwise";
    case OpKind::kBroadcast:
      return "broadcast";
    case OpKind::kInjective:
      return "injective";
    case OpKind::kReduction:
      return "reduction";
    case OpKind::kAnchor:
      return "anchor";
    case OpKind::kOpaque:
      return "opaque";
  }
  return "?";
}

const char* AttrTypeName(AttrType type) {
  switch (type) {
    case AttrType::kInt:
      return "an integer";
    case AttrType::kFloat:
      return "a number";
    case AttrType::kBool:
      return "true or false";
    case AttrType::kString:
      return "a string";
    case AttrType::kDType:
      return "the name of an element type";
    case AttrType::kInts:
      return "a list of integers";
    case AttrType::kShape:
      return "a list of extents";
  }
  return "?";
}

NodeRef IntAttr(int64_t value) { return ir::Int(value, DataType::Int(64)); }
NodeRef FloatAttr(double value) { return ir::Float(value, DataType::Float(64)); }
NodeRef BoolAttr(bool value) { return ir::Bool(value); }
NodeRef StringAttr(std::string value) { return ir::String(std::move(value)); }

NodeRef IntsAttr(std::vector<int64_t> values) {
  std::vector<NodeRef> items;
  items.reserve(values.size());
  for (const int64_t value : values) items.push_back(IntAttr(value));
  return ir::MakeCall(DataType::Handle(), ir::kListOperand, std::move(items));
}

NodeRef ShapeAttr(std::vector<Expr> extents) {
  std::vector<NodeRef> items;
  items.reserve(extents.size());
  for (Expr& extent : extents) {
    items.emplace_back(ir::MakeCast(DataType::Int(64), std::move(extent)));
  }
  return ir::MakeCall(DataType::Handle(), ir::kListOperand, std::move(items));
}

// -- Reading attributes.

namespace {

// The items of a list; a value that is no list counts as a list of one.
std::vector<Expr> Items(const ir::Node& value) {
  const auto* list = As<ir::Call>(&value);
  if (list == nullptr || list->op != ir::kListOperand) {
    return {ir::RefExpr(NodeRef(&value))};
  }
  std::vector<Expr> items;
  items.reserve(list->args.size());
  for (size_t i = 0; i < list->args.size(); ++i) items.push_back(list->arg(i));
  return items;
}

bool IsInteger(const Expr& item) { return As<ir::IntImm>(item) != nullptr; }

// Why `value` is no value of `def`; "" if it is one.
std::string WhyNot(const AttrDef& def, const ir::Node& value) {
  const auto in_range = [&](const Expr& item) -> std::string {
    const int64_t number = static_cast<const ir::IntImm&>(*item).value;
    if (number >= def.least && number <= def.greatest) return "";
    return def.greatest == INT64_MAX
               ? "at least " + std::to_string(def.least)
               : std::to_string(def.least) + " to " + std::to_string(def.greatest);
  };
  const std::string kind = AttrTypeName(def.type);
  switch (def.type) {
    case AttrType::kInt: {
      const Expr item = ir::RefExpr(NodeRef(&value));
      if (!item || !IsInteger(item) || item->dtype.is_bool()) return kind;
      return in_range(item);
    }
    case AttrType::kFloat: {
      const auto* number = As<ir::IntImm>(&value);
      const bool fits =
          As<ir::FloatImm>(&value) != nullptr || (number != nullptr && !number->dtype.is_bool());
      return fits ? "" : kind;
    }
    case AttrType::kBool: {
      const auto* number = As<ir::IntImm>(&value);
      return number != nullptr && (number->value == 0 || number->value == 1) ? "" : kind;
    }
    case AttrType::kString: {
      const auto* text = As<ir::StringImm>(&value);
      if (text == nullptr) return kind;
      if (def.choices.empty() || std::ranges::count(def.choices, text->value) > 0) return "";
      return QuotedList(def.choices);
    }
    case AttrType::kDType: {
      const auto* text = As<ir::StringImm>(&value);
      DataType dtype;
      // "" stands for the type of the input.
      const bool fits =
          text != nullptr && (text->value.empty() || (DataType::Parse(text->value, &dtype) &&
                                                      dtype.is_scalar() && !dtype.is_handle()));
      return fits ? "" : kind;
    }
    case AttrType::kInts:
      for (const Expr& item : Items(value)) {
        if (!item || !IsInteger(item) || item->dtype.is_bool()) return kind;
        if (std::string range = in_range(item); !range.empty()) return range;
      }
      return "";
    case AttrType::kShape:
      for (const Expr& item : Items(value)) {
        if (!item || !item->dtype.is_int() || !item->dtype.is_scalar()) return kind;
      }
      return "";
  }
  return kind;
}

}  // namespace

const ir::Node& Attrs::Find(std::string_view name) const {
  const auto given = given_->find(name);
  if (given != given_->end()) return *given->second;
  for (const AttrDef& def : op_->attrs) {
    if (def.name == name && def.fallback) return *def.fallback;
  }
  LATHE_CHECK(false) << op_->name << " has no attribute " << name;
  __builtin_unreachable();
}

int64_t Attrs::Int(std::string_view name) const {
  return static_cast<const ir::IntImm&>(Find(name)).value;
}

double Attrs::Float(std::string_view name) const {
  const ir::Node& value = Find(name);
  if (const auto* number = As<ir::IntImm>(&value)) return static_cast<double>(number->value);
  return static_cast<const ir::FloatImm&>(value).value;
}

bool Attrs::Bool(std::string_view name) const { return Int(name) != 0; }

std::string Attrs::String(std::string_view name) const {
  return static_cast<const ir::StringImm&>(Find(name)).value;
}

DataType Attrs::Type(std::string_view name) const {
  DataType dtype = DataType::Void();
  DataType::Parse(String(name), &dtype);
  return dtype;
}

std::vector<int64_t> Attrs::Ints(std::string_view name) const {
  std::vector<int64_t> values;
  for (const Expr& item : Items(Find(name))) {
    values.push_back(static_cast<const ir::IntImm&>(*item).value);
  }
  return values;
}

std::vector<Expr> Attrs::Shape(std::string_view name) const { return Items(Find(name)); }

// -- Sets of types.

std::vector<DataType> TypesOf(TypeSet set) {
  std::vector<DataType> types;
  const auto add = [&](DataType dtype) {
    if (std::ranges::count(types, dtype) == 0) types.push_back(dtype);
  };
  if (set & kFloats) {
    add(DataType::Float(32));
    add(DataType::Float(64));
    add(DataType::Float(16));
    add(DataType::BFloat16());
  }
  for (const int bits : {8, 16, 32, 64}) {
    if (set & kInts) add(DataType::Int(bits));
    if (set & kUInts) add(DataType::UInt(bits));
  }
  if (set & kIndices) {
    add(DataType::Int(32));
    add(DataType::Int(64));
  }
  if (set & kBool) add(DataType::Bool());
  return types;
}

std::string TypeSetText(TypeSet set) {
  std::vector<std::string> parts;
  if (set & kFloats) parts.emplace_back("a floating type");
  if ((set & kIntegers) == kIntegers) {
    parts.emplace_back("an integer type");
  } else if (set & kInts) {
    parts.emplace_back("a signed integer type");
  } else if (set & kUInts) {
    parts.emplace_back("an unsigned integer type");
  }
  if ((set & kIndices) && !(set & kInts)) parts.emplace_back("int32 or int64");
  if (set & kBool) parts.emplace_back("bool");
  std::string text;
  for (size_t i = 0; i < parts.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == parts.size() ? " or " : ", ") + parts[i];
  }
  return text;
}

// -- The operators.

namespace {

using OpTable = std::map<std::string, OpDef, std::less<>>;

const OpTable& Table() {
  static const OpTable table = [] {
    OpTable ops;
    const auto add = [&](std::vector<OpDef> family) {
      for (OpDef& op : family) {
        const std::string name = op.name;
        const bool is_new = ops.emplace(name, std::move(op)).second;
        LATHE_CHECK(is_new) << "two operators are called " << name;
      }
    };
#define LATHE_OP_FAMILY(name) add(ops::name());
#include "graph/ops/ops.def"
#undef LATHE_OP_FAMILY
    for (auto& [name, gradient] : ops::AllGradients()) {
      const auto at = ops.find(name);
      LATHE_CHECK(at != ops.end() && !at->second.gradient) << "the gradient of " << name;
      at->second.gradient = std::move(gradient);
    }
    return ops;
  }();
  return table;
}

// Operators that programs added. Entries never go away, and a map does not move them.
struct AddedOps {
  std::shared_mutex mutex;
  OpTable table;
};

AddedOps& Added() {
  static auto* added = new AddedOps();  // kept until the process ends
  return *added;
}

}  // namespace

const OpDef* FindOp(std::string_view name) {
  const auto at = Table().find(name);
  if (at != Table().end()) return &at->second;
  AddedOps& added = Added();
  const std::shared_lock lock(added.mutex);
  const auto found = added.table.find(name);
  return found == added.table.end() ? nullptr : &found->second;
}

const OpDef& RegisterOp(OpDef op) {
  const std::string name = op.name;
  AddedOps& added = Added();
  const std::unique_lock lock(added.mutex);
  if (!Table().contains(name)) {
    const auto [at, is_new] = added.table.emplace(name, std::move(op));
    if (is_new) return at->second;
  }
  throw Error(Diagnostic{.name = "graph-operator-twice",
                         .message = "there is an operator `" + name + "` already",
                         .expected = "a new name, such as \"mine." + name + "\"",
                         .found = "`" + name + "`"});
}

const OpDef& GetOp(std::string_view name) {
  if (const OpDef* op = FindOp(name)) return *op;
  std::vector<std::string> known;
  for (const OpDef* op : AllOps()) known.push_back(op->name);
  const std::vector<std::string> nearest = NearestNames(name, known);
  throw Error(Diagnostic{
      .name = "graph-unknown-op",
      .message = "there is no operator `" + std::string(name) + "`",
      .expected = nearest.empty() ? "a known operator"
                                  : "a known operator; the nearest are " + QuotedList(nearest),
      .found = "`" + std::string(name) + "`"});
}

std::span<const OpDef* const> AllOps() {
  static const std::vector<const OpDef*> all = [] {
    std::vector<const OpDef*> ops;
    for (const auto& [name, op] : Table()) ops.push_back(&op);
    return ops;
  }();
  return all;
}

void CheckCall(const OpDef& op, size_t args, const ir::Dict& attrs) {
  const size_t most = op.inputs.size();
  const size_t least = most - static_cast<size_t>(op.optional_inputs);
  if (args < least || (args > most && !op.variadic)) {
    std::string expected = least == most ? std::to_string(least)
                                         : std::to_string(least) + " to " + std::to_string(most);
    if (op.variadic) expected = "at least " + std::to_string(least);
    std::string names;
    for (const OpInput& input : op.inputs) names += (names.empty() ? "" : ", ") + input.name;
    throw Error(Diagnostic{.name = "graph-argument-count",
                           .message = op.name + " is called with the wrong number of arguments",
                           .expected = expected + " (" + names + ")",
                           .found = std::to_string(args)});
  }
  for (const auto& [name, value] : attrs) {
    const auto def = std::ranges::find(op.attrs, name, &AttrDef::name);
    if (def == op.attrs.end() && name == kDeviceAttr && ir::As<ir::StringImm>(value) != nullptr)
      continue;
    if (def == op.attrs.end()) {
      std::vector<std::string> known;
      for (const AttrDef& attr : op.attrs) known.push_back(attr.name);
      throw Error(
          Diagnostic{.name = "graph-unknown-attribute",
                     .message = op.name + " has no attribute `" + name + "`",
                     .expected = known.empty() ? "no attributes" : "one of " + QuotedList(known),
                     .found = "`" + name + "`"});
    }
    const std::string why = value ? WhyNot(*def, *value) : AttrTypeName(def->type);
    if (why.empty()) continue;
    throw Error(Diagnostic{.name = "graph-attribute",
                           .message = "attribute `" + name + "` of " + op.name + " does not fit",
                           .expected = why,
                           .found = value ? ir::ToText(value) : "nothing"});
  }
  for (const AttrDef& def : op.attrs) {
    if (def.fallback || attrs.contains(def.name)) continue;
    throw Error(Diagnostic{.name = "graph-attribute",
                           .message = "attribute `" + def.name + "` of " + op.name + " is missing",
                           .expected = AttrTypeName(def.type),
                           .found = "nothing"});
  }
}

}  // namespace lathe::graph
