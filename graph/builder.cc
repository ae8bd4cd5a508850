#include "graph/builder.h"

#include <algorithm>
#include <cstring>
#include <unordered_set>

#include "base/blob.h"
#include "base/error.h"
#include "base/float_formats.h"
#include "graph/datatypes.h"
#include "graph/devices.h"
#include "graph/sizes.h"
#include "ir/rewrite.h"
#include "ir/text/printer.h"
#include "ir/walk.h"

namespace lathe::graph {

using ir::As;
using ir::GraphVar;
using ir::NodeRef;
using ir::RefAs;

namespace {

[[noreturn]] void FailType(std::string message, std::string expected = "", std::string found = "",
                           std::string help = "") {
  throw Error(Diagnostic{.name = "graph-type",
                         .message = std::move(message),
                         .expected = std::move(expected),
                         .found = std::move(found),
                         .help = std::move(help)});
}

// The binding as text, for a note. An `if` or a loop may be long.
std::string Excerpt(const NodeRef& value, const std::string& name) {
  constexpr size_t kMost = 2000;
  try {
    const NodeRef binding = ir::Bind(ir::MakeGraphVar(name), value);
    std::string text = ir::ToText(binding, {.max_data = 0, .max_bytes = 1 << 20});
    while (text.ends_with('\n')) text.pop_back();
    if (text.size() > kMost) text = text.substr(0, kMost) + " ...";
    return text;
  } catch (const Error&) {
    return std::string("a ") + ir::NodeKindName(value->node_kind());
  }
}

// The elements of a small integer constant; nothing for others.
constexpr size_t kMostKnownElements = 64;
std::optional<std::vector<ir::Expr>> ElementsOf(const ir::Constant& constant) {
  const DataType dtype = constant.dtype;
  if (!(dtype.is_int() || dtype.is_uint()) || dtype.lanes() != 1 || dtype.bits() < 8)
    return std::nullopt;
  const auto width = static_cast<size_t>(dtype.bytes());
  const std::string_view bytes = constant.data->bytes();
  if (bytes.size() / width > kMostKnownElements) return std::nullopt;
  std::vector<ir::Expr> elements;
  for (size_t at = 0; at + width <= bytes.size(); at += width) {
    uint64_t bits = 0;
    std::memcpy(&bits, bytes.data() + at, width);
    const int unused = 64 - dtype.bits();
    const auto wide = static_cast<int64_t>(bits << unused) >> unused;
    const int64_t value = dtype.is_uint() ? static_cast<int64_t>(bits) : wide;
    if (dtype.is_uint() && value < 0) return std::nullopt;
    elements.push_back(Int64(value));
  }
  return elements;
}

const NodeRef& TypeOfVar(const GraphVar& var) {
  if (!var->type) {
    FailType("the variable `%" + var->name + "` has no type", "a variable of this builder",
             "one that was not inferred", "call InferTypes first");
  }
  return var->type;
}

std::vector<NodeRef> TypesOf(const std::vector<GraphVar>& vars) {
  std::vector<NodeRef> types;
  types.reserve(vars.size());
  for (const GraphVar& var : vars) types.push_back(TypeOfVar(var));
  return types;
}

NodeRef TupleOf(std::vector<NodeRef> fields) {
  Ref<ir::TupleType> type = Make<ir::TupleType>();
  type->fields = std::move(fields);
  return type;
}

NodeRef FuncTypeOf(const ir::GraphFunc& func) {
  Ref<ir::FuncType> type = Make<ir::FuncType>();
  type->params = TypesOf(func.params);
  type->result = func.result_type ? func.result_type : TypeOfVar(func.body->result);
  return type;
}

// Binds the sizes of a function to the extents of the arguments, in the order of the parameters.
class SizeBinder {
 public:
  explicit SizeBinder(const std::vector<ir::Var>& sizes) {
    for (const ir::Var& size : sizes) free_.insert(size.get());
  }
  // False if the types cannot agree.
  bool Match(const NodeRef& param, const NodeRef& arg) {
    std::vector<std::pair<const ir::Node*, const ir::Node*>> work{{param.get(), arg.get()}};
    while (!work.empty()) {
      const auto [p, a] = work.back();
      work.pop_back();
      if (p->node_kind() != a->node_kind()) return false;
      if (const auto* tuple = As<ir::TupleType>(p)) {
        const auto* other = As<ir::TupleType>(a);
        if (tuple->fields.size() != other->fields.size()) return false;
        for (size_t i = tuple->fields.size(); i-- > 0;) {
          work.emplace_back(tuple->fields[i].get(), other->fields[i].get());
        }
        continue;
      }
      if (const auto* func = As<ir::FuncType>(p)) {
        const auto* other = As<ir::FuncType>(a);
        if (func->params.size() != other->params.size()) return false;
        work.emplace_back(func->result.get(), other->result.get());
        for (size_t i = func->params.size(); i-- > 0;) {
          work.emplace_back(func->params[i].get(), other->params[i].get());
        }
        continue;
      }
      const auto* tensor = As<ir::TensorType>(p);
      if (tensor == nullptr) {
        if (!SameType(NodeRef(p), NodeRef(a))) return false;
        continue;
      }
      const auto* other = As<ir::TensorType>(a);
      if (tensor->dtype != other->dtype || tensor->shape.size() != other->shape.size())
        return false;
      for (size_t i = 0; i < tensor->shape.size(); ++i) {
        const ir::Var size = RefAs<ir::VarNode>(tensor->shape[i]);
        if (size && free_.contains(size.get())) {
          bound_.try_emplace(size, other->shape[i]);
          if (!SameExtent(bound_.at(size), other->shape[i])) return false;
        } else if (!SameExtent(ir::Substitute(tensor->shape[i], bound_), other->shape[i])) {
          return false;
        }
      }
    }
    return true;
  }
  const ir::VarMap& bound() const { return bound_; }
  NodeRef Apply(const NodeRef& type) const {
    if (bound_.empty()) return type;
    return ir::Rewrite(Ref<const ir::Node>(type), [this](const ir::VarNode& var) -> NodeRef {
      auto at = bound_.find(ir::Var(&var));
      return at == bound_.end() ? NodeRef() : NodeRef(at->second);
    });
  }

