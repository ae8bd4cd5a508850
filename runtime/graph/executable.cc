#include <algorithm>
#include <unordered_map>
#include <utility>

#include "base/error.h"
#include "runtime/artifact/kernel_entry.h"
#include "runtime/graph/choose_devices.h"
#include "runtime/graph/constants.h"
#include "runtime/graph/executor.h"
#include "runtime/graph/resolved.h"
#include "runtime/graph/sizes.h"
#include "runtime/metadata_names.h"
#include "runtime/status.h"

namespace lathe::runtime::graph {
namespace {

absl::Status Mismatch(const Plan& plan, size_t step, std::string_view what) {
  return MakeStatus(
      absl::StatusCode::kFailedPrecondition, "graph-kernel-mismatch",
      {"the plan `", plan.name, "` and its code do not belong together: ", StepName(plan, step),
       ": the kernel `", plan.steps[step].kernel, "` ", what, "\nhelp: compile the model again"});
}

absl::StatusOr<KernelEntry> FindEntry(const std::vector<ModuleNode*>& modules,
                                      const std::string& name) {
  absl::StatusOr<KernelEntry> found =
      MakeStatus(absl::StatusCode::kNotFound, "entry-not-found",
                 {"no module has an entry without checks for `", name, "`"});
  for (ModuleNode* node : modules) {
    found = FindKernelEntry(Module(Ref<ModuleNode>(node)), name);
    if (found.ok()) break;
    // Code for another machine has no entries here.
    const Metadata& metadata = node->metadata();
    if (metadata.FindFunction(name) != nullptr) LATHE_RETURN_IF_ERROR(CheckMetadata(metadata));
  }
  return found;
}

// Finds what plans and metadata state about kernels and compares both.
class Resolver {
 public:
  Resolver(Plan plan, const Module& code, std::vector<Device> devices) : modules_(ModulesOf(code)) {
    out_->plan = std::move(plan);
    out_->devices = std::move(devices);
    out_->known = KnownSizes(out_->plan);
    out_->code.push_back(code);
  }

  absl::StatusOr<std::shared_ptr<const ResolvedPlan>> Run() {
    const Plan& plan = out_->plan;
    for (size_t i = 0; i < plan.steps.size(); ++i) LATHE_RETURN_IF_ERROR(Resolve(i));
    LATHE_RETURN_IF_ERROR(FindConstantsEntry());
    FindFlow(out_.get());
    return std::shared_ptr<const ResolvedPlan>(std::move(out_));
  }

 private:
  absl::Status Resolve(size_t number) {
    const Plan& plan = out_->plan;
    const PlanStep& step = plan.steps[number];
    if (step.kind != PlanStep::Kind::kKernel) {
      out_->steps.emplace_back();
      return absl::OkStatus();
    }
    auto [it, is_new] = kernels_.emplace(step.kernel, out_->kernels.size());
    if (is_new) LATHE_RETURN_IF_ERROR(Add(number));
    // One function launches work on any device of its kind.
    const auto kind = [&](int32_t device) {
      return plan.devices[static_cast<size_t>(device)].kind;
    };
    if (kind(kernel_devices_[it->second]) != kind(DeviceOfStep(plan, step)))
      return Mismatch(plan, number, "runs on devices of several kinds");
    LATHE_RETURN_IF_ERROR(CheckBuffers(number, it->second));
    ResolvedStep resolved{static_cast<int32_t>(it->second), {}};
    const ResolvedKernel& kernel = out_->kernels[it->second];
    for (const std::string& name : kernel.size_names) {
      const auto at = std::find(step.size_names.begin(), step.size_names.end(), name);
      if (at == step.size_names.end())
        return Mismatch(plan, number, "takes a size `" + name + "`, which the plan does not have");
      resolved.sizes.push_back(step.sizes[static_cast<size_t>(at - step.size_names.begin())]);
    }
    if (step.sizes.size() != kernel.size_names.size())
      return Mismatch(plan, number, "takes fewer sizes than the plan has");
    out_->steps.push_back(std::move(resolved));
    return absl::OkStatus();
  }

