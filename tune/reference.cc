#include "tune/reference.h"

#include <cstring>
#include <random>
#include <string>
#include <utility>

#include "base/float_formats.h"
#include "driver/compile.h"
#include "ir/expr.h"
#include "ir/tensor_op.h"
#include "runtime/status.h"
#include "schedule/schedule.h"
#include "target/host_target.h"

namespace lathe::tune {
namespace {

using runtime::Tensor;

absl::Status Refused(size_t index, const std::string& found) {
  return runtime::MakeStatus(
      absl::StatusCode::kInvalidArgument, "tune-arguments",
      {"no values can be made for argument ", std::to_string(index),
       "\nexpected: a tensor whose extents are constants, of numbers of at least a byte\nfound: ",
       found, "\nhelp: write numbers instead, for the extents that matter most"});
}

// How much an output may differ: rounding in another order.
double ToleranceOf(DataType dtype) {
  if (!dtype.is_float()) return 0;
  if (dtype.bits() >= 64) return 1e-9;
  return dtype.bits() >= 32 ? 1e-3 : 5e-2;
}

// Not the distributions of the library, whose results differ between libraries.
void Fill(const Tensor& tensor, std::mt19937_64& random) {
  const DataType dtype = tensor.dtype();
  auto* at = static_cast<char*>(tensor.dl().data) + tensor.dl().byte_offset;
  const auto bytes = static_cast<size_t>(dtype.bytes());
  for (int64_t i = 0; i < tensor.num_elements(); ++i, at += bytes) {
    uint64_t element = dtype.is_bool() ? random() % 2 : random() % 8;
    if (dtype.is_float()) {
      const double fraction = static_cast<double>(random() >> 11) * 0x1p-53;
      element = EncodeFloat(2 * fraction - 1, dtype);
    }
    std::memcpy(at, &element, bytes);  // little-endian, as all hosts are
  }
}

}  // namespace

absl::StatusOr<std::vector<RunArgument>> MakeArguments(std::span<const ir::NodeRef> args,
                                                       uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<RunArgument> made;
  std::vector<ir::Op> outputs;
  std::vector<runtime::Value> values;
  std::vector<lathe_value> call;
  for (const ir::NodeRef& arg : args) {
    const auto* const node = ir::As<ir::TensorNode>(arg);
    if (node == nullptr) return Refused(made.size(), "an argument that is no tensor");
    const DataType dtype = node->dtype();
    if (dtype.lanes() != 1 || dtype.bits() < 8 || dtype.bits() > 64 || dtype.is_void())
      return Refused(made.size(), dtype.ToString());
    std::vector<int64_t> shape;
    for (const ir::Expr& extent : node->shape()) {
      const int64_t* const constant = ir::AsConstInt(extent);
      if (constant == nullptr) return Refused(made.size(), "an extent that is known when it runs");
      shape.push_back(*constant);
    }
    RunArgument argument;
    LATHE_ASSIGN_OR_RETURN(argument.tensor, Tensor::Empty(shape, dtype));
    argument.output = ir::As<ir::PlaceholderOp>(node->op) == nullptr;
    if (argument.output) {
      argument.tolerance = ToleranceOf(dtype);
      outputs.push_back(node->op);
    } else {
      Fill(argument.tensor, random);
    }
    call.push_back(values.emplace_back(argument.tensor).c());
    made.push_back(std::move(argument));
  }
  const std::string name = "plain";
  LATHE_ASSIGN_OR_RETURN(const runtime::Module module,
                         driver::Build(driver::Lower(schedule::CreateSchedule(outputs),
                                                     {args.begin(), args.end()}, name, {}),
                                       target::HostTarget(), {}));
  LATHE_ASSIGN_OR_RETURN(const runtime::Function plain, module.GetFunction(name));
  LATHE_RETURN_IF_ERROR(
      plain.TryCallPacked(call.data(), static_cast<int32_t>(call.size())).status());
  return made;
}

}  // namespace lathe::tune