 private:
  std::unordered_set<const ir::Node*> free_;
  ir::VarMap bound_;
};

std::string ArgumentText(size_t i, const std::string& callee) {
  return "argument " + std::to_string(i) + " of " + callee + " has the wrong type";
}

// The type of a call's result, with new sizes for those that only the function called knows.
TypeResult WithSizesOfCall(const NodeRef& type, const ir::VarMap& bound) {
  TypeResult result(type);
  ir::VarMap sizes = bound;
  for (const ir::Var& size : ir::FreeVars(type)) {
    if (sizes.contains(size)) continue;
    result.sizes.push_back(ir::MakeGraphSize(size->name));
    sizes.emplace(size, result.sizes.back());
  }
  if (sizes.empty()) return result;
  result.type = ir::Rewrite(Ref<const ir::Node>(type), [&](const ir::VarNode& var) -> NodeRef {
    const auto at = sizes.find(ir::Var(&var));
    return at == sizes.end() ? NodeRef() : NodeRef(at->second);
  });
  return result;
}

TypeResult TypeOfInvoke(const ir::GraphInvoke& invoke, const ir::GraphModule& module) {
  std::vector<NodeRef> params;
  NodeRef result;
  std::vector<ir::Var> sizes;
  std::string callee;
  if (invoke.callee) {
    callee = "`%" + invoke.callee->name + "`";
    const auto* type = As<ir::FuncType>(TypeOfVar(invoke.callee));
    if (type == nullptr) {
      FailType(callee + " is called", "a function", TypeText(invoke.callee->type));
    }
    params = type->params;
    result = type->result;
  } else {
    callee = "`@" + invoke.global + "`";
    const ir::GraphFunc* func = nullptr;
    if (module) {
      for (const GraphFuncRef& f : module->functions) {
        if (f->name == invoke.global) func = f.get();
      }
    }
    if (func == nullptr) FailType("the module has no function " + callee);
    if (!func->result_type) {
      FailType("the result's type of " + callee + " is not known here", "a function with a type",
               "", "state it: `graph " + invoke.global + "(...) -> TYPE`");
    }
    params = TypesOf(func->params);
    result = func->result_type;
    sizes = func->sizes;
  }
  if (params.size() != invoke.args.size()) {
    FailType(callee + " is called with the wrong number of arguments",
             std::to_string(params.size()), std::to_string(invoke.args.size()));
  }
  SizeBinder binder(sizes);
  for (size_t i = 0; i < params.size(); ++i) {
    const NodeRef& found = TypeOfVar(invoke.args[i]);
    if (!binder.Match(params[i], found)) {
      FailType(ArgumentText(i, callee), TypeText(params[i]), TypeText(found));
    }
  }
  // The type of a function that is a value may use sizes of the blocks around it.
  if (invoke.callee) return binder.Apply(result);
  return WithSizesOfCall(result, binder.bound());
}

// -- Values that come from one of several places: arms of an `if`, cases of a match.

using Extents = std::vector<ir::Expr>;

bool AllAre(const std::vector<NodeRef>& types, ir::NodeKind kind) {
  return std::ranges::all_of(types, [&](const NodeRef& type) { return type->node_kind() == kind; });
}

bool SameExtents(const Extents& a, const Extents& b) {
  return std::ranges::equal(a, b, SameExtent);
}

class Joiner {
 public:
  // Null if there is no type for all.
  NodeRef Join(const std::vector<NodeRef>& types) {
    const NodeRef& first = types.front();
    if (AllAre(types, ir::NodeKind::kTupleType)) return Tuple(types);
    if (AllAre(types, ir::NodeKind::kTensorType)) return Tensor(types);
    const bool same =
        std::ranges::all_of(types, [&](const NodeRef& type) { return SameType(first, type); });
    return same ? first : NodeRef();
  }
  std::vector<ir::Var> TakeSizes() { return std::move(sizes_); }