  absl::Status FindConstantsEntry() {
    const std::string& name = out_->plan.constants_entry;
    if (name.empty()) return absl::OkStatus();
    LATHE_ASSIGN_OR_RETURN(const KernelEntry entry, FindEntry(modules_, name));
    const std::vector<ArgumentMetadata>& arguments = entry.metadata->arguments;
    if (arguments.size() != 1 || arguments[0].dtype != "int64" ||
        arguments[0].shape != std::vector{std::to_string(out_->plan.constants.size())})
      return MakeStatus(
          absl::StatusCode::kFailedPrecondition, "graph-kernel-mismatch",
          {"`", name, "`, which knows the constants of the plan `", out_->plan.name,
           "`, does not take int64[", std::to_string(out_->plan.constants.size()), "]"});
    out_->constants_entry = entry.call;
    return absl::OkStatus();
  }

  absl::Status Add(size_t number) {
    const PlanStep& step = out_->plan.steps[number];
    kernel_devices_.push_back(DeviceOfStep(out_->plan, step));
    if (kernel_devices_.back() != 0) return AddLaunch(number);
    LATHE_ASSIGN_OR_RETURN(const KernelEntry entry, FindEntry(modules_, step.kernel));
    metadata_.push_back(entry.metadata);
    buffers_.push_back(entry.metadata->entry_buffers);
    return AddEntry(number, entry);
  }

  // A function with checks, which launches kernels of the device.
  absl::Status AddLaunch(size_t number) {
    const std::string& name = out_->plan.steps[number].kernel;
    const FunctionMetadata* metadata = nullptr;
    ResolvedKernel kernel;
    for (ModuleNode* node : modules_) {
      metadata = node->metadata().FindFunction(name);
      if (metadata == nullptr) continue;
      kernel.launch = node->GetFunction(name);
      break;
    }
    const std::string& kind = out_->plan.devices[static_cast<size_t>(kernel_devices_.back())].kind;
    if (metadata != nullptr && metadata->device != kind)
      return Mismatch(out_->plan, number,
                      "is for the device `" + metadata->device + "`, not for `" + kind + "`");
    if (!kernel.launch)
      return MakeStatus(absl::StatusCode::kNotFound, "entry-not-found",
                        {"no module has a function `", name, "`"});
    std::vector<std::string>& buffers = buffers_.emplace_back();
    for (const ArgumentMetadata& argument : metadata->arguments) {
      if (argument.kind == "tensor") {
        buffers.push_back(argument.name);
        kernel.arguments.push_back({});
        continue;
      }
      const bool known =
          argument.kind == "int" || argument.kind == "bool" || argument.kind == "float";
      if (!known) return Mismatch(out_->plan, number, "takes a " + argument.kind);
      kernel.arguments.push_back({static_cast<int32_t>(kernel.size_names.size()),
                                  argument.kind == "int"    ? LATHE_VALUE_INT
                                  : argument.kind == "bool" ? LATHE_VALUE_BOOL
                                                            : LATHE_VALUE_FLOAT});
      kernel.size_names.push_back(argument.name);
      kernel.wide.push_back(IsWide(argument) ? 1 : 0);
    }
    metadata_.push_back(metadata);
    out_->kernels.push_back(std::move(kernel));
    return absl::OkStatus();
  }

  static bool IsWide(const ArgumentMetadata& argument) {
    DataType dtype = DataType::Int(32);
    DataType::Parse(argument.dtype, &dtype);
    return dtype.bits() == 64 || dtype.is_float();
  }

