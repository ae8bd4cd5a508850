#include "tune/argument_layouts.h"

#include "driver/relayout.h"
#include "ir/tensor_op.h"
#include "ir/text/printer.h"
#include "runtime/status.h"
#include "schedule/index_map.h"

namespace lathe::tune {
namespace {

// Equal for maps that do the same: the variables of all of them are called d0, d1, ...
std::string TextOf(const schedule::IndexMap& map) {
  std::string text;
  for (const ir::Expr& index : map.indices) text += ir::ToText(index) + ", ";
  for (const int64_t at : map.separators) text += "| " + std::to_string(at);
  return text;
}

}  // namespace

absl::StatusOr<std::vector<RunArgument>> ArgumentLayouts::For(
    const driver::ProgramToCompile& candidate) {
  std::vector<RunArgument> arguments(arguments_.begin(), arguments_.end());
  if (!candidate.schedule) return arguments;
  for (size_t i = 0; i < arguments.size() && i < candidate.args.size(); ++i) {
    const auto tensor = ir::RefAs<ir::TensorNode>(candidate.args[i]);
    const schedule::Stage* const stage = tensor ? candidate.schedule->Find(tensor->op) : nullptr;
    if (stage == nullptr) continue;
    const auto layout = stage->layouts.find(tensor->value_index);
    if (layout == stage->layouts.end()) continue;
    if (arguments[i].output)
      return runtime::MakeStatus(absl::StatusCode::kInvalidArgument, "tune-arguments",
                                 {"the schedule changes the layout of the output `", tensor->name(),
                                  "`\nexpected: layouts of inputs and of what is between\nhelp: a "
                                  "search compares outputs element by element"});
    const std::lock_guard lock(mutex_);
    runtime::Tensor& made = made_[{i, TextOf(layout->second)}];
    if (!made) {
      LATHE_ASSIGN_OR_RETURN(made,
                             driver::InLayoutOf(candidate.schedule, tensor, arguments[i].tensor));
    }
    arguments[i].tensor = made;
  }
  return arguments;
}

}  // namespace lathe::tune