 private:
  NodeRef Tuple(const std::vector<NodeRef>& types) {
    const auto fields = [](const NodeRef& type) -> const std::vector<NodeRef>& {
      return static_cast<const ir::TupleType&>(*type).fields;
    };
    Ref<ir::TupleType> made = Make<ir::TupleType>();
    for (size_t i = 0; i < fields(types.front()).size(); ++i) {
      std::vector<NodeRef> parts;
      for (const NodeRef& type : types) {
        if (fields(type).size() != fields(types.front()).size()) return nullptr;
        parts.push_back(fields(type)[i]);
      }
      made->fields.push_back(Join(parts));
      if (!made->fields.back()) return nullptr;
    }
    return made;
  }

  NodeRef Tensor(const std::vector<NodeRef>& types) {
    const auto tensor = [](const NodeRef& type) -> const ir::TensorType& {
      return static_cast<const ir::TensorType&>(*type);
    };
    const ir::TensorType& first = tensor(types.front());
    Ref<ir::TensorType> made = CopyOf(first);
    for (const NodeRef& type : types) {
      if (tensor(type).dtype != first.dtype || tensor(type).shape.size() != first.shape.size())
        return nullptr;
    }
    for (size_t d = 0; d < first.shape.size(); ++d) {
      Extents extents;
      for (const NodeRef& type : types) extents.push_back(tensor(type).shape[d]);
      made->shape[d] = Extent(extents);
      if (!made->shape[d]) return nullptr;
    }
    return made;
  }

  ir::Expr Extent(const Extents& extents) {
    const auto differs = [&](const ir::Expr& one) { return !SameExtent(extents.front(), one); };
    if (std::ranges::none_of(extents, differs)) return extents.front();
    const auto is_number = [](const ir::Expr& one) { return ir::AsConstInt(one) != nullptr; };
    if (std::ranges::all_of(extents, is_number)) return nullptr;
    // The same extents, met again, are the same size.
    for (size_t i = 0; i < met_.size(); ++i) {
      if (SameExtents(met_[i], extents)) return sizes_[i];
    }
    met_.push_back(extents);
    sizes_.push_back(ir::MakeGraphSize("size"));
    return sizes_.back();
  }

