#include <algorithm>
#include <unordered_set>

#include "base/error.h"
#include "ir/constants.h"
#include "ir/rewrite.h"
#include "ir/structural.h"
#include "te/operation.h"
#include "te/shape_text.h"

namespace lathe::te {
namespace {

using namespace ir;  // NOLINT: the nodes' names, in this file only

void CheckShape(const Shape& shape, const std::string& name) {
  for (size_t i = 0; i < shape.size(); ++i) {
    LATHE_CHECK(shape[i]) << "null extent";
    const DataType t = shape[i]->dtype;
    if (!t.is_integral() || !t.is_scalar()) {
      throw Error(Diagnostic{
          .name = "shape-not-integer",
          .message = "extent " + std::to_string(i) + " of `" + name + "` is not an integer",
          .expected = "an integer expression",
          .found = t.ToString(),
          .help = t.is_float() ? "`//` divides whole numbers, `/` gives a float"
                               : "cast it to int32 or int64"});
    }
    if (const int64_t* value = AsConstInt(shape[i]); value != nullptr && *value < 0) {
      throw Error(
          Diagnostic{.name = "shape-negative",
                     .message = "extent " + std::to_string(i) + " of `" + name + "` is negative",
                     .expected = "an extent >= 0",
                     .found = std::to_string(*value),
                     .help = "an empty dimension has extent 0"});
    }
  }
}

std::string AxisName(const ComputeOptions& options, size_t i) {
  if (i < options.axis_names.size()) return options.axis_names[i];
  static constexpr const char* kNames[] = {"i", "j", "k", "l"};
  return i < 4 ? kNames[i] : "ax" + std::to_string(i);
}

// Renames data axes that have the same name as a reduction axis of the body, because traces and
// texts identify the axes of an operation by name. The user chose the names of the reduction axes,
// so those stay. Changes `axis` and `body`.
void SeparateNames(std::vector<IterVar>& axis, std::vector<Expr>& body) {
  const auto* reduce = As<Reduce>(body[0]);
  if (reduce == nullptr) return;
  auto count = [](const std::vector<IterVar>& axes, const std::string& name) {
    return std::count_if(axes.begin(), axes.end(),
                         [&](const IterVar& other) { return other->var->name == name; });
  };
  VarMap renamed;
  for (IterVar& data : axis) {
    if (count(reduce->axis, data->var->name) == 0) continue;
    std::string name;
    for (int i = 0; name.empty() || count(reduce->axis, name) + count(axis, name) > 0; ++i)
      name = data->var->name + ".data" + (i == 0 ? "" : std::to_string(i));
    const Var var = MakeVar(name, data->var->dtype);
    renamed[data->var] = var;
    data = MakeIterVar(data->domain, var, data->iter_kind);
  }
  if (renamed.empty()) return;
  for (const IterVar& axis : reduce->axis) {
    for (const auto& [data, unused] : renamed) {
      if (!UsesVar(axis->domain, data)) continue;
      throw Error(Diagnostic{.name = "reduction-domain-name",
                             .message = "a data axis has the name `" + data->name +
                                        "` of a reduction axis, and reduction axis `" +
                                        axis->var->name +
                                        "` runs over a range that depends on that data axis",
                             .expected = "different names for the two axes",
                             .found = "`" + data->name + "` twice",
                             .help = "give the reduction axis another name"});
    }
  }
  for (Expr& value : body) value = Substitute(value, renamed);
}

// The range of a reduction axis may depend on data axes and on reduction axes before it (S52).
void CheckDomains(const Reduce& reduce, const std::string& name) {
  for (size_t i = 0; i < reduce.axis.size(); ++i) {
    const IterVar& axis = reduce.axis[i];
    auto refuse = [&](std::string expected, std::string found, std::string help) {
      throw Error(Diagnostic{.name = "reduction-domain",
                             .message = "reduction axis `" + axis->var->name + "` of `" + name +
                                        "` has a range that cannot be used",
                             .expected = std::move(expected),
                             .found = std::move(found),
                             .help = std::move(help)});
    };
    ForEach<Load>(axis->domain, [&](const Load&) {
      refuse("a range of variables, axes and constants", "a range that reads a tensor",
             "reduce over the longest range, with where= as the condition");
    });
    for (size_t later = i; later < reduce.axis.size(); ++later) {
      const Var& var = reduce.axis[later]->var;
      if (!UsesVar(axis->domain, var)) continue;
      refuse("a range that depends on data axes and on reduction axes before it",
             "one that depends on `" + var->name + "`",
             "list the reduction axes in the order in which they depend on each other");
    }
  }
}

Op MakeComputeOp(std::string name, std::string tag, Dict attrs, std::vector<IterVar> axis,
                 Shape shape, std::vector<Expr> body) {
  CheckReductions(body, name);
  Ref<ComputeOp> op = Make<ComputeOp>();
  op->name = std::move(name);
  op->tag = std::move(tag);
  op->attrs = std::move(attrs);
  op->axis = std::move(axis);
  op->shape = std::move(shape);
  if (const auto* reduce = As<Reduce>(body[0])) op->reduce_axis = reduce->axis;
  op->body = std::move(body);
  const std::string problem = CheckNode(*op);
  LATHE_CHECK(problem.empty()) << problem;
  return op;
}

}  // namespace

void CheckReductions(const std::vector<Expr>& body, const std::string& name) {
  for (const Expr& value : body) {
    PreOrder(NodeRef(value), [&](const Node& node) {
      if (node.node_kind() == NodeKind::kReduce && &node != value.get()) {
        throw Error(
            Diagnostic{.name = "reduction-not-at-top",
                       .message = "`" + name + "` uses a reduction inside an expression",
                       .expected = "the reduction as the whole body of a compute",
                       .found = "a reduction nested in another expression",
                       .help = "put the reduction into a compute of its own and read its result"});
      }
      return true;
    });
  }
  const auto* first = As<Reduce>(body[0]);
  if (first != nullptr) CheckDomains(*first, name);
  for (size_t i = 0; i < body.size(); ++i) {
    const auto* reduce = As<Reduce>(body[i]);
    bool fits = (reduce != nullptr) == (first != nullptr);
    if (fits && reduce != nullptr) {
      fits =
          reduce->value_index == static_cast<int64_t>(i) && body.size() == reduce->sources.size();
      if (i > 0 && fits) {
        Ref<Node> renumbered = CloneNode(*reduce);
        static_cast<Reduce&>(*renumbered).value_index = 0;
        static_cast<Reduce&>(*renumbered).dtype = first->dtype;
        fits = StructuralEqual(NodeRef(first), renumbered);
      }
    }
    if (!fits) {
      throw Error(Diagnostic{
          .name = "reduction-tuple-mismatch",
          .message = "the outputs of `" + name + "` are not members of one reduction",
          .expected = "either no reduction at all, or all values of one ReduceWith in order",
          .found = "output " + std::to_string(i) + " differs" +
                   (reduce == nullptr ? ""
                                      : ": it is value " + std::to_string(reduce->value_index) +
                                            " of " + std::to_string(reduce->sources.size()) +
                                            " that `" + reduce->reducer->name + "` reduces"),
          .help = "compute unrelated values in computes of their own; for one value of several, "
                  "compute all and read that output"});
    }
  }
}

Tensor Placeholder(Shape shape, DataType dtype, std::string name) {
  CheckShape(shape, name);
  Ref<PlaceholderOp> op = Make<PlaceholderOp>();
  op->name = std::move(name);
  op->shape = std::move(shape);
  op->dtype = dtype;
  return OutputOf(op, 0);
}

std::vector<Tensor> ComputeTuple(Shape shape,
                                 const std::function<std::vector<Expr>(const Indices&)>& body,
                                 std::string name, ComputeOptions options) {
  CheckShape(shape, name);
  std::vector<IterVar> axis;
  Indices indices;
  for (size_t i = 0; i < shape.size(); ++i) {
    Var v = MakeVar(AxisName(options, i), shape[i]->dtype);
    axis.push_back(MakeIterVar(MakeRange(Const(0, v->dtype), shape[i]), v, IterKind::kData));
    indices.push_back(std::move(v));
  }
  std::vector<Expr> values = body(indices);
  if (values.empty()) {
    throw Error(Diagnostic{.name = "compute-without-value",
                           .message = "the body of `" + name + "` gave no value",
                           .expected = "one expression per output",
                           .found = "none",
                           .help = "return the value of the element"});
  }
  for (const Expr& value : values) {
    LATHE_CHECK(value) << "the body of `" << name << "` gave a null expression";
    if (value->dtype.is_void()) {
      throw Error(Diagnostic{.name = "compute-without-value",
                             .message = "the body of `" + name + "` has no value",
                             .expected = "an expression with a type",
                             .found = "void",
                             .help = "use an extern operation for calls without a result"});
    }
  }
  SeparateNames(axis, values);
  const size_t n = values.size();
  Op op = MakeComputeOp(std::move(name), std::move(options.tag), std::move(options.attrs),
                        std::move(axis), std::move(shape), std::move(values));
  std::vector<Tensor> out;
  for (size_t i = 0; i < n; ++i) out.push_back(OutputOf(op, static_cast<int64_t>(i)));
  return out;
}

Tensor Compute(Shape shape, const std::function<Expr(const Indices&)>& body, std::string name,
               ComputeOptions options) {
  return ComputeTuple(
      std::move(shape), [&](const Indices& i) { return std::vector<Expr>{body(i)}; },
      std::move(name), std::move(options))[0];
}

Expr At(const Tensor& tensor, std::vector<Expr> indices) {
  if (indices.size() != tensor->shape().size()) {
    throw Error(
        Diagnostic{.name = "index-count",
                   .message = "`" + tensor->name() + "` is read with the wrong number of indices",
                   .expected = std::to_string(tensor->shape().size()) + " indices",
                   .found = std::to_string(indices.size()),
                   .help = "give one index per dimension"});
  }
  for (size_t i = 0; i < indices.size(); ++i) {
    const DataType t = indices[i]->dtype;
    if (!t.is_integral()) {
      throw Error(Diagnostic{.name = "index-not-integer",
                             .message = "index " + std::to_string(i) + " of `" + tensor->name() +
                                        "` is not an integer",
                             .expected = "an integer expression",
                             .found = t.ToString(),
                             .help = "cast it to int32"});
    }
  }
  return MakeLoad(tensor, std::move(indices));
}

std::vector<Tensor> Scan(std::vector<Tensor> init, std::vector<Tensor> update,
                         std::vector<Tensor> state, std::vector<Tensor> inputs, std::string name,
                         std::string tag, Dict attrs) {
  auto refuse = [&](std::string what, std::string expected, std::string found) {
    throw Error(
        Diagnostic{.name = "scan-mismatch",
                   .message = "scan `" + name + "`: " + what,
                   .expected = std::move(expected),
                   .found = std::move(found),
                   .help = "init, update and state correspond one to one; dimension 0 is time"});
  };
  if (state.empty() || init.size() != state.size() || update.size() != state.size()) {
    refuse("the lists differ in length", "as many inits and updates as states, at least one",
           std::to_string(init.size()) + ", " + std::to_string(update.size()) + " and " +
               std::to_string(state.size()));
  }
  for (size_t k = 0; k < state.size(); ++k) {
    const std::string which = "state " + std::to_string(k);
    if (As<PlaceholderOp>(state[k]->op) == nullptr)
      refuse(which + " is not a placeholder", "a placeholder",
             NodeKindName(state[k]->op->node_kind()));
    for (const Tensor& t : {init[k], update[k]}) {
      if (t->dtype() != state[k]->dtype())
        refuse(which + " has another type than `" + t->name() + "`", state[k]->dtype().ToString(),
               t->dtype().ToString());
      if (t->ndim() != state[k]->ndim())
        refuse(which + " has another rank than `" + t->name() + "`",
               std::to_string(state[k]->ndim()), std::to_string(t->ndim()));
    }
    if (state[k]->ndim() == 0)
      refuse(which + " has no time dimension", "rank 1 at least", "rank 0");
  }
  Ref<ScanOp> op = Make<ScanOp>();
  const Expr begin = init[0]->shape()[0];
  const Expr end = state[0]->shape()[0];
  Var t = MakeVar(name + ".time", end->dtype);
  op->scan_axis = MakeIterVar(MakeRange(begin, end - begin), t, IterKind::kOrdered);
  for (size_t k = 0; k < state.size(); ++k) {
    for (int d = 1; d < state[k]->ndim(); ++d) {
      const Expr extent = state[k]->shape()[static_cast<size_t>(d)];
      Var v = MakeVar(name + ".v" + std::to_string(k) + ".ax" + std::to_string(d), extent->dtype);
      op->spatial_axis.push_back(
          MakeIterVar(MakeRange(Const(0, v->dtype), extent), v, IterKind::kOpaque));
    }
  }
  op->name = std::move(name);
  op->tag = std::move(tag);
  op->attrs = std::move(attrs);
  op->init = std::move(init);
  op->update = std::move(update);
  op->state = std::move(state);
  op->inputs = std::move(inputs);
  if (const std::string problem = CheckNode(*op); !problem.empty()) {
    std::string shapes;
    for (size_t k = 0; k < op->state.size(); ++k) {
      shapes += (k == 0 ? "init " : "; init ") + ShapeText(op->init[k]->shape()) + ", update " +
                ShapeText(op->update[k]->shape()) + ", state " + ShapeText(op->state[k]->shape());
    }
    refuse(problem, "updates of their states' shapes; inits that differ only in rows", shapes);
  }
  std::vector<Tensor> out;
  for (size_t k = 0; k < op->state.size(); ++k)
    out.push_back(OutputOf(op, static_cast<int64_t>(k)));
  return out;
}

std::vector<Tensor> Extern(std::vector<Shape> shapes, std::vector<DataType> dtypes,
                           std::vector<Tensor> inputs, const ExternBody& body, std::string name,
                           std::string tag, Dict attrs) {
  if (shapes.empty() || shapes.size() != dtypes.size()) {
    throw Error(Diagnostic{
        .name = "extern-outputs",
        .message = "extern `" + name + "` needs one shape and one type per output",
        .expected = "as many types as shapes, at least one",
        .found =
            std::to_string(shapes.size()) + " shapes, " + std::to_string(dtypes.size()) + " types",
        .help = "list the outputs' shapes and types in the same order"});
  }
  Ref<ExternOp> op = Make<ExternOp>();
  op->name = name;
  op->tag = std::move(tag);
  op->attrs = std::move(attrs);
  for (const Tensor& t : inputs)
    op->input_buffers.push_back(MakeBuffer(t->name(), t->dtype(), t->shape()));
  for (size_t k = 0; k < shapes.size(); ++k) {
    CheckShape(shapes[k], name);
    op->output_buffers.push_back(MakeBuffer(
        shapes.size() == 1 ? name : name + ".v" + std::to_string(k), dtypes[k], shapes[k]));
  }
  op->inputs = std::move(inputs);
  op->body = body(op->input_buffers, op->output_buffers);
  LATHE_CHECK(op->body) << "the body of extern `" << name << "` gave no statement";
  std::vector<Tensor> out;
  for (size_t k = 0; k < shapes.size(); ++k) out.push_back(OutputOf(op, static_cast<int64_t>(k)));
  return out;
}

Tensor Constant(Ref<const Blob> data, std::vector<int64_t> shape, DataType dtype,
                std::string name) {
  Dict attrs{{ir::ConstantKey(0), ir::MakeConstant(dtype, shape, std::move(data))}};
  Shape extents;
  for (const int64_t extent : shape)
    extents.push_back(ir::Int(extent, extent > INT32_MAX ? DataType::Int(64) : DataType::Int(32)));
  // A copy of the constant: the evaluator runs it, and it fills an argument.
  const ExternBody copy = [&](const std::vector<Buffer>&, const std::vector<Buffer>& outputs) {
    const Buffer table = MakeBuffer(name + ".data", dtype, extents);
    std::vector<Expr> index;
    std::vector<Var> axes;
    for (const Expr& extent : extents) {
      axes.push_back(MakeVar("i" + std::to_string(axes.size()), extent->dtype));
      index.push_back(axes.back());
    }
    Stmt body = MakeStore(outputs[0], MakeLoad(table, index), index);
    for (size_t d = axes.size(); d-- > 0;)
      body = MakeFor(axes[d], ir::Const(0, axes[d]->dtype), extents[d], ir::ForKind::kSerial, body);
    return ir::MakeAllocConst(table, 0, body);
  };
  return Extern({extents}, {dtype}, {}, copy, name, "constant", std::move(attrs))[0];
}

bool IsConstant(const ir::OpNode& op) {
  return op.node_kind() == NodeKind::kExternOp && op.tag == "constant" &&
         op.attrs.count(ir::ConstantKey(0)) != 0;
}

Op ReplaceInputs(const Op& op, const TensorMap& replacements) {
  bool changed = false;
  auto replaced = [&](const Tensor& t) {
    for (const auto& [from, to] : replacements) {
      if (SameTensor(t, from)) {
        changed = true;
        return to;
      }
    }
    return t;
  };
  auto replace_all = [&](std::vector<Tensor>& list) {
    for (Tensor& t : list) t = replaced(t);
  };
  Ref<Node> copy = CloneNode(*op);
  switch (op->node_kind()) {
    case NodeKind::kComputeOp: {
      auto& compute = static_cast<ComputeOp&>(*copy);
      for (Expr& value : compute.body) {
        value = Rewrite(value, [&](const Load& load) -> Expr {
          Tensor t = RefAs<TensorNode>(load.source);
          if (!t) return nullptr;
          Tensor other = replaced(t);
          return other.get() == t.get() ? Expr() : MakeLoad(other, load.indices, load.mask);
        });
      }
      break;
    }
    case NodeKind::kScanOp: {
      auto& scan = static_cast<ScanOp&>(*copy);
      replace_all(scan.init);
      replace_all(scan.update);
      break;
    }
    case NodeKind::kExternOp:
      replace_all(static_cast<ExternOp&>(*copy).inputs);
      break;
    case NodeKind::kTensorComputeOp:
      replace_all(static_cast<TensorComputeOp&>(*copy).inputs);
      break;
    default:
      break;
  }
  return changed ? Op(static_cast<const OpNode*>(copy.get())) : op;
}

}  // namespace lathe::te
