// A value may have a twin: the same elements with the dimensions in another order. Operators that
// have layouts of their own are made on twins; operators of elements, and those with axes, follow.
// Of each twin the plain value is made, too; where nobody reads it, it is dropped at the end.
#include "graph/passes/convert_layout.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>

#include "base/error.h"
#include "graph/passes/pass.h"

namespace lathe::graph {
namespace {

using ir::As;
using ir::Dict;
using ir::GraphVar;
using ir::NodeRef;

// The order of a kernel's dimensions for each order of the data's.
const std::map<std::string, std::string, std::less<>>& Kernels() {
  static const std::map<std::string, std::string, std::less<>> kernels{
      {"NCW", "OIW"},   {"NWC", "WIO"},     {"NCHW", "OIHW"},  {"NHWC", "HWIO"},
      {"HWCN", "HWIO"}, {"NCDHW", "OIDHW"}, {"NDHWC", "DHWIO"}};
  return kernels;
}

// Operators with an attribute `axis` for one dimension: all results have the data's order.
bool HasAxis(std::string_view op) {
  static const std::set<std::string_view> names{
      "nn.bias_add",      "nn.batch_norm", "nn.softmax", "nn.log_softmax", "nn.prelu", "nn.lrn",
      "nn.instance_norm", "concatenate",   "split",      "cumsum",         "cumprod"};
  return names.contains(op);
}
bool IsReduction(std::string_view op) {
  static const std::set<std::string_view> names{"sum", "mean", "max",      "min", "prod",
                                                "all", "any",  "variance", "std"};
  return names.contains(op);
}

const AttrDef* FindAttr(const OpDef& op, std::string_view name) {
  const auto at = std::ranges::find(op.attrs, name, &AttrDef::name);
  return at == op.attrs.end() ? nullptr : &*at;
}

// Does each element depend on the elements at the same place, wherever that is?
bool IsOfElements(const OpDef& op) {
  return (op.kind == OpKind::kElementwise || op.kind == OpKind::kBroadcast) &&
         std::ranges::none_of(op.attrs, [](const AttrDef& attr) {
           return attr.name == "axis" || attr.type == AttrType::kInts ||
                  attr.type == AttrType::kShape;
         });
}

size_t RankOf(const GraphVar& var) {
  return static_cast<const ir::TensorType&>(*var->type).shape.size();
}

[[noreturn]] void Fail(std::string message, std::string expected, std::string found = "",
                       std::string help = "") {
  throw Error(Diagnostic{.name = "graph-layout",
                         .message = std::move(message),
                         .expected = std::move(expected),
                         .found = std::move(found),
                         .help = std::move(help)});
}

// The same elements in two orders of dimensions, a letter each.
struct Orders {
  std::string before, now;
  bool operator==(const Orders&) const = default;
  // Where dimension `d` of the old order stands now.
  int64_t Place(size_t d) const { return static_cast<int64_t>(now.find(before[d])); }
};

struct Twin {
  GraphVar var;
  Orders orders;
};

// One rewriting of a function.
class Converting {
 public:
  Converting(Builder& builder, const DesiredLayouts& desired) : b_(builder), desired_(desired) {}

  // What stands for the binding's variable.
  GraphVar Apply(const NodeRef& value, const std::string& name) {
    if (const auto* get = As<ir::GraphTupleGet>(value)) {
      if (const Twin* of = Find(get->tuple)) {
        const Orders orders = of->orders;
        const GraphVar field = b_.Get(of->var, get->index, name);
        return Turns(field, orders) ? Plain({field, orders}) : field;
      }
    }
    const auto* call = As<ir::GraphCall>(value);
    GraphVar var = call == nullptr ? nullptr : Call(*call, name);
    return var ? var : b_.Emit(value, name);
  }

 private:
  const Twin* Find(const GraphVar& var) const {
    const auto at = twins_.find(var);
    return at == twins_.end() ? nullptr : &at->second;
  }

  // Null: the call is to be made as it is.
  GraphVar Call(const ir::GraphCall& call, const std::string& name) {
    const OpDef& op = GetOp(call.op);
    const Attrs attrs(op, call.attrs);
    if (const auto wish = desired_.find(op.name); wish != desired_.end()) {
      return Anchor(op, call, attrs, wish->second, name);
    }
    // Of operators of elements any operand may lead, of others the first.
    const bool any = IsOfElements(op) || op.name == "concatenate";
    const Twin* lead = nullptr;
    for (size_t i = 0; i < call.args.size() && lead == nullptr && (any || i == 0); ++i) {
      lead = Find(call.args[i]);
    }
    if (lead == nullptr) return nullptr;
    const Twin twin = *lead;  // the table grows
    if (HasAxis(op.name)) return AlongAxis(call, attrs, twin.orders, name);
    if (IsOfElements(op)) return OfElements(call, twin.orders, name);
    if (IsReduction(op.name)) return Reduction(call, attrs, twin, name);
    if (op.name == "nn.pad") return Pad(call, attrs, twin, name);
    return WithLayout(op, call, attrs, twin, name);
  }

