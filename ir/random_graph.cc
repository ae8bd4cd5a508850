// Random graphs. Sound means that every node fits together and that variables are defined before
// their use; operators and the types of values are invented.

#include "ir/constants.h"
#include "ir/names.h"
#include "ir/random_ir.h"

namespace lathe::ir {

namespace {

// What names of weights and of values look like after import.
constexpr const char* kValueNames[] = {
    "",    "x", "0",  "7",   "layer.0.weight", "t.0",     "12.bias",
    "for", "n", "0x", "1e5", "/Add_output_0",  "float32", "%x",
    "x",   "",  "a b"};
constexpr const char* kConstructors[] = {"List.Nil", "List.Cons", "a.b.Leaf", "odd name.Node"};

}  // namespace

GraphVar RandomIr::RandomGraphVar(int depth) {
  NodeRef type;
  if (Chance(60)) type = RandomGraphType(depth);
  return MakeGraphVar(kValueNames[Pick(std::size(kValueNames))], std::move(type));
}

Expr RandomIr::RandomExtent() {
  if (sizes_.empty() || Chance(40)) return Int(static_cast<int64_t>(Pick(5)), DataType::Int(64));
  const Expr size = MakeCast(DataType::Int(64), OneOf(sizes_));
  switch (Pick(4)) {
    case 0:
      return size * Int(2, DataType::Int(64)) + Int(1, DataType::Int(64));
    case 1:
      return FloorDivide(size + RandomExtent(), Int(4, DataType::Int(64)));
    default:
      return size;
  }
}

NodeRef RandomIr::RandomGraphType(int depth) {
  const size_t choice = depth <= 0 ? 4 : Pick(9);
  auto types = [&](size_t n) {
    std::vector<NodeRef> list;
    for (; n > 0; --n) list.push_back(RandomGraphType(depth - 1));
    return list;
  };
  if (choice == 0) {
    Ref<TupleType> node = Make<TupleType>();
    node->fields = types(Pick(4));
    return node;
  }
  if (choice == 1) {
    Ref<FuncType> node = Make<FuncType>();
    node->params = types(Pick(3));
    node->result = RandomGraphType(depth - 1);
    return node;
  }
  if (choice == 2) {
    Ref<TypeRef> node = Make<TypeRef>();
    node->name = Chance(50) ? "List" : RandomName();
    return node;
  }
  std::vector<Expr> shape;
  for (size_t rank = Pick(4); rank > 0; --rank) shape.push_back(RandomExtent());
  return MakeTensorType(RandomScalarType(), std::move(shape));
}

Dict RandomIr::RandomGraphAttrs() {
  Dict attrs;
  auto number = [&]() -> NodeRef {
    return Chance(80) ? Int(static_cast<int64_t>(Pick(9)) - 4, DataType::Int(64))
                      : Constant(RandomScalarType());
  };
  for (size_t n = Pick(3); n > 0; --n) {
    const std::string key = Chance(80) ? "axis" : RandomString();
    switch (Pick(5)) {
      case 0: {
        std::vector<NodeRef> items;
        for (size_t k = Pick(4); k > 0; --k)
          items.push_back(Chance(70) ? number() : NodeRef(RandomExtent()));
        attrs[key] = MakeCall(DataType::Handle(), kListOperand, std::move(items));
        break;
      }
      case 1:
        attrs[key] = String(RandomString());
        break;
      case 2:
        attrs[key] = Bool(Chance(50));
        break;
      default:
        attrs[key] = number();
        break;
    }
  }
  return attrs;
}

std::vector<GraphVar> RandomIr::RandomGraphArgs() {
  std::vector<GraphVar> args;
  for (size_t n = Pick(4); n > 0; --n) args.push_back(OneOf(values_));
  return args;
}

NodeRef RandomIr::RandomGraphValue(int depth) {
  switch (Pick(depth > 0 ? 12 : 7)) {
    case 0: {
      Ref<GraphTuple> node = Make<GraphTuple>();
      node->fields = RandomGraphArgs();
      return node;
    }
    case 1: {
      Ref<GraphTupleGet> node = Make<GraphTupleGet>();
      node->tuple = OneOf(values_);
      node->index = static_cast<int64_t>(Pick(3));
      return node;
    }
    case 2: {
      Ref<GraphInvoke> node = Make<GraphInvoke>();
      if (Chance(50))
        node->global = RandomName();
      else
        node->callee = OneOf(values_);
      node->args = RandomGraphArgs();
      return node;
    }
    case 3:
      return MakeConstant(DataType::Int(8), {2, 1}, Blob::Copy(Chance(50) ? "ab" : "cd"));
    case 4: {
      Ref<GraphConstruct> node = Make<GraphConstruct>();
      node->constructor = kConstructors[Pick(std::size(kConstructors))];
      node->args = RandomGraphArgs();
      return node;
    }
    case 7: {
      Ref<GraphIf> node = Make<GraphIf>();
      node->condition = OneOf(values_);
      node->then_block = RandomGraphBlock(depth - 1);
      node->else_block = RandomGraphBlock(depth - 1);
      return node;
    }
    case 8: {
      Ref<GraphLoop> node = Make<GraphLoop>();
      const std::vector<GraphVar> outer = values_;
      for (size_t n = Pick(3); n > 0; --n) {
        node->init.push_back(OneOf(outer));
        node->carried.push_back(RandomGraphVar(1));
        values_.push_back(node->carried.back());
      }
      node->condition = RandomGraphBlock(0);
      node->body = RandomGraphBlock(depth - 1);
      values_ = outer;
      return node;
    }
    case 9:
      return RandomGraphFunc(Chance(10) ? RandomName() : "", depth - 1);
    case 10: {
      Ref<GraphMatch> node = Make<GraphMatch>();
      node->value = OneOf(values_);
      for (size_t n = Pick(3); n > 0; --n) {
        const std::vector<GraphVar> outer = values_;
        Ref<GraphCase> arm = Make<GraphCase>();
        arm->constructor = kConstructors[Pick(std::size(kConstructors))];
        for (size_t k = Pick(3); k > 0; --k) {
          arm->vars.push_back(RandomGraphVar(1));
          values_.push_back(arm->vars.back());
        }
        arm->block = RandomGraphBlock(depth - 1);
        values_ = outer;
        node->cases.push_back(arm);
      }
      return node;
    }
    default: {
      static const std::vector<std::string> kOps = {"nn.dense", "add",  "where",
                                                    "min",      "loop", "Add"};
      Ref<GraphCall> node = Make<GraphCall>();
      node->op = OneOf(kOps);
      node->args = RandomGraphArgs();
      node->attrs = RandomGraphAttrs();
      return node;
    }
  }
}

Ref<const GraphBlock> RandomIr::RandomGraphBlock(int depth) {
  const std::vector<GraphVar> outer = values_;
  const std::vector<Var> outer_sizes = sizes_;
  List<GraphBinding> bindings;
  for (size_t n = Pick(5); n > 0; --n) {
    NodeRef value = RandomGraphValue(depth);
    std::vector<Var> sizes;
    for (size_t k = Chance(20) ? 1 + Pick(2) : 0; k > 0; --k) {
      sizes.push_back(Chance(80) ? MakeGraphSize(RandomName()) : MakeVar("k"));
      sizes_.push_back(sizes.back());
    }
    values_.push_back(RandomGraphVar(2));
    bindings.push_back(Bind(values_.back(), std::move(value), std::move(sizes)));
  }
  GraphVar result = OneOf(values_);
  values_ = outer;
  sizes_ = outer_sizes;
  return MakeGraphBlock(std::move(bindings), std::move(result));
}

Ref<const GraphFunc> RandomIr::RandomGraphFunc(const std::string& name, int depth) {
  const std::vector<GraphVar> outer = values_;
  const std::vector<Var> outer_sizes = sizes_;
  Ref<GraphFunc> node = Make<GraphFunc>();
  node->name = name;
  for (size_t n = Pick(3); n > 0; --n) {
    node->sizes.push_back(Chance(80) ? MakeGraphSize("n") : MakeSizeVar(RandomName()));
    sizes_.push_back(node->sizes.back());
  }
  for (size_t n = 1 + Pick(3); n > 0; --n) {
    node->params.push_back(RandomGraphVar(2));
    values_.push_back(node->params.back());
  }
  if (Chance(50)) node->result_type = RandomGraphType(2);
  if (Chance(30)) node->attrs = RandomDict();
  node->body = RandomGraphBlock(depth);
  values_ = outer;
  sizes_ = outer_sizes;
  return node;
}

GraphModule RandomIr::RandomGraphModule() {
  vars_.clear();
  buffers_.clear();
  tensors_.clear();
  values_.clear();
  sizes_.clear();
  Ref<GraphModuleNode> module = Make<GraphModuleNode>();
  for (size_t n = Pick(3); n > 0; --n) {
    Ref<GraphDataType> type = Make<GraphDataType>();
    type->name = n == 1 ? "List" : "odd name";
    for (size_t k = Pick(3); k > 0; --k) {
      Ref<GraphConstructor> constructor = Make<GraphConstructor>();
      constructor->name = "C" + std::to_string(k);
      for (size_t i = Pick(3); i > 0; --i) constructor->fields.push_back(RandomGraphType(1));
      type->constructors.push_back(constructor);
    }
    module->datatypes.push_back(type);
  }
  module->functions.push_back(RandomGraphFunc("main", 3));
  if (Chance(50)) module->functions.push_back(RandomGraphFunc("module", 3));
  if (Chance(30)) module->attrs = RandomDict();
  return module;
}

}  // namespace lathe::ir
