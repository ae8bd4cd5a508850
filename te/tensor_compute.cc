// Operations that call a tensor intrinsic directly.

#include "base/error.h"
#include "ir/rewrite.h"
#include "ir/structural.h"
#include "te/shape_text.h"
#include "te/tensor_intrin.h"

namespace lathe::te {
namespace {

using namespace ir;  // NOLINT: the nodes' names, in this file only

[[noreturn]] void MismatchedCall(const std::string& name, std::string what, std::string expected,
                                 std::string found) {
  throw Error(Diagnostic{.name = "tensor-call-mismatch",
                         .message = "tensor compute `" + name + "`: " + std::move(what),
                         .expected = std::move(expected),
                         .found = std::move(found),
                         .help = "give one region per input of the intrinsic, of its shape where "
                                 "dimensions of extent 1 are left out"});
}

std::vector<Expr> ExtentsOf(const std::vector<Range>& region) {
  std::vector<Expr> out;
  for (const Range& range : region) out.push_back(range->extent);
  return out;
}

}  // namespace

std::vector<int> AlignDims(const std::vector<Expr>& region_extents,
                           const std::vector<Expr>& operand_shape, bool* fits) {
  std::vector<int> dims(operand_shape.size(), -1);
  *fits = false;
  size_t at = 0;
  for (size_t d = 0; d < operand_shape.size(); ++d) {
    if (IsOne(operand_shape[d])) continue;
    while (at < region_extents.size() && IsOne(region_extents[at])) ++at;
    if (at == region_extents.size()) return {};
    const int64_t* wanted = AsConstInt(operand_shape[d]);
    const int64_t* given = AsConstInt(region_extents[at]);
    if (wanted == nullptr || given == nullptr || *wanted != *given) return {};
    dims[d] = static_cast<int>(at++);
  }
  while (at < region_extents.size() && IsOne(region_extents[at])) ++at;
  *fits = at == region_extents.size();
  return *fits ? dims : std::vector<int>();
}

std::vector<Tensor> TensorCompute(const Shape& loops,
                                  const std::function<IntrinCall(const Indices&)>& call,
                                  std::string name, ComputeOptions options) {
  Ref<TensorComputeOp> op = Make<TensorComputeOp>();
  Indices indices;
  auto add_axis = [&](const Expr& extent, IterKind kind) {
    static constexpr const char* kNames[] = {"i", "j", "k", "l"};
    const size_t d = op->axis.size();
    std::string axis = d < options.axis_names.size() ? options.axis_names[d]
                       : d < 4                       ? kNames[d]
                                                     : "ax" + std::to_string(d);
    const Var var = MakeVar(std::move(axis), extent->dtype);
    op->axis.push_back(MakeIterVar(MakeRange(Const(0, extent->dtype), extent), var, kind));
    op->shape.push_back(extent);
    return var;
  };
  for (const Expr& extent : loops) indices.push_back(add_axis(extent, IterKind::kData));
  IntrinCall given = call(indices);
  if (!given.intrin) {
    MismatchedCall(name, "it calls nothing", "a tensor intrinsic", "none");
  }
  const ComputeOp& reference = ReferenceOf(*given.intrin);
  op->schedulable_ndim = static_cast<int64_t>(loops.size());
  for (const auto& [tensor, region] : given.inputs) {
    if (region.size() != tensor->shape().size()) {
      MismatchedCall(name, "the region of `" + tensor->name() + "`",
                     std::to_string(tensor->shape().size()) + " ranges",
                     std::to_string(region.size()));
    }
    op->inputs.push_back(tensor);
    op->input_regions.insert(op->input_regions.end(), region.begin(), region.end());
  }
  for (const Expr& extent : reference.shape) add_axis(extent, IterKind::kTensorized);
  op->name = std::move(name);
  op->tag = std::move(options.tag);
  op->attrs = std::move(options.attrs);
  op->reduce_axis = std::move(given.reduce_axis);
  op->intrin = given.intrin;
  op->scalar_inputs = std::move(given.scalars);
  CheckTensorCompute(*op);
  std::vector<Tensor> out;
  for (size_t k = 0; k < reference.body.size(); ++k)
    out.push_back(OutputOf(op, static_cast<int64_t>(k)));
  return out;
}

void CheckTensorCompute(const TensorComputeOp& op) {
  if (!op.intrin) MismatchedCall(op.name, "it calls nothing", "a tensor intrinsic", "none");
  const TensorIntrinNode& intrin = *op.intrin;
  CheckTensorIntrin(intrin);
  const ComputeOp& reference = ReferenceOf(intrin);
  if (op.inputs.size() != intrin.inputs.size()) {
    MismatchedCall(op.name, "`" + intrin.name + "` is called with another number of inputs",
                   std::to_string(intrin.inputs.size()), std::to_string(op.inputs.size()));
  }
  size_t first = 0;
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    const Tensor& tensor = op.inputs[i];
    if (tensor->dtype() != intrin.inputs[i]->dtype()) {
      MismatchedCall(op.name, "input " + std::to_string(i) + " of `" + intrin.name + "`",
                     intrin.inputs[i]->dtype().ToString(), tensor->dtype().ToString());
    }
    const size_t rank = tensor->shape().size();
    std::vector<Expr> extents;
    for (size_t d = first; d < first + rank && d < op.input_regions.size(); ++d)
      extents.push_back(op.input_regions[d]->extent);
    first += rank;
    bool fits = false;
    AlignDims(extents, intrin.inputs[i]->shape(), &fits);
    if (!fits || extents.size() != rank) {
      MismatchedCall(op.name,
                     "the region of `" + tensor->name() + "` does not fit `" + intrin.name + "`",
                     ShapeText(intrin.inputs[i]->shape()), ShapeText(extents));
    }
  }
  if (first != op.input_regions.size()) {
    MismatchedCall(op.name, "the regions are not those of its inputs", std::to_string(first),
                   std::to_string(op.input_regions.size()));
  }
  if (op.scalar_inputs.size() != intrin.scalar_params.size()) {
    MismatchedCall(op.name, "`" + intrin.name + "` is called with another number of scalars",
                   std::to_string(intrin.scalar_params.size()),
                   std::to_string(op.scalar_inputs.size()));
  }
  for (size_t i = 0; i < op.scalar_inputs.size(); ++i) {
    if (op.scalar_inputs[i]->dtype != intrin.scalar_params[i]->dtype) {
      MismatchedCall(
          op.name, "scalar `" + intrin.scalar_params[i]->name + "` of `" + intrin.name + "`",
          intrin.scalar_params[i]->dtype.ToString(), op.scalar_inputs[i]->dtype.ToString());
    }
    PostOrder(op.scalar_inputs[i], [&](const Node& node) {
      if (node.node_kind() != NodeKind::kLoad) return;
      MismatchedCall(op.name, "a scalar of `" + intrin.name + "` reads a tensor",
                     "numbers, and variables of loops and sizes", "a load");
    });
  }
  if (!op.reduce_axis.empty() && As<Reduce>(reference.body[0]) == nullptr) {
    MismatchedCall(op.name, "`" + intrin.name + "` does not reduce", "no reduction axis",
                   std::to_string(op.reduce_axis.size()) + " reduction axes");
  }
  // Its axes: its own loops, then all axes of the intrinsic's reference.
  bool axes_fit =
      op.schedulable_ndim >= 0 && op.shape.size() == op.axis.size() &&
      op.axis.size() == static_cast<size_t>(op.schedulable_ndim) + reference.axis.size();
  for (size_t d = 0; axes_fit && d < op.axis.size(); ++d) {
    const IterVar& axis = op.axis[d];
    const bool own = d < static_cast<size_t>(op.schedulable_ndim);
    axes_fit = axis->domain && IsZero(axis->domain->min) &&
               axis->iter_kind == (own ? IterKind::kData : IterKind::kTensorized);
    if (axes_fit && !own) {
      const Expr& wanted = reference.shape[d - static_cast<size_t>(op.schedulable_ndim)];
      axes_fit = StructuralEqual(MakeCast(wanted->dtype, axis->domain->extent), wanted) &&
                 StructuralEqual(MakeCast(wanted->dtype, op.shape[d]), wanted);
    }
  }
  if (!axes_fit) {
    MismatchedCall(op.name, "its axes are not its loops and then those of `" + intrin.name + "`",
                   ShapeText(reference.shape) + " at the end", ShapeText(op.shape));
  }
}

