#include "te/layout_free.h"

#include <algorithm>

#include "base/error.h"
#include "ir/names.h"

namespace lathe::te {

using ir::Tensor;

namespace {

// The positions of the inputs in InputsOf: names would make the workload key depend on names.
constexpr char kLayoutFree[] = "layout_free";

}  // namespace

ir::Op MarkLayoutFree(const ir::Op& compute, const std::vector<Tensor>& inputs) {
  const auto* const op = ir::As<ir::ComputeOp>(compute);
  LATHE_CHECK(op != nullptr) << "`" << compute->name << "` is no compute";
  const std::vector<Tensor> read = ir::InputsOf(*op);
  std::vector<ir::NodeRef> positions;
  for (size_t i = 0; i < read.size(); ++i) {
    const auto is_it = [&](const Tensor& input) { return ir::SameTensor(input, read[i]); };
    if (std::ranges::any_of(inputs, is_it)) positions.push_back(ir::Int(static_cast<int64_t>(i)));
  }
  for (const Tensor& input : inputs) {
    const bool is_read = std::ranges::any_of(
        read, [&](const Tensor& other) { return ir::SameTensor(input, other); });
    if (is_read && ir::As<ir::PlaceholderOp>(input->op) != nullptr) continue;
    throw Error(Diagnostic{
        .name = "layout-free-input",
        .message = "`" + input->name() + "` is no input of `" + op->name + "` in any layout",
        .expected = "a placeholder that the compute reads",
        .found = is_read ? "the result of another operation" : "a tensor that it does not read",
        .help = "list inputs that the caller can put in order before the call"});
  }
  const Ref<ir::ComputeOp> marked = Make<ir::ComputeOp>();
  marked->name = op->name;
  marked->tag = op->tag;
  marked->attrs = op->attrs;
  marked->axis = op->axis;
  marked->reduce_axis = op->reduce_axis;
  marked->body = op->body;
  marked->shape = op->shape;
  marked->attrs[kLayoutFree] =
      ir::MakeCall(DataType::Handle(), ir::kListOperand, std::move(positions));
  return marked;
}

std::vector<Tensor> LayoutFreeInputs(const std::vector<ir::Op>& ops) {
  std::vector<Tensor> found;
  for (const ir::Op& op : ops) {
    const auto* const compute = ir::As<ir::ComputeOp>(op);
    if (compute == nullptr) continue;
    const auto it = compute->attrs.find(kLayoutFree);
    if (it == compute->attrs.end()) continue;
    const auto* const list = ir::As<ir::Call>(it->second);
    const std::vector<Tensor> read = ir::InputsOf(*compute);
    for (size_t i = 0; list != nullptr && i < list->args.size(); ++i) {
      const int64_t* const position = ir::AsConstInt(list->arg(i));
      // Programs come from files, too.
      if (position == nullptr || *position < 0 || *position >= static_cast<int64_t>(read.size()))
        continue;
      const Tensor& input = read[static_cast<size_t>(*position)];
      const bool is_new = std::ranges::none_of(
          found, [&](const Tensor& other) { return ir::SameTensor(input, other); });
      if (is_new && ir::As<ir::PlaceholderOp>(input->op) != nullptr) found.push_back(input);
    }
  }
  return found;
}

}  // namespace lathe::te
