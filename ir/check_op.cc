#include "ir/check_op.h"

#include "ir/structural.h"

namespace lathe::ir {
namespace {

using std::string;

bool RunsOver(const IterVar& axis, const Expr& extent) {
  const Range& domain = axis->domain;
  return domain && IsZero(domain->min) &&
         (domain->extent.same_as(extent) || StructuralEqual(domain->extent, extent));
}

string CheckCompute(const ComputeOp& op) {
  if (op.body.empty()) return "a compute needs a body";
  if (op.shape.size() != op.axis.size()) return "a compute needs one axis per dimension";
  for (size_t d = 0; d < op.axis.size(); ++d) {
    const IterVar& a = op.axis[d];
    if (!a->domain) return "axis `" + a->var->name + "` needs a domain";
    if (!RunsOver(a, op.shape[d]))
      return "axis `" + a->var->name + "` does not run over dimension " + std::to_string(d) +
             " of the shape";
  }
  for (const IterVar& a : op.reduce_axis) {
    if (a->iter_kind != IterKind::kReduce || !a->domain)
      return "`" + a->var->name + "` is no reduction axis with a domain";
  }
  return "";
}

// Whether two extents are different numbers. Symbolic extents are compared when the scan is
// scheduled; that needs proofs.
bool Differ(const Expr& a, const Expr& b) {
  const int64_t *x = AsConstInt(a), *y = AsConstInt(b);
  return x != nullptr && y != nullptr && *x != *y;
}

string CheckScanPart(const string& what, const Tensor& part, const Tensor& state) {
  const string names =
      "the " + what + " `" + part->name() + "` and its state `" + state->name() + "`";
  if (part->dtype() != state->dtype())
    return names + " have the types " + part->dtype().ToString() + " and " +
           state->dtype().ToString();
  if (part->ndim() != state->ndim())
    return names + " have " + std::to_string(part->ndim()) + " and " +
           std::to_string(state->ndim()) + " dimensions";
  for (size_t d = 1; d < state->shape().size(); ++d) {
    if (Differ(part->shape()[d], state->shape()[d]))
      return names + " differ in dimension " + std::to_string(d);
  }
  return "";
}

// Checks the rows: `init` must have those before the scan's range, `state` those and the range.
string CheckScanRows(const ScanOp& op, size_t k) {
  const Range& time = op.scan_axis->domain;
  const Tensor &init = op.init[k], &update = op.update[k], &state = op.state[k];
  if (Differ(update->shape()[0], state->shape()[0]))
    return "the update `" + update->name() + "` and its state `" + state->name() +
           "` differ in rows";
  const int64_t *begin = AsConstInt(time->min), *steps = AsConstInt(time->extent);
  if (begin == nullptr) return "";
  if (*begin < 0) return "the scan's range begins before row 0";
  const int64_t *first = AsConstInt(init->shape()[0]), *rows = AsConstInt(state->shape()[0]);
  if (first != nullptr && *first < *begin)
    return "the init `" + init->name() + "` has fewer rows than come before the scan's range";
  if (steps != nullptr && rows != nullptr && *steps > *rows - *begin)
    return "the scan's range has more rows than its state `" + state->name() + "`";
  return "";
}

string CheckScan(const ScanOp& op) {
  if (op.update.empty() || op.init.size() != op.update.size() ||
      op.state.size() != op.update.size())
    return "a scan needs as many inits and updates as states";
  if (!op.scan_axis->domain) return "the scan axis needs a domain";
  size_t axes = 0;
  for (size_t k = 0; k < op.state.size(); ++k) {
    const Tensor& state = op.state[k];
    if (As<PlaceholderOp>(state->op) == nullptr) return "a scan's states are placeholders";
    if (state->ndim() == 0) return "the state `" + state->name() + "` has no dimension for time";
    string problem = CheckScanPart("init", op.init[k], state);
    if (problem.empty()) problem = CheckScanPart("update", op.update[k], state);
    if (problem.empty()) problem = CheckScanRows(op, k);
    if (!problem.empty()) return problem;
    for (size_t d = 1; d < state->shape().size(); ++d, ++axes) {
      if (axes < op.spatial_axis.size() && !RunsOver(op.spatial_axis[axes], state->shape()[d]))
        return "the spatial axis `" + op.spatial_axis[axes]->var->name +
               "` does not run over dimension " + std::to_string(d) + " of the state `" +
               state->name() + "`";
    }
  }
  return axes == op.spatial_axis.size() ? ""
                                        : "the scan has " + std::to_string(op.spatial_axis.size()) +
                                              " spatial axes; its states have " +
                                              std::to_string(axes) + " dimensions besides time";
}

string CheckExtern(const ExternOp& op) {
  if (op.inputs.size() != op.input_buffers.size()) return "one buffer per input is needed";
  return op.output_buffers.empty() ? "an extern operation needs an output" : "";
}

}  // namespace

string CheckOp(const OpNode& op) {
  switch (op.node_kind()) {
    case NodeKind::kComputeOp:
      return CheckCompute(static_cast<const ComputeOp&>(op));
    case NodeKind::kScanOp:
      return CheckScan(static_cast<const ScanOp&>(op));
    case NodeKind::kExternOp:
      return CheckExtern(static_cast<const ExternOp&>(op));
    default:
      return "";
  }
}

}  // namespace lathe::ir