Op ReferenceCompute(const TensorComputeOp& op) {
  CheckTensorCompute(op);
  const TensorIntrinNode& intrin = *op.intrin;
  const ComputeOp& reference = ReferenceOf(intrin);
  Ref<ComputeOp> out = Make<ComputeOp>();
  out->name = op.name;
  out->tag = op.tag;
  out->attrs = op.attrs;
  out->axis = op.axis;
  out->shape = op.shape;
  out->reduce_axis = op.reduce_axis;
  VarMap values;
  for (size_t d = 0; d < reference.axis.size(); ++d) {
    const Var& from = reference.axis[d]->var;
    values[from] =
        MakeCast(from->dtype, op.axis[static_cast<size_t>(op.schedulable_ndim) + d]->var);
  }
  for (const IterVar& axis : reference.reduce_axis) {
    const IterVar fresh =
        MakeIterVar(axis->domain, MakeVar(axis->var->name, axis->var->dtype), axis->iter_kind);
    values[axis->var] = fresh->var;
    out->reduce_axis.push_back(fresh);
  }
  for (size_t p = 0; p < intrin.scalar_params.size(); ++p)
    values[intrin.scalar_params[p]] = op.scalar_inputs[p];

  auto rewritten = [&](const Expr& value) {
    const Expr with_regions = Rewrite(value, [&](const Load& load) -> Expr {
      const Tensor tensor = RefAs<TensorNode>(load.source);
      size_t first = 0;
      for (size_t i = 0; tensor && i < intrin.inputs.size(); ++i) {
        const size_t rank = op.inputs[i]->shape().size();
        if (SameTensor(tensor, intrin.inputs[i])) {
          const std::vector<Range> region(
              op.input_regions.begin() + static_cast<std::ptrdiff_t>(first),
              op.input_regions.begin() + static_cast<std::ptrdiff_t>(first + rank));
          bool fits = false;
          const std::vector<int> dims = AlignDims(ExtentsOf(region), tensor->shape(), &fits);
          LATHE_CHECK(fits) << "a region of `" << op.name << "` does not fit its intrinsic";
          std::vector<Expr> index;
          for (const Range& range : region) index.push_back(range->min);
          for (size_t d = 0; d < dims.size(); ++d) {
            if (dims[d] >= 0) {
              Expr& at = index[static_cast<size_t>(dims[d])];
              at = at + load.indices[d];
            }
          }
          return MakeLoad(op.inputs[i], std::move(index));
        }
        first += rank;
      }
      return nullptr;
    });
    return Substitute(with_regions, values);
  };
  for (const Expr& value : reference.body) {
    const auto* reduce = As<Reduce>(value);
    if (reduce == nullptr) {
      out->body.push_back(rewritten(value));
      continue;
    }
    std::vector<Expr> sources, init;
    for (const Expr& source : reduce->sources) sources.push_back(rewritten(source));
    for (const Expr& start : reduce->init) init.push_back(rewritten(start));
    out->body.push_back(MakeReduce(reduce->reducer, std::move(sources), out->reduce_axis,
                                   rewritten(reduce->condition), reduce->value_index,
                                   std::move(init)));
  }
  return out;
}

}  // namespace lathe::te
