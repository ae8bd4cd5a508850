#include "tools/lathe/roofline.h"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>
#include <vector>

#include "driver/auto_build.h"
#include "ir/text/parser.h"
#include "runtime/status.h"
#include "runtime/tensor.h"
#include "runtime/timer.h"
#include "schedule/trace.h"
#include "target/canonical.h"
#include "target/host_target.h"

namespace lathe::cli {
namespace {

constexpr const char* kProduct = R"(program product {
  placeholder A: float32[512, 512]
  placeholder B: float32[512, 512]
  compute C[i in range(512), j in range(512)] over [k in range(512)] = sum(A[i, k] * B[k, j], axis=[k])
  args [A, B, C]
})";
constexpr double kProductOperations = 2.0 * 512 * 512 * 512;
constexpr int64_t kFewestBytes = int64_t{1} << 12, kMostBytes = int64_t{1} << 28;

// The fastest of several calls, with the default schedule.
absl::StatusOr<double> TimeOf(const std::string& text, const target::Target& target) {
  std::vector<ir::NodeRef> args = schedule::FromProgram(ir::ParseProgram(text)).args;
  LATHE_ASSIGN_OR_RETURN(
      const runtime::Module module,
      driver::AutoBuild(args, "main", target, {}, &driver::CompileCache::Default()));
  std::vector<runtime::Value> values;
  for (const ir::NodeRef& arg : args) {
    const auto& tensor = static_cast<const ir::TensorNode&>(*arg);
    std::vector<int64_t> shape;
    for (const ir::Expr& extent : tensor.shape()) shape.push_back(*ir::AsConstInt(extent));
    LATHE_ASSIGN_OR_RETURN(runtime::Tensor made,
                           runtime::Tensor::Empty(shape, DataType::Float(32)));
    std::fill_n(made.HostData<float>(), made.num_elements(), 1.0f);
    values.emplace_back(std::move(made));
  }
  LATHE_ASSIGN_OR_RETURN(
      const runtime::TimerResult result,
      runtime::TimeFunction(*module.GetFunction("main"), values, runtime::Device::Cpu(),
                            {.repeat = 5, .min_repeat_ms = 5}));
  return result.min;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Roofline>> Roofline::Measure(const target::Target& target) {
  LATHE_ASSIGN_OR_RETURN(const target::Target here, target::CanonicalTarget(target::HostTarget()));
  if (here.ToString() != target.ToString()) return nullptr;
  std::unique_ptr<Roofline> made(new Roofline(target));
  LATHE_ASSIGN_OR_RETURN(const double seconds, TimeOf(kProduct, target));
  made->rate_ = kProductOperations / seconds;
  return made;
}

absl::StatusOr<double> Roofline::SecondsOf(double operations, int64_t bytes) {
  const auto size = static_cast<int64_t>(
      std::bit_ceil(static_cast<uint64_t>(std::clamp(bytes, kFewestBytes, kMostBytes))));
  if (seconds_.find(size) == seconds_.end()) {
    const std::string count = std::to_string(size / 8);  // each element is read and written
    LATHE_ASSIGN_OR_RETURN(seconds_[size], TimeOf("program copy {\n  placeholder A: float32[" +
                                                      count + "]\n  compute B[i in range(" + count +
                                                      ")] = A[i] + 1.0\n  args [A, B]\n}",
                                                  target_));
  }
  const double moving = seconds_[size] * static_cast<double>(bytes) / static_cast<double>(size);
  return std::max(operations / rate_, moving);
}

}  // namespace lathe::cli
