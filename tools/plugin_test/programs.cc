#include "tools/plugin_test/programs.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "arith/analyzer.h"
#include "base/float_formats.h"
#include "driver/compile.h"
#include "driver/default_plugins.h"
#include "driver/lower_device.h"
#include "ir/interpreter/interpreter.h"
#include "ir/rewrite.h"
#include "lathe/abi/names.h"
#include "lower/pipeline.h"
#include "plugins/host/intrinsics.h"
#include "runtime/device_api.h"
#include "runtime/status.h"
#include "schedule/primitives/primitives.h"
#include "target/machine_of.h"

namespace lathe::kit {
namespace {

constexpr const char* kName = "f";
constexpr int64_t kThreads = 32, kParts = 4;

bool HasAxis(const target::Target& target, std::string_view tag) {
  return target.schema->machine.FindAxis(tag) != nullptr;
}

// Fuses all data axes, and binds them to blocks and threads, or to the machine's first thread axis.
void Bind(const target::Target& target, schedule::Schedule& s, const te::Tensor& output) {
  const size_t rank = output->op->node_kind() == ir::NodeKind::kComputeOp
                          ? static_cast<const ir::ComputeOp&>(*output->op).axis.size()
                          : 0;
  if (rank == 0) return;
  std::vector<ir::IterVar> axes;
  for (size_t i = 0; i < rank; ++i) axes.push_back(schedule::AxisOf(output, i));
  const ir::IterVar all = axes.size() == 1 ? axes[0] : schedule::Fuse(s[output], axes);
  if (HasAxis(target, "blockIdx.x") && HasAxis(target, "threadIdx.x")) {
    auto [blocks, threads] = schedule::Split(s[output], all, ThreadsPerBlock(target, kThreads));
    schedule::Bind(s[output], blocks, schedule::ThreadAxis("blockIdx.x"));
    schedule::Bind(s[output], threads, schedule::ThreadAxis("threadIdx.x"));
    return;
  }
  const target::ThreadAxis& axis = target.schema->machine.axes.front();
  const int64_t parts = axis.max == 0 ? kParts : std::min(axis.max, kParts);
  auto [outer, inner] = schedule::SplitParts(s[output], all, parts);
  (void)inner;
  schedule::Bind(s[output], outer, schedule::ThreadAxis(axis.tag));
}

std::vector<ir::Op> Roots(const Program& program) {
  std::vector<ir::Op> ops;
  for (const te::Tensor& output : program.outputs) ops.push_back(output->op);
  return ops;
}

// A tensor in host memory.
struct HostTensor {
  DataType dtype;
  std::vector<int64_t> shape;
  std::string bytes;
};

HostTensor MakeHost(const te::Tensor& tensor, const Program& program,
                    const std::vector<int64_t>& sizes) {
  HostTensor out;
  out.dtype = tensor->dtype();
  ir::VarMap values;
  for (size_t i = 0; i < sizes.size(); ++i)
    values[program.sizes[i]] = ir::Const(sizes[i], program.sizes[i]->dtype);
  int64_t count = 1;
  for (const ir::Expr& extent : tensor->shape()) {
    const ir::Expr value = arith::Analyzer().Simplify(ir::Substitute(extent, values));
    out.shape.push_back(*ir::AsConstInt(value));
    count *= out.shape.back();
  }
  out.bytes.assign(static_cast<size_t>(count * out.dtype.bytes()), '\0');
  return out;
}

// Small numbers of both signs, halves and zero: operations differ on them, and do not overflow.
void FillInput(HostTensor* tensor, uint64_t seed) {
  uint64_t state = seed * 0x9e3779b97f4a7c15ull + 1;
  const auto size = static_cast<size_t>(tensor->dtype.bytes());
  for (size_t at = 0; at < tensor->bytes.size(); at += size) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    const auto pick = static_cast<int64_t>(state >> 33) % 41;
    uint64_t bits = 0;
    if (tensor->dtype.is_float()) {
      bits = EncodeFloat(static_cast<double>(pick - 20) / 4, tensor->dtype);
    } else if (tensor->dtype.is_bool()) {
      bits = static_cast<uint64_t>(pick & 1);
    } else {
      bits = static_cast<uint64_t>(tensor->dtype.is_int() ? pick - 20 : pick);
    }
    std::memcpy(&tensor->bytes[at], &bits, size);
  }
}

// An integer for a float of the given width, in the order of the values. Neighbours differ by one.
int64_t Ordinal(uint64_t bits, int width) {
  const uint64_t sign = uint64_t{1} << (width - 1);
  const auto magnitude = static_cast<int64_t>(bits & (sign - 1));
  return (bits & sign) != 0 ? -magnitude : magnitude;
}

absl::Status Compare(const HostTensor& expected, const HostTensor& got, const std::string& name,
                     double ulps) {
  const auto size = static_cast<size_t>(expected.dtype.bytes());
  for (size_t at = 0; at < expected.bytes.size(); at += size) {
    uint64_t want = 0, have = 0;
    std::memcpy(&want, &expected.bytes[at], size);
    std::memcpy(&have, &got.bytes[at], size);
    if (want == have) continue;
    std::string shown = std::to_string(want) + ", got " + std::to_string(have);
    if (expected.dtype.is_float()) {
      const double w = DecodeFloat(want, expected.dtype), h = DecodeFloat(have, expected.dtype);
      if (std::isnan(w) && std::isnan(h)) continue;
      const int width = expected.dtype.bits();
      const double apart =
          std::abs(static_cast<double>(Ordinal(want, width) - Ordinal(have, width)));
      if (!std::isnan(w) && !std::isnan(h) && apart <= ulps) continue;
      shown = std::to_string(w) + ", got " + std::to_string(h) + ", " + std::to_string(apart) +
              " units in the last place off";
    }
    return Failed("element " + std::to_string(at / size) + " of `" + name + "` (" +
                  expected.dtype.ToString() + "): expected " + shown);
  }
  return absl::OkStatus();
}

}  // namespace

