#include "tests/prove/drop.h"

#include <algorithm>

#include "base/error.h"
#include "schedule/schedule.h"
#include "te/operation.h"

namespace lathe::prove {
namespace {

// Returns the tensor that replaced `tensor`; null if none did.
ir::Tensor Now(const te::TensorMap& map, const ir::Tensor& tensor) {
  for (const auto& [before, after] : map) {
    if (ir::SameTensor(before, tensor)) return after;
  }
  return {};
}

}  // namespace

TestProgram Without(const TestProgram& program, const std::set<std::string>& operations) {
  if (operations.empty()) return program;
  const schedule::Schedule schedule = schedule::CreateSchedule(program.outputs);
  te::TensorMap now;
  std::vector<ir::Tensor> inputs;
  for (const Ref<schedule::Stage>& stage : schedule->stages) {
    const ir::Op& op = stage->op;
    const bool gone = operations.count(stage->name) != 0;
    const ir::Op changed = gone ? op : te::ReplaceInputs(op, now);
    for (int64_t k = 0; k < ir::NumOutputs(*op); ++k) {
      const ir::Tensor before = ir::OutputOf(op, k);
      if (gone) {
        const std::string name =
            stage->name + (ir::NumOutputs(*op) > 1 ? ".v" + std::to_string(k) : "");
        inputs.push_back(te::Placeholder(before->shape(), before->dtype(), name));
        now.emplace_back(before, inputs.back());
      } else if (!changed.same_as(op)) {
        now.emplace_back(before, ir::OutputOf(changed, k));
      }
    }
  }
  TestProgram out = program;
  out.outputs.clear();
  for (const ir::Op& op : program.outputs) {
    if (operations.count(op->name) != 0) continue;
    const ir::Tensor changed = Now(now, ir::OutputOf(op, 0));
    out.outputs.push_back(changed ? changed->op : op);
  }
  if (out.outputs.empty())
    throw Error(Diagnostic{.name = "prove-nothing-left", .message = "no output remains"});
  // Keeps the arguments that still exist.
  const schedule::Schedule left = schedule::CreateSchedule(out.outputs);
  auto is_there = [&](const ir::Op& op) { return left->Find(op) != nullptr; };
  out.args.clear();
  for (const auto& [var, most] : program.sizes) out.args.emplace_back(var);
  for (const ir::NodeRef& arg : program.args) {
    const ir::Tensor tensor = ir::RefAs<ir::TensorNode>(arg);
    if (!tensor || ir::As<ir::PlaceholderOp>(tensor->op) == nullptr) continue;
    if (is_there(tensor->op)) out.args.push_back(arg);
  }
  for (const ir::Tensor& input : inputs) {
    if (is_there(input->op)) out.args.push_back(input);
  }
  for (const ir::NodeRef& arg : program.args) {
    const ir::Tensor tensor = ir::RefAs<ir::TensorNode>(arg);
    if (!tensor || ir::As<ir::PlaceholderOp>(tensor->op) != nullptr) continue;
    if (operations.count(tensor->op->name) != 0) continue;
    const ir::Tensor changed = Now(now, tensor);
    out.args.push_back(changed ? changed : tensor);
  }
  return out;
}

std::vector<std::string> OperationsOf(const TestProgram& program) {
  std::vector<std::string> names;
  if (program.arithmetic) return names;  // the arithmetic is that of the whole program
  const schedule::Schedule schedule = schedule::CreateSchedule(program.outputs);
  for (const Ref<schedule::Stage>& stage : schedule->stages) {
    if (!stage->is_placeholder() && stage->scan == nullptr) names.push_back(stage->name);
  }
  std::reverse(names.begin(), names.end());
  return names;
}

}  // namespace lathe::prove