  // Has a field of a result the dimensions of images? (The means of nn.batch_norm do not.)
  static bool Turns(const GraphVar& field, const Orders& orders) {
    return RankOf(field) == orders.before.size();
  }

  // The plain value of a twin; remembers the twin.
  GraphVar Plain(const Twin& twin) {
    GraphVar plain;
    if (const auto* tuple = As<ir::TupleType>(twin.var->type)) {
      std::vector<GraphVar> fields;
      for (size_t i = 0; i < tuple->fields.size(); ++i) {
        const GraphVar field = b_.Get(twin.var, static_cast<int64_t>(i));
        fields.push_back(Turns(field, twin.orders)
                             ? Transformed(field, twin.orders.now, twin.orders.before)
                             : field);
      }
      plain = b_.Tuple(std::move(fields));
    } else {
      plain = Transformed(twin.var, twin.orders.now, twin.orders.before);
    }
    twins_.insert_or_assign(plain, twin);
    return plain;
  }
  GraphVar Transformed(const GraphVar& var, const std::string& from, const std::string& to) {
    if (from == to) return var;
    return b_.Call("layout_transform", {var},
                   {{"src_layout", StringAttr(from)}, {"dst_layout", StringAttr(to)}});
  }
  // A value with its dimensions in the order `orders.now`.
  GraphVar Turned(const GraphVar& var, const Orders& orders) {
    if (const Twin* twin = Find(var); twin != nullptr && twin->orders == orders) return twin->var;
    return Transformed(var, orders.before, orders.now);
  }

  GraphVar Make(const ir::GraphCall& call, std::vector<GraphVar> args, const Dict& changed,
                const std::string& name) {
    Ref<ir::GraphCall> made = CopyOf(call);
    made->args = std::move(args);
    for (const auto& [key, attr] : changed) made->attrs.insert_or_assign(key, attr);
    return b_.Emit(made, name);
  }

  // -- Kinds of operators.

  // An operator that the user gave an order for.
  GraphVar Anchor(const OpDef& op, const ir::GraphCall& call, const Attrs& attrs,
                  const DesiredLayout& wish, const std::string& name) {
    const char* key = FindAttr(op, "data_layout") != nullptr ? "data_layout" : "layout";
    if (FindAttr(op, key) == nullptr) {
      Fail(op.name + " has no layout", "a convolution, a pool, or another operator of images");
    }
    const std::string before = attrs.String(key);
    const bool is_fixed =
        FindAttr(op, "out_layout") != nullptr && !attrs.String("out_layout").empty();
    const Orders data{before, wish.data == "default" || is_fixed ? before : wish.data};
    if (!std::ranges::is_permutation(data.before, data.now)) {
      Fail(op.name + " cannot be converted to layout \"" + data.now + "\"",
           "the letters of \"" + before + "\" in another order", "",
           "the pass choose_layouts (AlterOpLayout) puts channels into blocks by itself");
    }
    std::vector<GraphVar> args = call.args;
    Dict changed{{key, StringAttr(data.now)}};
    args[0] = Turned(args[0], data);
    if (FindAttr(op, "kernel_layout") != nullptr) {
      Orders kernel{attrs.String("kernel_layout"), wish.kernel};
      if (wish.kernel == "default") kernel.now = KernelFor(op, data, kernel.before);
      if (!std::ranges::is_permutation(kernel.before, kernel.now)) {
        Fail("the kernel of " + op.name + " cannot be converted to layout \"" + kernel.now + "\"",
             "the letters of \"" + kernel.before + "\" in another order");
      }
      args[1] = Turned(args[1], kernel);
      changed.emplace("kernel_layout", StringAttr(kernel.now));
    }
    const bool stays = data.before == data.now;
    GraphVar made = Make(call, std::move(args), changed, name);
    return stays ? made : Plain({made, data});
  }

  static std::string KernelFor(const OpDef& op, const Orders& data, const std::string& before) {
    const auto at = Kernels().find(data.now);
    if (data.before == data.now || at == Kernels().end()) return before;
    std::string order = at->second;
    // Of a transposed convolution, I and O change places.
    if (op.name.find("transpose") != std::string::npos) {
      for (char& c : order) c = c == 'I' ? 'O' : c == 'O' ? 'I' : c;
    }
    return order;
  }

  GraphVar AlongAxis(const ir::GraphCall& call, const Attrs& attrs, const Orders& orders,
                     const std::string& name) {
    const bool is_list = FindAttr(GetOp(call.op), "axis")->type == AttrType::kInts;
    const std::vector<int64_t> given =
        is_list ? attrs.Ints("axis") : std::vector<int64_t>{attrs.Int("axis")};
    const auto rank = static_cast<int64_t>(orders.before.size());
    const size_t turned = call.op == "concatenate" ? call.args.size() : 1;
    if (given.size() != 1 ||
        std::any_of(call.args.begin(), call.args.begin() + static_cast<ptrdiff_t>(turned),
                    [&](const GraphVar& arg) { return RankOf(arg) != orders.before.size(); })) {
      return nullptr;
    }
    const int64_t axis =
        orders.Place(static_cast<size_t>(given[0] < 0 ? given[0] + rank : given[0]));
    std::vector<GraphVar> args = call.args;
    for (size_t i = 0; i < turned; ++i) args[i] = Turned(args[i], orders);
    return Plain(
        {Make(call, std::move(args), {{"axis", is_list ? IntsAttr({axis}) : IntAttr(axis)}}, name),
         orders});
  }

