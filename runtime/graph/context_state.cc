#include "runtime/graph/context_state.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>

#include "base/planted_graphs.h"
#include "runtime/cancel.h"
#include "runtime/graph/constants.h"
#include "runtime/raise.h"
#include "runtime/status.h"
#include "runtime/stream.h"
#include "runtime/thread_pool.h"

namespace lathe::runtime::graph {
namespace {

// Shapes whose plan of memory is kept.
constexpr size_t kKeptBindings = 8;

int64_t Nanoseconds() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// Whether pointers to a device's memory are addresses, so that ranges can be compared.
bool HasAddresses(const Device& device) {
  return device.is_host() || device.kind == kDLCUDA || device.kind == kDLROCM;
}

template <class T>
int64_t Read(const void* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return static_cast<int64_t>(value);
}

// An unsigned number of 64 bits that does not fit is negative, which no extent may be.
int64_t IntegerAt(const void* from, DataType dtype) {
  switch (dtype.bits()) {
    case 8:
      return dtype.is_int() ? Read<int8_t>(from) : Read<uint8_t>(from);
    case 16:
      return dtype.is_int() ? Read<int16_t>(from) : Read<uint16_t>(from);
    case 32:
      return dtype.is_int() ? Read<int32_t>(from) : Read<uint32_t>(from);
    default:
      return Read<int64_t>(from);
  }
}

}  // namespace

ContextState::ContextState(std::shared_ptr<const Executable> executable)
    : executable_(std::move(executable)),
      resolved_(executable_->resolved()),
      slots_(resolved_),
      constants_(resolved_.plan.constants.size()) {
  for (size_t i = 0; i < constants_.size(); ++i)
    constants_[i] = executable_->constant(static_cast<int>(i));
  outside_.resize(resolved_.plan.tensors.size());
  arenas_.resize(resolved_.groups.size());
  device_arenas_.assign(resolved_.groups.size(),
                        std::vector<std::vector<Tensor>>(resolved_.devices.size()));
}

absl::Status ContextState::CheckConstantIndex(int index) const {
  if (index < 0 || static_cast<size_t>(index) >= constants_.size())
    return MakeStatus(absl::StatusCode::kInvalidArgument, "graph-constant-unknown",
                      {"`", resolved_.plan.name, "` has no constant ", std::to_string(index)});
  return absl::OkStatus();
}

absl::StatusOr<Tensor> ContextState::GetConstant(int index) const {
  LATHE_RETURN_IF_ERROR(CheckConstantIndex(index));
  return constants_[static_cast<size_t>(index)];
}

absl::Status ContextState::SetConstant(int index, const Tensor& tensor) {
  LATHE_RETURN_IF_ERROR(CheckConstantIndex(index));
  LATHE_ASSIGN_OR_RETURN(constants_[static_cast<size_t>(index)],
                         AsConstant(resolved_, index, tensor));
  slots_.addresses_changed = true;
  return absl::OkStatus();
}

absl::Status ContextState::SetConstants(std::span<const NamedTensor> constants) {
  std::vector<Tensor> all = constants_;
  for (const NamedTensor& named : constants) {
    LATHE_ASSIGN_OR_RETURN(const int index, executable_->ConstantIndex(named.name));
    LATHE_ASSIGN_OR_RETURN(all[static_cast<size_t>(index)],
                           AsConstant(resolved_, index, named.tensor));
  }
  constants_ = std::move(all);
  slots_.addresses_changed = true;
  return absl::OkStatus();
}

absl::Status ContextState::SetThreads(int threads) {
  if (threads < 0 || threads > 1024)
    return MakeStatus(absl::StatusCode::kInvalidArgument, "graph-threads",
                      {"a context runs on 1 to 1024 threads; found: ", std::to_string(threads)});
  threads_ = threads;
  return absl::OkStatus();
}

absl::Status ContextState::Prepare() {
  const int threads = threads_ == 0 ? NumThreads() : threads_;
  if (slots_.shapes_changed || binding_ == nullptr || binding_->threads() != threads)
    LATHE_RETURN_IF_ERROR(Bind(threads));
  if (slots_.addresses_changed || binding_->version != version_) LATHE_RETURN_IF_ERROR(Connect());
  return absl::OkStatus();
}

absl::Status ContextState::Run(const StepObserver* observer) {
  has_run_ = false;
  LATHE_RETURN_IF_ERROR(Prepare());
  if (resolved_.groups.size() > 1) binding_->Begin();
  CancelScope* const scope = CancelScope::Current();
  const int32_t threads = binding_->threads();
  const std::span<const KernelCall> calls = binding_->calls();
  for (size_t at = 0; at < calls.size();) {
    const KernelCall& call = calls[at];
    const int64_t begin = observer != nullptr ? Nanoseconds() : 0;
    if (CancelScope::Look(scope) != 0) [[unlikely]]
      return Failed(at);
    if (call.call == nullptr) [[unlikely]] {
      const Instruction& instruction = resolved_.program[at];
      LATHE_ASSIGN_OR_RETURN(at, Control(at));
      const bool reported =
          instruction.op == Instruction::Op::kCopy || instruction.op == Instruction::Op::kLaunch;
      if (observer != nullptr && reported) {
        LATHE_RETURN_IF_ERROR(Wait());
        Report(*observer, static_cast<size_t>(instruction.step), Nanoseconds() - begin);
      }
      continue;
    }
    if (call.call(call.buffers, call.sizes, call.workspace, threads) != 0) [[unlikely]]
      return Failed(at);
    if (observer != nullptr) [[unlikely]]
      Report(*observer, static_cast<size_t>(resolved_.program[at].step), Nanoseconds() - begin);
    ++at;
  }
  for (size_t i = 0; i < resolved_.outputs.size(); ++i) {
    const ResolvedOutput& output = resolved_.outputs[i];
    if (output.direct || binding_->bytes(output.tensor) == 0) continue;
    LATHE_RETURN_IF_ERROR(CopyBytes(output.tensor, AddressOf(output.tensor), output.tensor,
                                    slots_.output_address(i)));
  }
  LATHE_RETURN_IF_ERROR(Wait());
  has_run_ = true;
  return absl::OkStatus();
}

absl::StatusOr<size_t> ContextState::Control(size_t at) {
  const Instruction& instruction = resolved_.program[at];
  const PlanStep& step = resolved_.plan.steps[static_cast<size_t>(instruction.step)];
  const auto target = static_cast<size_t>(instruction.target);
  switch (instruction.op) {
    case Instruction::Op::kJump:
      return target;
    case Instruction::Op::kBranch:
      return *static_cast<const uint8_t*>(AddressOf(step.buffers[0])) != 0 ? at + 1 : target;
    case Instruction::Op::kCopy:
      LATHE_RETURN_IF_ERROR(InStep(at, CopyBytes(step.buffers[0], AddressOf(step.buffers[0]),
                                                 step.buffers[1], AddressOf(step.buffers[1]))));
      break;
    case Instruction::Op::kLaunch:
      LATHE_RETURN_IF_ERROR(InStep(at, binding_->Launch(static_cast<size_t>(instruction.step))));
      break;
    case Instruction::Op::kBind:
      LATHE_RETURN_IF_ERROR(BindWhileRunning(step, instruction.target));
      break;
    case Instruction::Op::kKernel:
      break;
  }
  return at + 1;
}

DLTensor ContextState::BytesOf(int32_t tensor, void* data, int64_t* extent) const {
  DLTensor bytes{};
  bytes.data = data;
  bytes.device = DeviceOf(resolved_, tensor).packed();
  bytes.ndim = 1;
  bytes.dtype = {kDLUInt, 8, 1};
  bytes.shape = extent;
  return bytes;
}

absl::Status ContextState::CopyBytes(int32_t from, void* from_data, int32_t to,
                                     void* to_data) const {
  const uint64_t bytes = binding_->bytes(from);
  const std::vector<PlanTensor>& tensors = resolved_.plan.tensors;
  if (tensors[static_cast<size_t>(from)].device == 0 &&
      tensors[static_cast<size_t>(to)].device == 0) {
    std::memmove(to_data, from_data, static_cast<size_t>(bytes));
    return absl::OkStatus();
  }
  auto extent = static_cast<int64_t>(bytes);
  return CopyTensor(BytesOf(from, from_data, &extent), BytesOf(to, to_data, &extent));
}

absl::Status ContextState::Wait() const {
  for (size_t i = 1; i < resolved_.devices.size(); ++i)
    LATHE_RETURN_IF_ERROR(Synchronize(resolved_.devices[i]));
  return absl::OkStatus();
}

absl::StatusOr<Tensor> ContextState::GetOutput(int index) {
  LATHE_RETURN_IF_ERROR(slots_.CheckOutputIndex(index));
  if (!has_run_)
    return MakeStatus(absl::StatusCode::kFailedPrecondition, "graph-not-run",
                      {"`", resolved_.plan.name, "` has no outputs yet: call run first"});
  Tensor output = slots_.output(static_cast<size_t>(index));
  if (!output)
    return MakeStatus(absl::StatusCode::kFailedPrecondition, "graph-not-run",
                      {"output ", std::to_string(index), " of `", resolved_.plan.name,
                       "` has no memory since the caller's was taken away: call run again"});
  return output;
}

absl::StatusOr<std::vector<int64_t>> ContextState::GetOutputShape(int index) {
  LATHE_RETURN_IF_ERROR(slots_.CheckOutputIndex(index));
  const int32_t tensor = resolved_.plan.outputs[static_cast<size_t>(index)];
  std::vector<int64_t> shape;
  for (const int32_t size : resolved_.plan.tensors[static_cast<size_t>(tensor)].shape) {
    if (const auto known = resolved_.known[static_cast<size_t>(size)]) shape.push_back(*known);
  }
  if (shape.size() == resolved_.plan.tensors[static_cast<size_t>(tensor)].shape.size())
    return shape;
  if (resolved_.tensor_groups[static_cast<size_t>(tensor)] != 0) {
    if (!has_run_)
      return MakeStatus(absl::StatusCode::kFailedPrecondition, "graph-not-run",
                        {"the shape of output ", std::to_string(index), " of `",
                         resolved_.plan.name, "` is known after a run only"});
    const Tensor last = slots_.output(static_cast<size_t>(index));
    return std::vector<int64_t>(last.shape().begin(), last.shape().end());
  }
  const int threads = threads_ == 0 ? NumThreads() : threads_;
  if (slots_.shapes_changed || binding_ == nullptr) LATHE_RETURN_IF_ERROR(Bind(threads));
  return binding_->Shape(tensor);
}

uint64_t ContextState::arena_lower_bound() const {
  return binding_ == nullptr ? 0 : binding_->arena().lower_bound;
}

absl::Status ContextState::Bind(int threads) {
  std::vector<std::span<const int64_t>> shapes;
  std::vector<int64_t> key = {threads};
  for (size_t i = 0; i < resolved_.plan.inputs.size(); ++i) {
    LATHE_RETURN_IF_ERROR(slots_.CheckInputSet(i));
    shapes.push_back(slots_.input_shape(i));
    key.insert(key.end(), shapes.back().begin(), shapes.back().end());
  }
  if (Planted(PlantedGraphBug::kBindingByFirstInput)) key.resize(std::min<size_t>(key.size(), 2));
  auto it =
      std::find_if(kept_.begin(), kept_.end(), [&](const Kept& kept) { return kept.key == key; });
  if (it == kept_.end()) {
    LATHE_ASSIGN_OR_RETURN(std::unique_ptr<Binding> binding,
                           Binding::Create(resolved_, shapes, threads));
    if (kept_.size() == kKeptBindings) kept_.pop_back();
    it = kept_.insert(kept_.end(), {std::move(key), std::move(binding)});
  }
  std::rotate(kept_.begin(), it, it + 1);  // the last used comes first
  binding_ = kept_.front().binding.get();
  slots_.shapes_changed = false;
  slots_.addresses_changed = true;
  return absl::OkStatus();
}

absl::Status ContextState::Connect() {
  const Plan& plan = resolved_.plan;
  LATHE_RETURN_IF_ERROR(ReserveArena(0));
  for (size_t i = 0; i < constants_.size(); ++i) {
    const PlanConstant& constant = plan.constants[i];
    if (constants_[i]) {
      const DLTensor& dl = constants_[i].dl();
      outside_[static_cast<size_t>(constant.tensor)] = static_cast<char*>(dl.data) + dl.byte_offset;
    } else {
      return MakeStatus(absl::StatusCode::kFailedPrecondition, "graph-constant-missing",
                        {"`", plan.name, "` has no data for its constant ",
                         constant.name.empty() ? constant.digest.ToString() : constant.name,
                         "\nhelp: load the parameters that were exported with the model"});
    }
  }
  for (size_t i = 0; i < plan.inputs.size(); ++i)
    outside_[static_cast<size_t>(plan.inputs[i].tensor)] = slots_.input_address(i);
  LATHE_RETURN_IF_ERROR(ShapeOutputs(0));
  LATHE_RETURN_IF_ERROR(CheckOverlap());
  binding_->Connect(0, arena_data(0), outside_);
  binding_->version = ++version_;
  slots_.addresses_changed = false;
  return absl::OkStatus();
}

absl::Status ContextState::ReserveArena(int32_t group) {
  LATHE_RETURN_IF_ERROR(ReserveOnDevices(group));
  const uint64_t bytes = std::max<uint64_t>(binding_->arena_bytes(group), kArenaAlignment);
  Tensor& arena = arenas_[static_cast<size_t>(group)];
  if (arena && arena.num_bytes() >= bytes) return absl::OkStatus();
  arena = Tensor();  // first, so that both do not exist at the same time
  const auto extent = static_cast<int64_t>(bytes);
  LATHE_ASSIGN_OR_RETURN(arena, Tensor::Empty({extent}, DataType::UInt(8)));
  return absl::OkStatus();
}

absl::Status ContextState::ReserveOnDevices(int32_t group) {
  const auto number = static_cast<size_t>(group);
  for (size_t device = 1; device < resolved_.devices.size(); ++device) {
    std::vector<Tensor>& kept = device_arenas_[number][device];
    const std::span<const uint64_t> wanted =
        binding_->allocations(group, static_cast<int32_t>(device));
    if (kept.size() < wanted.size()) kept.resize(wanted.size());
    for (size_t i = 0; i < wanted.size(); ++i) {
      if (kept[i] && kept[i].num_bytes() >= wanted[i]) continue;
      kept[i] = Tensor();
      LATHE_ASSIGN_OR_RETURN(kept[i], Tensor::Empty({static_cast<int64_t>(wanted[i])},
                                                    DataType::UInt(8), resolved_.devices[device]));
    }
  }
  if (resolved_.devices.size() == 1) return absl::OkStatus();
  for (const int32_t tensor : resolved_.groups[number].tensors) {
    const Tensor memory = MemoryOnDevice(tensor);
    if (memory) outside_[static_cast<size_t>(tensor)] = memory.dl().data;
  }
  return absl::OkStatus();
}

Tensor ContextState::MemoryOnDevice(int32_t root) const {
  const int32_t allocation = binding_->AllocationOf(root);
  if (allocation < 0) return Tensor();
  const auto group = static_cast<size_t>(resolved_.tensor_groups[static_cast<size_t>(root)]);
  const auto device = static_cast<size_t>(resolved_.plan.tensors[static_cast<size_t>(root)].device);
  return device_arenas_[group][device][static_cast<size_t>(allocation)];
}

absl::Status ContextState::ShapeOutputs(int32_t group) {
  for (size_t i = 0; i < resolved_.outputs.size(); ++i) {
    const int32_t tensor = resolved_.outputs[i].tensor;
    if (resolved_.tensor_groups[static_cast<size_t>(tensor)] != group) continue;
    LATHE_RETURN_IF_ERROR(slots_.ShapeOutput(i, binding_->Shape(tensor), binding_->bytes(tensor)));
    if (resolved_.outputs[i].direct)
      outside_[static_cast<size_t>(resolved_.roots[static_cast<size_t>(tensor)])] =
          slots_.output_address(i);
  }
  return absl::OkStatus();
}

absl::Status ContextState::BindWhileRunning(const PlanStep& step, int32_t group) {
  const int32_t tensor = step.buffers[0];
  const PlanTensor& from = resolved_.plan.tensors[static_cast<size_t>(tensor)];
  const auto each = static_cast<uint64_t>(from.dtype.bytes());
  const auto element = static_cast<uint64_t>(step.element);
  if (element >= binding_->bytes(tensor) / each)
    return MakeStatus(absl::StatusCode::kInvalidArgument, "graph-size-element",
                      {"`", resolved_.plan.name, "`: ", TensorName(resolved_.plan, tensor),
                       " has no element ", std::to_string(step.element), " to bind a size to"});
  LATHE_RETURN_IF_ERROR(binding_->Bind(
      group, IntegerAt(static_cast<const char*>(AddressOf(tensor)) + element * each, from.dtype)));
  LATHE_RETURN_IF_ERROR(ReserveArena(group));
  LATHE_RETURN_IF_ERROR(ShapeOutputs(group));
  LATHE_RETURN_IF_ERROR(CheckOverlap());
  binding_->Connect(group, arena_data(group), outside_);
  return absl::OkStatus();
}

absl::Status ContextState::CheckOverlap() const {
  struct Range {
    const char* begin;
    uint64_t bytes;
    Device device;
    std::string name;
  };
  // On devices without addresses, memory overlaps if it is the same.
  const auto meet = [](const Range& a, const Range& b) {
    if (a.device != b.device || a.bytes == 0 || b.bytes == 0) return false;
    if (!HasAddresses(a.device)) return a.begin == b.begin;
    return a.begin < b.begin + b.bytes && b.begin < a.begin + a.bytes;
  };
  const Plan& plan = resolved_.plan;
  std::vector<Range> ranges;
  const auto add = [&](const void* begin, int32_t tensor, const char* what, size_t number) {
    ranges.push_back({static_cast<const char*>(begin), binding_->bytes(tensor),
                      DeviceOf(resolved_, tensor),
                      std::string(what) + " " + std::to_string(number)});
  };
  for (size_t i = 0; i < plan.outputs.size(); ++i)
    add(slots_.output_address(i), plan.outputs[i], "output", i);
  for (size_t i = 0; i < plan.inputs.size(); ++i)
    add(slots_.input_address(i), plan.inputs[i].tensor, "input", i);
  for (size_t i = 0; i < plan.constants.size(); ++i)
    add(outside_[static_cast<size_t>(plan.constants[i].tensor)], plan.constants[i].tensor,
        "constant", i);
  for (size_t i = 0; i < plan.outputs.size(); ++i) {
    for (size_t k = i + 1; k < ranges.size(); ++k) {
      const Range &a = ranges[i], &b = ranges[k];
      if (!meet(a, b)) continue;
      return MakeStatus(absl::StatusCode::kInvalidArgument, "graph-overlap",
                        {a.name, " and ", b.name, " of `", plan.name,
                         "` have memory in common\nhelp: copy one of them"});
    }
  }
  return absl::OkStatus();
}

char* ContextState::arena_data(int32_t group) const {
  return static_cast<char*>(arenas_[static_cast<size_t>(group)].dl().data);
}

absl::Status ContextState::Failed(size_t at) const {
  const ErrorRef error = TakePendingError();
  return InStep(at, StatusFromError(*error.get()));
}

absl::Status ContextState::InStep(size_t at, const absl::Status& status) const {
  if (status.ok()) return status;
  const auto step = static_cast<size_t>(resolved_.program[at].step);
  return absl::Status(status.code(), std::string(status.message()) +
                                         "\nin: " + StepName(resolved_.plan, step) + " of `" +
                                         resolved_.plan.name + "`");
}

void ContextState::Report(const StepObserver& observer, size_t number, int64_t nanoseconds) {
  const PlanStep& step = resolved_.plan.steps[number];
  std::vector<int32_t> numbers;
  std::vector<Tensor> outputs;
  for (size_t i = 0; i < step.buffers.size(); ++i) {
    const int32_t tensor = step.buffers[i];
    if (step.writes[i] == 0) continue;
    numbers.push_back(tensor);
    outputs.push_back(ViewOf(MemoryOf(tensor), AddressOf(tensor), binding_->Shape(tensor),
                             resolved_.plan.tensors[static_cast<size_t>(tensor)].dtype,
                             DeviceOf(resolved_, tensor)));
  }
  observer({static_cast<int>(number), &step, nanoseconds, numbers, outputs});
}

Tensor ContextState::MemoryOf(int32_t tensor) const {
  const int32_t root = resolved_.roots[static_cast<size_t>(tensor)];
  const int32_t direct = resolved_.direct[static_cast<size_t>(root)];
  if (direct < 0 && resolved_.plan.tensors[static_cast<size_t>(root)].device != 0)
    return MemoryOnDevice(root);
  return direct < 0
             ? arenas_[static_cast<size_t>(resolved_.tensor_groups[static_cast<size_t>(tensor)])]
             : slots_.output(static_cast<size_t>(direct));
}

}  // namespace lathe::runtime::graph