  absl::Status AddEntry(size_t number, const KernelEntry& entry) {
    const FunctionMetadata& metadata = *entry.metadata;
    ResolvedKernel kernel;
    kernel.call = entry.call;
    kernel.size_names = metadata.entry_sizes;
    if (metadata.device != "cpu")
      return Mismatch(out_->plan, number, "is for the device `" + metadata.device + "`");
    for (const std::string& name : metadata.entry_sizes) {
      const ArgumentMetadata* argument = FindArgument(metadata, name);
      kernel.wide.push_back(argument != nullptr && IsWide(*argument) ? 1 : 0);
    }
    const auto parse = [&](const std::string& text) {
      return SizeExpression::Parse(text, metadata.entry_sizes);
    };
    for (auto [text, place] : {std::pair(&metadata.workspace, &kernel.workspace),
                               std::pair(&metadata.thread_workspace, &kernel.thread_workspace)}) {
      if (text->empty()) continue;
      LATHE_ASSIGN_OR_RETURN(*place, parse(*text));
    }
    if (!metadata.workspace_unknown.empty())
      return Mismatch(out_->plan, number, "does not state its workspace");
    for (size_t i = 0; i < metadata.entry_buffers.size(); ++i) {
      const ArgumentMetadata* argument = FindArgument(metadata, metadata.entry_buffers[i]);
      if (argument == nullptr) return Mismatch(out_->plan, number, "does not describe its buffers");
      for (size_t axis = 0; axis < argument->shape.size(); ++axis) {
        LATHE_ASSIGN_OR_RETURN(SizeExpression value, parse(argument->shape[axis]));
        kernel.extents.push_back(
            {static_cast<int32_t>(i), static_cast<int32_t>(axis), std::move(value)});
      }
    }
    out_->kernels.push_back(std::move(kernel));
    return absl::OkStatus();
  }

  static const ArgumentMetadata* FindArgument(const FunctionMetadata& metadata,
                                              const std::string& name) {
    for (const ArgumentMetadata& argument : metadata.arguments)
      if (argument.name == name) return &argument;
    return nullptr;
  }

  absl::Status CheckBuffers(size_t number, size_t kernel) const {
    const FunctionMetadata& metadata = *metadata_[kernel];
    const Plan& plan = out_->plan;
    const PlanStep& step = plan.steps[number];
    const std::vector<std::string>& buffers = buffers_[kernel];
    if (buffers.size() != step.buffers.size())
      return Mismatch(plan, number,
                      "takes " + std::to_string(buffers.size()) + " buffers, not " +
                          std::to_string(step.buffers.size()));
    for (size_t i = 0; i < step.buffers.size(); ++i) {
      const PlanTensor& tensor = plan.tensors[static_cast<size_t>(step.buffers[i])];
      const std::string& name = buffers[i];
      const ArgumentMetadata* argument = FindArgument(metadata, name);
      if (argument == nullptr) return Mismatch(plan, number, "does not describe its buffers");
      if (argument->dtype != tensor.dtype.ToString() ||
          (argument->rank >= 0 && argument->rank != static_cast<int>(tensor.shape.size())))
        return Mismatch(plan, number,
                        "takes `" + name + "` of element type " + argument->dtype + " and rank " +
                            std::to_string(argument->rank) + ", the plan has " +
                            tensor.dtype.ToString() + " and rank " +
                            std::to_string(tensor.shape.size()));
      const auto& written = metadata.outputs;
      if (step.writes[i] == 0 && std::find(written.begin(), written.end(), name) != written.end())
        return Mismatch(plan, number, "writes `" + name + "`, which the plan only reads");
    }
    return absl::OkStatus();
  }