  // Operands of fewer dimensions get dimensions of extent 1.
  GraphVar OfElements(const ir::GraphCall& call, const Orders& orders, const std::string& name) {
    const size_t rank = orders.before.size();
    if (std::ranges::any_of(call.args, [&](const GraphVar& arg) { return RankOf(arg) > rank; })) {
      return nullptr;
    }
    std::vector<GraphVar> args;
    for (const GraphVar& arg : call.args) {
      const size_t own = RankOf(arg);
      if (own == 0) {
        args.push_back(arg);
      } else if (own == rank) {
        args.push_back(Turned(arg, orders));
      } else {
        const GraphVar wide = b_.Call(
            "expand_dims", {arg},
            {{"axis", IntAttr(0)}, {"num_newaxis", IntAttr(static_cast<int64_t>(rank - own))}});
        args.push_back(Transformed(wide, orders.before, orders.now));
      }
    }
    return Plain({Make(call, std::move(args), {}, name), orders});
  }

  GraphVar Reduction(const ir::GraphCall& call, const Attrs& attrs, const Twin& twin,
                     const std::string& name) {
    const std::vector<int64_t> axes = attrs.Ints("axis");
    if (axes.empty() || attrs.Bool("exclude")) return nullptr;
    const auto rank = static_cast<int64_t>(twin.orders.before.size());
    std::string reduced;
    std::vector<int64_t> places;
    for (const int64_t axis : axes) {
      const auto d = static_cast<size_t>(axis < 0 ? axis + rank : axis);
      reduced += twin.orders.before[d];
      places.push_back(twin.orders.Place(d));
    }
    std::vector<GraphVar> args = call.args;
    args[0] = twin.var;
    GraphVar made = Make(call, std::move(args), {{"axis", IntsAttr(std::move(places))}}, name);
    Orders left = twin.orders;
    if (!attrs.Bool("keepdims")) {
      for (std::string* order : {&left.before, &left.now}) {
        std::erase_if(*order, [&](char c) { return reduced.find(c) != std::string::npos; });
      }
    }
    return left.before == left.now ? made : Plain({made, left});
  }

  GraphVar Pad(const ir::GraphCall& call, const Attrs& attrs, const Twin& twin,
               const std::string& name) {
    const std::vector<ir::Expr> old = attrs.Shape("pad_width");
    std::vector<ir::Expr> widths;
    for (const char letter : twin.orders.now) {
      const size_t d = twin.orders.before.find(letter);
      widths.insert(widths.end(), {old[2 * d], old[2 * d + 1]});
    }
    std::vector<GraphVar> args = call.args;
    args[0] = twin.var;
    return Plain({Make(call, std::move(args), {{"pad_width", ShapeAttr(std::move(widths))}}, name),
                  twin.orders});
  }

  // A pool, or another operator of one image, in the twin's order.
  GraphVar WithLayout(const OpDef& op, const ir::GraphCall& call, const Attrs& attrs,
                      const Twin& twin, const std::string& name) {
    if (call.args.size() != 1 || FindAttr(op, "layout") == nullptr ||
        attrs.String("layout") != twin.orders.before ||
        (FindAttr(op, "out_layout") != nullptr && !attrs.String("out_layout").empty())) {
      return nullptr;
    }
    return Plain(
        {Make(call, {twin.var}, {{"layout", StringAttr(twin.orders.now)}}, name), twin.orders});
  }

  Builder& b_;
  const DesiredLayouts& desired_;
  // By the variable that stands for the plain value. A twin stands right before it.
  std::unordered_map<GraphVar, Twin, RefHash, RefEqual> twins_;
};

}  // namespace

GraphFuncRef ConvertLayout(const GraphFuncRef& func, const ir::GraphModule& module,
                           const DesiredLayouts& desired) {
  for (const auto& [op, layout] : desired) {
    if (FindOp(op) == nullptr || layout.data.empty()) {
      Fail("this is no wish for layouts: " + op + ": \"" + layout.data + "\"",
           "an operator and an order of its dimensions: {\"nn.conv2d\": [\"NHWC\", \"default\"]}");
    }
  }
  std::optional<Converting> converting;
  const GraphFuncRef made = Rewrite(
      *func, module, [&](const ir::GraphBinding& before, const NodeRef& value, Builder& builder) {
        if (!converting) converting.emplace(builder, desired);
        return converting->Apply(value, before.var->name);
      });
  return DropDeadCode(made, module, {});
}

}  // namespace lathe::graph