std::vector<ir::NodeRef> Program::Arguments() const {
  std::vector<ir::NodeRef> args(inputs.begin(), inputs.end());
  args.insert(args.end(), outputs.begin(), outputs.end());
  return args;
}

int64_t ThreadsPerBlock(const target::Target& target, int64_t wanted) {
  const int64_t most = target::MachineOf(target).Limit(LATHE_PROPERTY_MAX_THREADS_PER_BLOCK);
  return most <= 0 ? wanted : std::min(wanted, most);
}

std::string TargetName(const Subject& subject) {
  return subject.target.empty() ? subject.targets.at(0).kind : subject.target;
}

target::Target TargetOf(const Subject& subject) {
  const target::TargetSchema& schema = subject.targets.at(0);
  return target::ParseTargetWith(TargetName(subject),
                                 std::make_shared<target::TargetSchema>(schema),
                                 subject.manifest.name + " " + subject.manifest.version);
}

Program ScaleProgram(const Subject&) {
  Program program;
  const ir::Var n = ir::MakeSizeVar("n");
  const te::Tensor a = te::Placeholder({n}, DataType::Float(32), "A");
  program.sizes = {n};
  program.inputs = {a};
  program.outputs = {
      te::Compute({n}, [&](const te::Indices& i) { return te::At(a, {i[0]}) * 2 + 1; }, "B")};
  return program;
}

Program MatmulProgram(const Subject&) {
  Program program;
  const DataType f32 = DataType::Float(32);
  const ir::Var n = ir::MakeSizeVar("n"), m = ir::MakeSizeVar("m"), l = ir::MakeSizeVar("l");
  const te::Tensor a = te::Placeholder({n, l}, f32, "A"), b = te::Placeholder({l, m}, f32, "B");
  const ir::IterVar k = te::ReduceAxis(ir::Int(0), l, "k");
  program.sizes = {n, m, l};
  program.inputs = {a, b};
  program.outputs = {te::Compute(
      {n, m},
      [&](const te::Indices& i) {
        return te::Sum(te::At(a, {i[0], k->var}) * te::At(b, {k->var, i[1]}), {k});
      },
      "C")};
  return program;
}

ir::Module PlainLoops(const Program& program) {
  return driver::Lower(schedule::CreateSchedule(Roots(program)), program.Arguments(), kName, {});
}

ir::Module LoopsFor(const target::Target& target, const Program& program) {
  schedule::Schedule s = schedule::CreateSchedule(Roots(program));
  if (program.schedule) {
    program.schedule(s);
  } else if (driver::TakesKernels(target)) {
    for (const te::Tensor& output : program.outputs) Bind(target, s, output);
  }
  return driver::Lower(s, program.Arguments(), kName, {});
}

ir::Module LoweredFor(const Subject& subject, const Program& program) {
  const target::Target target = TargetOf(subject);
  const ir::Module loops = LoopsFor(target, program);
  // The host's module is not used, so any target will do as the host.
  return driver::TakesKernels(target) ? driver::LowerForDevice(loops, target, target, {}).device
                                      : driver::LowerForTarget(loops, target, {});
}

void UsePlugin(const Subject& subject) {
  std::string path = subject.path;
  for (const std::string& other : subject.beside) path += ":" + other;
  setenv("LATHE_PLUGIN_PATH", path.c_str(), 1);
  // This process is itself the child process that a probe would use.
  setenv("LATHE_PLUGIN_PROBE", "0", 1);
  driver::UseDefaultPlugins();
}