  std::vector<ModuleNode*> modules_;
  std::shared_ptr<ResolvedPlan> out_ = std::make_shared<ResolvedPlan>();
  std::unordered_map<std::string, size_t> kernels_;
  // Of each kernel: what describes it, the names of its buffers, its device.
  std::vector<const FunctionMetadata*> metadata_;
  std::vector<std::vector<std::string>> buffers_;
  std::vector<int32_t> kernel_devices_;
};

}  // namespace

std::string StepName(const Plan& plan, size_t step) {
  const PlanStep& found = plan.steps[step];
  return "step " + std::to_string(step) + " (`" +
         (found.location.empty() ? found.kernel : found.location) + "`)";
}

std::string TensorName(const Plan& plan, int32_t tensor) {
  const std::string& name = plan.tensors[static_cast<size_t>(tensor)].name;
  return name.empty() ? "tensor " + std::to_string(tensor) : "`" + name + "`";
}

int32_t DeviceOfStep(const Plan& plan, const PlanStep& step) {
  return step.buffers.empty() ? 0 : plan.tensors[static_cast<size_t>(step.buffers[0])].device;
}

uint64_t AlignmentOf(const PlanTensor& tensor) {
  return std::max<uint64_t>(tensor.alignment,
                            static_cast<uint64_t>(tensor.dtype.element_of().bytes()));
}

absl::StatusOr<std::shared_ptr<const Executable>> Executable::Create(
    Plan plan, const Module& code, const ConstantSource& constants,
    std::span<const Device> devices) {
  LATHE_RETURN_IF_ERROR(CheckPlan(plan));
  LATHE_ASSIGN_OR_RETURN(std::vector<Device> chosen, ChooseDevices(plan, devices));
  const bool calls_kernels = std::ranges::any_of(
      plan.steps, [](const PlanStep& step) { return step.kind == PlanStep::Kind::kKernel; });
  if (calls_kernels && !code)
    return MakeStatus(absl::StatusCode::kInvalidArgument, "module-null", "the module is null");
  LATHE_ASSIGN_OR_RETURN(std::shared_ptr<const ResolvedPlan> resolved,
                         Resolver(std::move(plan), code, std::move(chosen)).Run());
  LATHE_ASSIGN_OR_RETURN(std::vector<Tensor> data, FindConstants(*resolved, constants));
  return std::make_shared<const Executable>(std::move(resolved), std::move(data));
}

absl::StatusOr<std::shared_ptr<const Executable>> Executable::WithConstants(
    std::span<const NamedTensor> constants) const {
  std::vector<Tensor> data = constants_;
  for (const NamedTensor& named : constants) {
    LATHE_ASSIGN_OR_RETURN(const int index, ConstantIndex(named.name));
    LATHE_ASSIGN_OR_RETURN(data[static_cast<size_t>(index)],
                           AsConstant(*resolved_, index, named.tensor));
  }
  return std::make_shared<const Executable>(resolved_, std::move(data));
}

const Plan& Executable::plan() const { return resolved_->plan; }
std::span<const Device> Executable::devices() const { return resolved_->devices; }

namespace {

template <class T>
absl::StatusOr<int> IndexOf(const Plan& plan, const std::vector<T>& list, std::string_view name,
                            std::string_view status, std::string_view what) {
  std::vector<std::string> known;
  for (size_t i = 0; i < list.size(); ++i) {
    if (!name.empty() && list[i].name == name) return static_cast<int>(i);
    if (!list[i].name.empty()) known.push_back(list[i].name);
  }
  const std::vector<std::string> near = NearestNames(name, known);
  if (known.size() > 20) known.resize(20);
  return MakeStatus(
      absl::StatusCode::kNotFound, status,
      {"`", plan.name, "` has no ", what, " `", name, "`\nexpected: ", QuotedList(known),
       near.empty() ? "" : "\nhelp: did you mean " + QuotedList(near) + "?"});
}

}  // namespace

absl::StatusOr<int> Executable::InputIndex(std::string_view name) const {
  return IndexOf(plan(), plan().inputs, name, "graph-input-unknown", "input");
}

absl::StatusOr<int> Executable::ConstantIndex(std::string_view name) const {
  return IndexOf(plan(), plan().constants, name, "graph-constant-unknown", "constant");
}

}  // namespace lathe::runtime::graph