  std::vector<Extents> met_;
  std::vector<ir::Var> sizes_;
};

// An extent in which the types differ, and that not all of them know as a number, is a new size,
// which only the value tells: `float32[n, 3]` and `float32[m, 3]` give `float32[size, 3]`. Nothing
// if the types differ in anything else.
std::optional<TypeResult> JoinTypes(const std::vector<NodeRef>& types) {
  Joiner joiner;
  TypeResult result(joiner.Join(types));
  if (!result.type) return std::nullopt;
  result.sizes = joiner.TakeSizes();
  return result;
}

TypeResult TypeOfIf(const ir::GraphIf& node) {
  const NodeRef& condition = TypeOfVar(node.condition);
  const auto* tensor = As<ir::TensorType>(condition);
  if (tensor == nullptr || tensor->dtype != DataType::Bool() || !tensor->shape.empty()) {
    FailType("the condition `%" + node.condition->name + "` is no truth value", "bool[]",
             TypeText(condition));
  }
  const NodeRef& then_type = TypeOfVar(node.then_block->result);
  const NodeRef& else_type = TypeOfVar(node.else_block->result);
  std::optional<TypeResult> joined = JoinTypes({then_type, else_type});
  if (!joined) {
    FailType("the arms of an `if` have different types", TypeText(then_type), TypeText(else_type));
  }
  return *std::move(joined);
}

// The type of a match, whose first case has the type `first`.
TypeResult TypeOfCases(const ir::GraphMatch& match, const NodeRef& first) {
  if (match.cases.empty()) return first;
  std::vector<NodeRef> types;
  for (const auto& arm : match.cases) types.push_back(arm->block->result->type);
  if (std::optional<TypeResult> joined = JoinTypes(types)) return *std::move(joined);
  for (const auto& arm : match.cases) {
    if (JoinTypes({first, arm->block->result->type})) continue;
    FailType("the case `" + arm->constructor + "` gives another type than the first",
             TypeText(first), TypeText(arm->block->result->type));
  }
  // Each case fits to the first, and they do not fit to each other.
  FailType("the cases of a match give different types", TypeText(first), TypeText(types.back()));
}

NodeRef TypeOfLoop(const ir::GraphLoop& loop) {
  const std::vector<NodeRef> carried = TypesOf(loop.carried);
  if (loop.init.size() != carried.size()) {
    FailType("a loop needs a first value for each variable that it carries",
             std::to_string(carried.size()), std::to_string(loop.init.size()));
  }
  for (size_t i = 0; i < carried.size(); ++i) {
    if (!SameType(carried[i], TypeOfVar(loop.init[i]))) {
      FailType("the first value of `%" + loop.carried[i]->name + "` has the wrong type",
               TypeText(carried[i]), TypeText(loop.init[i]->type));
    }
  }
  const NodeRef truth = ir::MakeTensorType(DataType::Bool(), {});
  if (!SameType(truth, TypeOfVar(loop.condition->result))) {
    FailType("the condition of a loop is no truth value", "bool[]",
             TypeText(loop.condition->result->type));
  }
  NodeRef type = TupleOf(carried);
  if (!SameType(type, TypeOfVar(loop.body->result))) {
    FailType(
        "the body of a loop gives other types than it carries", TypeText(type),
        TypeText(loop.body->result->type),
        "a loop keeps the types of what it carries; a function of the module that calls itself "
        "may give a result of another size");
  }
  return type;
}

}  // namespace

std::optional<ir::VarMap> BindSizes(const ir::GraphFunc& func, const std::vector<GraphVar>& args) {
  SizeBinder binder(func.sizes);
  for (size_t i = 0; i < args.size(); ++i) {
    if (!binder.Match(func.params[i]->type, args[i]->type)) return std::nullopt;
  }
  return binder.bound();
}

bool SameType(const NodeRef& a, const NodeRef& b) {
  std::vector<std::pair<const ir::Node*, const ir::Node*>> work{{a.get(), b.get()}};
  while (!work.empty()) {
    const auto [x, y] = work.back();
    work.pop_back();
    if (x == y) continue;
    if (x == nullptr || y == nullptr || x->node_kind() != y->node_kind()) return false;
    if (const auto* tensor = As<ir::TensorType>(x)) {
      const auto* other = As<ir::TensorType>(y);
      if (tensor->dtype != other->dtype || tensor->shape.size() != other->shape.size())
        return false;
      for (size_t i = 0; i < tensor->shape.size(); ++i) {
        if (!SameExtent(tensor->shape[i], other->shape[i])) return false;
      }
      continue;
    }
    const auto push = [&](const std::vector<NodeRef>& xs, const std::vector<NodeRef>& ys) {
      if (xs.size() != ys.size()) return false;
      for (size_t i = 0; i < xs.size(); ++i) work.emplace_back(xs[i].get(), ys[i].get());
      return true;
    };
    if (const auto* tuple = As<ir::TupleType>(x)) {
      if (!push(tuple->fields, As<ir::TupleType>(y)->fields)) return false;
    } else if (const auto* func = As<ir::FuncType>(x)) {
      const auto* other = As<ir::FuncType>(y);
      if (!push(func->params, other->params)) return false;
      work.emplace_back(func->result.get(), other->result.get());
    } else if (const auto* ref = As<ir::TypeRef>(x)) {
      if (ref->name != As<ir::TypeRef>(y)->name) return false;
    } else {
      return false;
    }
  }
  return true;
}

std::string TypeText(const NodeRef& type) {
  if (!type) return "no type";
  const auto* ref = As<ir::TypeRef>(type);
  return ref != nullptr ? ref->name : ir::ToText(type);
}

Builder::Builder(std::string function_name, ir::GraphModule module)
    : name_(std::move(function_name)), module_(std::move(module)), blocks_(1) {}

ir::Expr Builder::Size(std::string name) {
  sizes_.push_back(ir::MakeSizeVar(std::move(name), DataType::Int(64)));
  return sizes_.back();
}

GraphVar Builder::Input(std::string name, DataType dtype, std::vector<ir::Expr> shape) {
  return Input(std::move(name), ir::MakeTensorType(dtype, std::move(shape)));
}

GraphVar Builder::Input(std::string name, NodeRef type) {
  params_.push_back(ir::MakeGraphVar(std::move(name), std::move(type)));
  return params_.back();
}

GraphVar Builder::Constant(std::string name, DataType dtype, std::vector<int64_t> shape,
                           Ref<const Blob> data) {
  return Emit(ir::MakeConstant(dtype, shape, std::move(data)), std::move(name));
}

GraphVar Builder::Scalar(double value, DataType dtype, std::string name) {
  const uint64_t bits = dtype.is_float() ? EncodeFloat(value, dtype)
                                         : static_cast<uint64_t>(static_cast<int64_t>(value));
  return Constant(
      std::move(name), dtype, {},
      Blob::Copy({reinterpret_cast<const char*>(&bits), static_cast<size_t>(dtype.bytes())}));
}

GraphVar Builder::Call(std::string op, std::vector<GraphVar> args, ir::Dict attrs,
                       std::string name) {
  Ref<ir::GraphCall> call = Make<ir::GraphCall>();
  call->op = std::move(op);
  call->args = std::move(args);
  call->attrs = std::move(attrs);
  return Emit(std::move(call), std::move(name));
}

GraphVar Builder::Tuple(std::vector<GraphVar> fields, std::string name) {
  Ref<ir::GraphTuple> tuple = Make<ir::GraphTuple>();
  tuple->fields = std::move(fields);
  return Emit(std::move(tuple), std::move(name));
}

GraphVar Builder::Get(GraphVar tuple, int64_t index, std::string name) {
  Ref<ir::GraphTupleGet> get = Make<ir::GraphTupleGet>();
  get->tuple = std::move(tuple);
  get->index = index;
  return Emit(std::move(get), std::move(name));
}

std::optional<std::vector<ir::Expr>> Builder::KnownValue(const GraphVar& var) const {
  const std::vector<ir::Expr>* known = ValueOf(var);
  if (known == nullptr) return std::nullopt;
  return *known;
}

const std::vector<ir::Expr>* Builder::ValueOf(const GraphVar& var) const {
  const auto at = values_.find(var);
  return at == values_.end() ? nullptr : &at->second;
}

TypeResult Builder::TypeOf(const ir::Node& value) const {
  switch (value.node_kind()) {
    case ir::NodeKind::kConstant: {
      const auto& constant = static_cast<const ir::Constant&>(value);
      TypeResult result(ir::MakeTensorType(constant.dtype, constant.shape));
      result.value = ElementsOf(constant);
      return result;
    }
    case ir::NodeKind::kGraphCall: {
      const auto& call = static_cast<const ir::GraphCall&>(value);
      std::vector<std::optional<std::vector<ir::Expr>>> values;
      for (const GraphVar& arg : call.args) values.push_back(KnownValue(arg));
      return TypeOfCall(GetOp(call.op), TypesOf(call.args), call.attrs, std::move(values));
    }
    case ir::NodeKind::kGraphTuple:
      return TupleOf(TypesOf(static_cast<const ir::GraphTuple&>(value).fields));
    case ir::NodeKind::kGraphTupleGet: {
      const auto& get = static_cast<const ir::GraphTupleGet&>(value);
      const auto* tuple = As<ir::TupleType>(TypeOfVar(get.tuple));
      if (tuple == nullptr || get.index < 0 ||
          get.index >= static_cast<int64_t>(tuple->fields.size())) {
        FailType("`%" + get.tuple->name + "." + std::to_string(get.index) + "` does not exist",
                 "a tuple with more than " + std::to_string(get.index) + " fields",
                 TypeText(get.tuple->type));
      }
      return tuple->fields[static_cast<size_t>(get.index)];
    }
    case ir::NodeKind::kGraphFunc:
      return FuncTypeOf(static_cast<const ir::GraphFunc&>(value));
    case ir::NodeKind::kGraphInvoke:
      return TypeOfInvoke(static_cast<const ir::GraphInvoke&>(value), module_);
    case ir::NodeKind::kGraphIf:
      return TypeOfIf(static_cast<const ir::GraphIf&>(value));
    case ir::NodeKind::kGraphLoop:
      return TypeOfLoop(static_cast<const ir::GraphLoop&>(value));
    case ir::NodeKind::kGraphConstruct: {
      const auto& construct = static_cast<const ir::GraphConstruct&>(value);
      TypesOf(construct.args);
      return TypeOfConstruct(construct, module_);
    }
    case ir::NodeKind::kGraphMatch: {
      const auto& match = static_cast<const ir::GraphMatch&>(value);
      TypeOfVar(match.value);
      return TypeOfCases(match, TypeOfFirstCase(match, module_));
    }
    default:
      FailType(std::string("a ") + ir::NodeKindName(value.node_kind()) + " is no value of a graph",
               "a call, constant, tuple, function, if, loop, match or construction");
  }
}

GraphVar Builder::Emit(NodeRef value, std::string name) {
  LATHE_CHECK(value) << "no value";
  if (const auto* call = As<ir::GraphCall>(value);
      call != nullptr && !device_.empty() && !call->attrs.contains(kDeviceAttr)) {
    Ref<ir::GraphCall> placed = CopyOf(*call);
    placed->attrs[kDeviceAttr] = StringAttr(device_);
    value = std::move(placed);
  }
  try {
    TypeResult result = TypeOf(*value);
    GraphVar var = ir::MakeGraphVar(std::move(name), std::move(result.type));
    if (result.value) values_.emplace(var, *std::move(result.value));
    blocks_.back().push_back(ir::Bind(var, std::move(value), std::move(result.sizes)));
    return var;
  } catch (const Error& error) {
    Diagnostic diagnostic = error.diagnostic();
    diagnostic.notes.push_back("in function `" + name_ + "`: " + Excerpt(value, name));
    throw Error(std::move(diagnostic));
  }
}

void Builder::OpenBlock() { blocks_.emplace_back(); }

GraphBlockRef Builder::CloseBlock(GraphVar result) {
  LATHE_CHECK(blocks_.size() > 1) << "no block is open";
  GraphBlockRef block = ir::MakeGraphBlock(std::move(blocks_.back()), std::move(result));
  blocks_.pop_back();
  return block;
}

GraphFuncRef Builder::Finish(GraphVar result, ir::Dict attrs) {
  LATHE_CHECK(blocks_.size() == 1) << "a block is still open";
  Ref<ir::GraphFunc> func = Make<ir::GraphFunc>();
  func->name = name_;
  func->sizes = std::move(sizes_);
  func->params = std::move(params_);
  func->result_type = TypeOfVar(result);
  func->body = ir::MakeGraphBlock(std::move(blocks_.back()), std::move(result));
  func->attrs = std::move(attrs);
  *this = Builder(name_, module_);
  return func;
}

}  // namespace lathe::graph