absl::StatusOr<runtime::Device> DeviceOf(const target::Target& target) {
  const runtime::Device device = runtime::Device::Parse(target.schema->device);
  absl::StatusOr<runtime::DeviceAPI*> api = runtime::GetDeviceAPI(device.kind);
  if (!api.ok()) return api.status();
  const absl::StatusOr<int32_t> count = (*api)->Count();
  if (!count.ok()) return count.status();
  if (*count == 0)
    return NotApplicable("there is no device of kind `" + target.schema->device + "` here");
  return device;
}

absl::StatusOr<runtime::Module> BuildProgram(const target::Target& target, const Program& program) {
  return driver::Build(LoopsFor(target, program), target, {});
}

namespace {

// Inputs with values, and outputs of zeros.
std::vector<HostTensor> MakeArguments(const Program& program, const std::vector<int64_t>& sizes,
                                      uint64_t seed) {
  std::vector<HostTensor> host;
  for (const te::Tensor& input : program.inputs) {
    host.push_back(MakeHost(input, program, sizes));
    FillInput(&host.back(), seed + host.size());
  }
  for (const te::Tensor& output : program.outputs) host.push_back(MakeHost(output, program, sizes));
  return host;
}

void Interpret(const ir::Module& loops, std::vector<HostTensor>* host) {
  std::vector<ir::InterpValue> args;
  for (HostTensor& one : *host)
    args.emplace_back(ir::InterpTensor::Of(one.bytes.data(), one.dtype, one.shape));
  ir::InterpretOptions options;
  options.call_extern = plugins::ReferenceBodies();
  ir::Interpret(loops, kName, args, options);
}

}  // namespace

absl::Status InterpretAndCompare(const Program& program, const ir::Module& loops,
                                 const std::vector<int64_t>& sizes, double ulps) {
  std::vector<HostTensor> got = MakeArguments(program, sizes, 1), expected = got;
  Interpret(loops, &got);
  Interpret(PlainLoops(program), &expected);
  for (size_t i = program.inputs.size(); i < got.size(); ++i)
    KIT_RETURN_IF_ERROR(
        Compare(expected[i], got[i], program.outputs[i - program.inputs.size()]->name(), ulps));
  return absl::OkStatus();
}

absl::Status RunAndCompare(const target::Target& target, const runtime::Module& module,
                           const Program& program, const std::vector<int64_t>& sizes, uint64_t seed,
                           double ulps) {
  absl::StatusOr<runtime::Device> device = DeviceOf(target);
  if (!device.ok()) return device.status();
  const std::vector<HostTensor> host = MakeArguments(program, sizes, seed);

  std::vector<runtime::Tensor> tensors;
  std::vector<runtime::Value> args;
  for (const HostTensor& one : host) {
    auto tensor = runtime::Tensor::FromHost(one.bytes.data(), one.bytes.size(), one.shape,
                                            one.dtype, *device);
    if (!tensor.ok()) return tensor.status();
    tensors.push_back(*tensor);
    args.emplace_back(*tensor);
  }
  const auto function = module.GetFunction(kName);
  if (!function.ok()) return function.status();
  std::vector<lathe_value> raw;
  for (const runtime::Value& arg : args) raw.push_back(arg.c());
  const auto called = function->TryCallPacked(raw.data(), static_cast<int32_t>(raw.size()));
  if (!called.ok()) return called.status();

  std::vector<HostTensor> expected = host;
  Interpret(PlainLoops(program), &expected);
  for (size_t i = program.inputs.size(); i < host.size(); ++i) {
    HostTensor got = host[i];
    KIT_RETURN_IF_ERROR(tensors[i].CopyToHost(got.bytes.data(), got.bytes.size()));
    KIT_RETURN_IF_ERROR(
        Compare(expected[i], got, program.outputs[i - program.inputs.size()]->name(), ulps));
  }
  return absl::OkStatus();
}

absl::Status CheckProgram(const Subject& subject, const Program& program,
                          const std::vector<std::vector<int64_t>>& sizes, double ulps) {
  UsePlugin(subject);
  const target::Target target = target::ParseTarget(TargetName(subject));
  absl::StatusOr<runtime::Device> device = DeviceOf(target);
  if (!device.ok()) return device.status();
  absl::StatusOr<runtime::Module> module = BuildProgram(target, program);
  if (!module.ok()) return module.status();
  for (size_t i = 0; i < sizes.size(); ++i)
    KIT_RETURN_IF_ERROR(RunAndCompare(target, *module, program, sizes[i], i, ulps));
  return absl::OkStatus();
}

}  // namespace lathe::kit
