#include "driver/relayout.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "driver/compile.h"
#include "ir/expr.h"
#include "runtime/status.h"
#include "schedule/index_map.h"
#include "schedule/primitives/transform_layout.h"
#include "target/host_target.h"
#include "te/operation.h"

namespace lathe::driver {
namespace {

using runtime::Tensor;

absl::StatusOr<std::vector<int64_t>> Constants(const std::vector<ir::Expr>& shape,
                                               const std::string& name) {
  std::vector<int64_t> extents;
  for (const ir::Expr& extent : shape) {
    const int64_t* const constant = ir::AsConstInt(extent);
    if (constant == nullptr)
      return runtime::MakeStatus(absl::StatusCode::kInvalidArgument, "relayout-values",
                                 {"the shape of `", name,
                                  "` is known when it runs\nexpected: constant extents\nhelp: "
                                  "write numbers instead of its sizes"});
    extents.push_back(*constant);
  }
  return extents;
}

}  // namespace

absl::StatusOr<Tensor> InLayoutOf(const schedule::Schedule& schedule, const ir::Tensor& argument,
                                  const Tensor& values) {
  const schedule::Stage* stage = schedule->FindArgument(argument->op);
  if (stage == nullptr) return values;
  const auto layout = stage->layouts.find(argument->value_index);
  if (layout == stage->layouts.end()) return values;
  const schedule::IndexMap& map = layout->second;
  LATHE_ASSIGN_OR_RETURN(const std::vector<int64_t> shape,
                         Constants(argument->shape(), argument->name()));
  if (!std::ranges::equal(values.shape(), shape) || values.dtype() != argument->dtype() ||
      !values.is_compact())
    return runtime::MakeStatus(
        absl::StatusCode::kInvalidArgument, "relayout-values",
        {"these are no values of `", argument->name(), "`\nexpected: a compact tensor of shape [",
         absl::StrJoin(shape, ", "), "] and type ", argument->dtype().ToString(), "\nfound: ",
         values.ToString(), "\nhelp: pass the values as the program has them, before the layout"});
  LATHE_ASSIGN_OR_RETURN(
      const std::vector<int64_t> physical,
      Constants(*schedule::PhysicalShape(map, argument->shape()), argument->name()));
  const ir::Tensor from = te::Placeholder(argument->shape(), argument->dtype(), "from");
  const ir::Tensor to = te::Compute(
      argument->shape(), [&](const te::Indices& i) { return te::At(from, {i.begin(), i.end()}); },
      "to");
  schedule::Schedule copy = schedule::CreateSchedule({to->op});
  schedule::TransformLayout(
      copy, to,
      [&](const std::vector<ir::Var>& vars) {
        return schedule::Apply(map, {vars.begin(), vars.end()});
      },
      map.separators);
  LATHE_ASSIGN_OR_RETURN(const runtime::Module module,
                         Build(Lower(copy, {from, to}, "relayout", {}), target::HostTarget(), {}));
  LATHE_ASSIGN_OR_RETURN(const runtime::Function relayout, module.GetFunction("relayout"));
  LATHE_ASSIGN_OR_RETURN(Tensor made, Tensor::Empty(physical, values.dtype()));
  std::memset(static_cast<char*>(made.dl().data) + made.dl().byte_offset, 0, made.num_bytes());
  const runtime::Value given(values), result(made);
  const lathe_value call[] = {given.c(), result.c()};
  LATHE_RETURN_IF_ERROR(relayout.TryCallPacked(call, 2).status());
  return made;
}

}  // namespace lathe::driver
