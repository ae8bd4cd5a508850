#include "tune/runner.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <utility>

#include "base/float_formats.h"
#include "base/poll.h"
#include "runtime/cancel.h"
#include "runtime/json.h"
#include "runtime/status.h"

namespace lathe::tune {
namespace {

using runtime::Device;
using runtime::MakeStatus;
using runtime::StatusName;
using runtime::Tensor;
using runtime::Value;
using std::chrono::steady_clock;

constexpr int64_t kGuardBytes = 4096;  // around each output
constexpr char kGuard = 0x5b;

// The guard's bytes before an output. A kernel of a device whose memory has no addresses, such as
// OpenCL's buffers, takes only tensors that begin where their memory does.
int64_t GuardBefore(const Device& device) {
  return device.kind == kDLCPU || device.kind == kDLCUDA ? kGuardBytes : 0;
}

// The far side's tensors of one candidate.
struct FarArgument {
  Tensor tensor;
  Tensor around;  // of an output: its memory, with the guards
  int64_t before = 0;
};

absl::StatusOr<FarArgument> Place(const RunArgument& argument, const Device& device) {
  FarArgument placed;
  if (!argument.output) {
    LATHE_ASSIGN_OR_RETURN(placed.tensor, argument.tensor.To(device));
    return placed;
  }
  placed.before = GuardBefore(device);
  const int64_t bytes =
      placed.before + static_cast<int64_t>(argument.tensor.num_bytes()) + kGuardBytes;
  const std::string guarded(static_cast<size_t>(bytes), kGuard);
  LATHE_ASSIGN_OR_RETURN(placed.around, Tensor::Empty({bytes}, DataType::UInt(8), device));
  LATHE_RETURN_IF_ERROR(placed.around.CopyFromHost(guarded.data(), guarded.size()));
  const DLTensor& memory = placed.around.dl();
  auto* const owner = new Tensor(placed.around);
  placed.tensor = Tensor::Wrap(
      memory.data, memory.byte_offset + static_cast<uint64_t>(placed.before),
      argument.tensor.shape(), {}, argument.tensor.dtype(), device,
      [](void* context) { delete static_cast<Tensor*>(context); }, owner);
  return placed;
}

// The number of bytes of the guards that changed.
absl::StatusOr<int64_t> CountChanged(const FarArgument& output) {
  const int64_t bytes = output.around.num_elements();
  int64_t changed = 0;
  for (const int64_t begin : {int64_t{0}, bytes - kGuardBytes}) {
    if (begin == 0 && output.before == 0) continue;
    std::array<char, kGuardBytes> guard{};
    LATHE_RETURN_IF_ERROR(
        output.around.Slice(0, begin, begin + kGuardBytes).CopyToHost(guard.data(), guard.size()));
    changed += kGuardBytes - std::count(guard.begin(), guard.end(), kGuard);
  }
  return changed;
}

// "" or the first element that differs. `number` gives an element of its bytes.
template <class Number>
std::string FirstDifference(const char* found, const char* wanted, const DataType& dtype,
                            int64_t count, double tolerance, const Number& number) {
  const auto bytes = static_cast<size_t>(dtype.bytes());
  for (int64_t i = 0; i < count; ++i, found += bytes, wanted += bytes) {
    if (std::memcmp(found, wanted, bytes) == 0) continue;
    const double a = number(found), b = number(wanted);
    // Zeros of two signs, NaNs of two patterns; infinities are only equal to themselves.
    const bool same = dtype.is_float() && (a == b || (std::isnan(a) && std::isnan(b)));
    const bool close = tolerance > 0 && std::isfinite(b) &&
                       std::abs(a - b) <= tolerance * std::max(1.0, std::abs(b));
    if (same || close) continue;
    char text[80];
    std::snprintf(text, sizeof text, "element %lld is %.9g instead of %.9g",
                  static_cast<long long>(i), a, b);
    return text;
  }
  return {};
}

absl::StatusOr<std::string> Compare(const RunArgument& wanted, const Tensor& far) {
  LATHE_ASSIGN_OR_RETURN(const Tensor found, far.To(Device::Cpu()));
  const auto data_of = [](const Tensor& tensor) {
    return static_cast<const char*>(tensor.dl().data) + tensor.dl().byte_offset;
  };
  const DataType dtype = found.dtype();
  const auto differ = [&](const auto& number) {
    return FirstDifference(data_of(found), data_of(wanted.tensor), dtype, found.num_elements(),
                           wanted.tolerance, number);
  };
  if (dtype == DataType::Float(32)) {
    return differ([](const char* at) {
      float value = 0;
      std::memcpy(&value, at, sizeof value);
      return static_cast<double>(value);
    });
  }
  return differ([dtype](const char* at) {
    uint64_t bits = 0;
    std::memcpy(&bits, at, static_cast<size_t>(dtype.bytes()));  // little-endian, as all hosts are
    if (dtype.is_float()) return DecodeFloat(bits, dtype);
    const int unused = 64 - 8 * static_cast<int>(dtype.bytes());
    return dtype.is_int() ? static_cast<double>(static_cast<int64_t>(bits << unused) >> unused)
                          : static_cast<double>(bits);
  });
}

// What a failure of the session says about the candidate.
FailureKind KindOf(const absl::Status& status) {
  const std::string_view name = StatusName(status);
  if (name == "session-crashed") return FailureKind::kCrash;
  if (name == "out-of-memory" || name == "device-out-of-memory") return FailureKind::kOutOfMemory;
  if (name == "session-timeout") return FailureKind::kTimeout;
  for (const std::string_view lost : {"link-lost", "session-closed", "session-ended"})
    if (name == lost) return FailureKind::kDevice;
  return name.substr(0, 4) == "rpc-" ? FailureKind::kDevice : FailureKind::kError;
}

}  // namespace

Runner::Runner(OpenSession open, int32_t kind, int32_t id, RunOptions options)
    : open_(std::move(open)), kind_(kind), id_(id), options_(std::move(options)) {}

Runner::~Runner() {
  if (session_) session_->Close();
}

RunResult Runner::Run(std::string_view module_kind, std::string_view code,
                      std::string_view function, std::span<const RunArgument> arguments) {
  for (int attempt = 1;; ++attempt) {
    RunResult result = RunOnce(module_kind, code, function, arguments);
    const bool lost = result.failure && result.failure->kind == FailureKind::kDevice;
    if (!lost || attempt >= options_.attempts) return result;
  }
}

RunResult Runner::RunOnce(std::string_view module_kind, std::string_view code,
                          std::string_view function, std::span<const RunArgument> arguments) {
  RunResult result;
  const absl::Status status = Try(module_kind, code, function, arguments, &result);
  if (status.ok()) return result;
  // Calls end with a status, all else with an exception.
  const bool late = StatusName(status) == "deadline-exceeded";
  const bool stopped = StatusName(status) == "cancelled";  // by the caller
  result.seconds.clear();
  if (late) {
    result.failure = {FailureKind::kTimeout,
                      "it did not end within " + runtime::Json(options_.timeout).Dump() + " s"};
  } else {
    if (!result.failure) result.failure = Failure{KindOf(status), {}};
    result.failure->message = std::string(status.message());
  }
  const FailureKind kind = result.failure->kind;
  // What runs there does not end by itself: the session's end ends it.
  if (session_ && (stopped || kind == FailureKind::kCrash || kind == FailureKind::kTimeout ||
                   kind == FailureKind::kDevice))
    std::exchange(session_, nullptr)->Close();
  PollNow();  // it may have been the caller's own interruption
  return result;
}

absl::Status Runner::Open() {
  if (session_) return absl::OkStatus();
  LATHE_ASSIGN_OR_RETURN(session_, open_());
  return absl::OkStatus();
}

absl::Status Runner::Try(std::string_view module_kind, std::string_view code,
                         std::string_view function, std::span<const RunArgument> arguments,
                         RunResult* result) {
  if (const absl::Status opened = Open(); !opened.ok()) {
    result->failure = Failure{FailureKind::kDevice, {}};
    return opened;
  }
  runtime::Cancellation limit;
  limit.SetDeadline(steady_clock::now() + std::chrono::duration_cast<std::chrono::nanoseconds>(
                                              std::chrono::duration<double>(options_.timeout)));
  const runtime::CancelScope scope(limit);
  try {
    return Measure(module_kind, code, function, arguments, result);
  } catch (const runtime::Interrupted& end) {
    return MakeStatus(absl::StatusCode::kDeadlineExceeded, end.name(), end.what());
  }
}

absl::Status Runner::Measure(std::string_view module_kind, std::string_view code,
                             std::string_view function, std::span<const RunArgument> arguments,
                             RunResult* result) {
  const auto failed = [result](FailureKind kind, absl::Status status) {
    result->failure = Failure{kind, {}};
    return status;
  };
  const Device device = session_->device(kind_, id_);
  const absl::StatusOr<runtime::Module> module = session_->LoadBytes(module_kind, code);
  if (!module.ok() && KindOf(module.status()) == FailureKind::kError)
    return failed(FailureKind::kBuild, module.status());
  LATHE_RETURN_IF_ERROR(module.status());
  const absl::StatusOr<runtime::Function> entry = module->GetFunction(function);
  if (!entry.ok() && KindOf(entry.status()) == FailureKind::kError)
    return failed(FailureKind::kBuild, entry.status());
  LATHE_RETURN_IF_ERROR(entry.status());
  std::vector<FarArgument> placed;
  std::vector<Value> values;
  std::vector<lathe_value> call;
  for (const RunArgument& argument : arguments) {
    LATHE_ASSIGN_OR_RETURN(placed.emplace_back(), Place(argument, device));
    call.push_back(values.emplace_back(placed.back().tensor).c());
  }
  if (options_.check) {
    LATHE_RETURN_IF_ERROR(
        entry->TryCallPacked(call.data(), static_cast<int32_t>(call.size())).status());
    for (size_t i = 0; i < placed.size(); ++i) {
      if (!arguments[i].output) continue;
      LATHE_ASSIGN_OR_RETURN(const std::string different, Compare(arguments[i], placed[i].tensor));
      if (!different.empty())
        return failed(FailureKind::kWrongAnswer,
                      MakeStatus(absl::StatusCode::kDataLoss, "tune-wrong-answer",
                                 {"argument ", std::to_string(i), ": ", different}));
    }
  }
  runtime::TimerOptions timer = options_.timer;
  timer.go_on = nullptr;
  timer.preprocess = nullptr;
  runtime::Function preprocess;
  if (!options_.preprocess.empty()) {
    LATHE_ASSIGN_OR_RETURN(preprocess, session_->GetFunction(options_.preprocess));
  }
  LATHE_ASSIGN_OR_RETURN(const runtime::TimerResult timed,
                         session_->Time(*entry, values, device, timer, preprocess));
  for (size_t i = 0; i < placed.size(); ++i) {
    if (!arguments[i].output) continue;
    LATHE_ASSIGN_OR_RETURN(const int64_t changed, CountChanged(placed[i]));
    if (changed != 0)
      return failed(FailureKind::kWrongAnswer,
                    MakeStatus(absl::StatusCode::kDataLoss, "tune-wrong-answer",
                               {"it wrote outside of argument ", std::to_string(i), ": ",
                                std::to_string(changed), " bytes around it changed"}));
  }
  result->seconds = timed.seconds;
  return absl::OkStatus();
}

}  // namespace lathe::tune
