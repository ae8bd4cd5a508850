#include "runtime/graph/plan_module.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "base/error.h"
#include "runtime/graph/choose_devices.h"
#include "runtime/graph/graph_functions.h"
#include "runtime/registry.h"
#include "runtime/status.h"

namespace lathe::runtime::graph {
namespace {

// Whether `name` means the module's plan, whatever that is called.
bool IsTheOnlyOne(const Module& module, std::string_view name);

class PlanModule : public ModuleNode {
 public:
  PlanModule(Plan plan, ConstantSource constants)
      : plan_(std::move(plan)), constants_(std::move(constants)) {}

  std::string_view kind() const override { return kPlanKind; }
  // Without the module that has the kernels it can do nothing.
  Function GetFunction(std::string_view) override { return Function(); }
  Function GetFunctionIn(const Module& root, std::string_view name) override {
    if (name != plan_.name && !IsTheOnlyOne(root, name)) return Function();
    // The function keeps `root`, which imports this module. A plan for the host alone keeps its
    // executable, too, so that what is wrong with it is said here; others load on the devices that
    // the first call names.
    std::shared_ptr<const Executable> kept;
    if (plan_.devices.size() == 1) {
      absl::StatusOr<std::shared_ptr<const Executable>> executable = ExecutableIn(root, {});
      ThrowIfError(executable.status());
      kept = *std::move(executable);
    }
    return PackedFunction(plan_.name, [this, root, kept](std::span<const Device> devices) {
      return ExecutableIn(root, devices);
    });
  }
  std::vector<std::string> FunctionNames() const override { return {plan_.name}; }
  absl::StatusOr<std::string> Save() const override { return EncodePlan(plan_); }
  const Plan& plan() const { return plan_; }

  absl::StatusOr<std::shared_ptr<const Executable>> ExecutableIn(const Module& root,
                                                                 std::span<const Device> given) {
    LATHE_ASSIGN_OR_RETURN(const std::vector<Device> devices, ChooseDevices(plan_, given));
    std::lock_guard<std::mutex> lock(mutex_);
    std::erase_if(made_, [](const Made& made) { return made.executable.expired(); });
    for (const Made& made : made_) {
      // An executable keeps its code, so nothing else can be at this address while it lives.
      std::shared_ptr<const Executable> executable = made.executable.lock();
      if (executable != nullptr && made.code == root.get() &&
          std::ranges::equal(executable->devices(), devices))
        return executable;
    }
    LATHE_ASSIGN_OR_RETURN(std::shared_ptr<const Executable> executable,
                           Executable::Create(plan_, root, constants_, given));
    made_.push_back({root.get(), executable});
    return executable;
  }

 private:
  struct Made {
    const ModuleNode* code;
    std::weak_ptr<const Executable> executable;
  };
  const Plan plan_;
  const ConstantSource constants_;
  std::mutex mutex_;
  std::vector<Made> made_;
};

std::vector<PlanModule*> PlansOf(const Module& module) {
  std::vector<PlanModule*> plans;
  for (ModuleNode* node : ModulesOf(module))
    if (auto* plan = dynamic_cast<PlanModule*>(node)) plans.push_back(plan);
  return plans;
}

bool IsTheOnlyOne(const Module& module, std::string_view name) {
  return name == kDefaultPlan && PlansOf(module).size() == 1;
}

// Contexts that no call uses now.
class ContextPool {
 public:
  explicit ContextPool(std::shared_ptr<const Executable> executable)
      : executable_(std::move(executable)) {}
  const Plan& plan() const { return executable_->plan(); }
  std::unique_ptr<Context> Take() {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (!free_.empty()) {
        std::unique_ptr<Context> context = std::move(free_.back());
        free_.pop_back();
        return context;
      }
    }
    return std::make_unique<Context>(executable_);
  }
  void GiveBack(std::unique_ptr<Context> context) {
    std::lock_guard<std::mutex> lock(mutex_);
    free_.push_back(std::move(context));
  }

 private:
  const std::shared_ptr<const Executable> executable_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Context>> free_;
};

// A context that failed is not used again: it may still refer to the caller's memory.
absl::Status Call(ContextPool& pool, const Args& args, Value* result) {
  const Plan& plan = pool.plan();
  const auto inputs = static_cast<int32_t>(plan.inputs.size());
  const auto outputs = static_cast<int32_t>(plan.outputs.size());
  if (args.size() != inputs) args.CheckCount(inputs + outputs);
  std::unique_ptr<Context> context = pool.Take();
  for (int32_t i = 0; i < inputs; ++i) {
    const auto* tensor = args[i].As<const DLTensor*>();
    absl::Status status = context->BorrowInput(i, *tensor);
    if (StatusName(status) == "graph-input-layout") status = context->SetInput(i, *tensor);
    LATHE_RETURN_IF_ERROR(status);
  }
  const int32_t given = args.size() - inputs;
  std::vector<const DLTensor*> copied(static_cast<size_t>(given));
  for (int32_t i = 0; i < given; ++i) {
    const auto* tensor = args[inputs + i].As<const DLTensor*>();
    Tensor object;
    const bool is_object =
        ValueTraits<Tensor>::Get(args[inputs + i].c(), &object) == Conversion::kOk;
    if (is_object && object.read_only())
      return MakeStatus(absl::StatusCode::kInvalidArgument, "graph-output-read-only",
                        {"output ", std::to_string(i), " of `", plan.name,
                         "` is given memory that is read-only"});
    const absl::Status status = context->BorrowOutput(i, *tensor);
    if (StatusName(status) == "graph-output-layout") {
      copied[static_cast<size_t>(i)] = tensor;
    } else {
      LATHE_RETURN_IF_ERROR(status);
    }
  }
  LATHE_RETURN_IF_ERROR(context->Run());
  std::vector<Value> returned;
  for (int32_t i = 0; i < outputs; ++i) {
    const DLTensor* to = i < given ? copied[static_cast<size_t>(i)] : nullptr;
    if (to == nullptr && given != 0) continue;
    LATHE_ASSIGN_OR_RETURN(const Tensor output, context->GetOutput(i));
    if (to != nullptr) {
      LATHE_RETURN_IF_ERROR(CopyTensor(output.dl(), *to));
    } else {
      LATHE_ASSIGN_OR_RETURN(Tensor copy, output.Clone());
      returned.emplace_back(std::move(copy));
    }
  }
  for (int32_t i = 0; i < given; ++i) LATHE_RETURN_IF_ERROR(context->SetOutput(i, Tensor()));
  pool.GiveBack(std::move(context));
  if (given == 0 && returned.size() == 1) *result = returned[0];
  if (given == 0 && returned.size() > 1) *result = Value(std::move(returned));
  return absl::OkStatus();
}

// All arguments as devices; empty if one is none.
std::vector<Device> DevicesOf(const Args& args) {
  std::vector<Device> devices(static_cast<size_t>(args.size()));
  for (int32_t i = 0; i < args.size(); ++i) {
    if (ValueTraits<Device>::Get(args[i].c(), &devices[static_cast<size_t>(i)]) != Conversion::kOk)
      return {};
  }
  return devices;
}

// The pool for calls with tensors, made by the first of them.
class LazyPool {
 public:
  explicit LazyPool(ExecutableFinder find) : find_(std::move(find)) {}
  absl::StatusOr<ContextPool*> Get() {
    std::lock_guard<std::mutex> lock(mutex_);
    if (pool_ == nullptr) {
      LATHE_ASSIGN_OR_RETURN(std::shared_ptr<const Executable> executable, find_({}));
      pool_ = std::make_unique<ContextPool>(std::move(executable));
    }
    return pool_.get();
  }
  absl::StatusOr<Module> NewContext(std::span<const Device> devices) const {
    LATHE_ASSIGN_OR_RETURN(std::shared_ptr<const Executable> executable, find_(devices));
    return MakeContextModule(std::move(executable));
  }

 private:
  const ExecutableFinder find_;
  std::mutex mutex_;
  std::unique_ptr<ContextPool> pool_;
};

}  // namespace

absl::StatusOr<Module> MakePlanModule(Plan plan, ConstantSource constants) {
  LATHE_RETURN_IF_ERROR(CheckPlan(plan));
  return Module(Make<PlanModule>(std::move(plan), std::move(constants)));
}

std::vector<std::string> PlanNames(const Module& module) {
  std::vector<std::string> names;
  for (const PlanModule* plan : PlansOf(module)) names.push_back(plan->plan().name);
  return names;
}

const Plan* FindPlan(const Module& module, std::string_view name) {
  for (const PlanModule* plan : PlansOf(module))
    if (plan->plan().name == name) return &plan->plan();
  return nullptr;
}

absl::StatusOr<std::shared_ptr<const Executable>> FindExecutable(const Module& module,
                                                                 std::string_view name,
                                                                 std::span<const Device> devices) {
  for (PlanModule* plan : PlansOf(module))
    if (plan->plan().name == name || IsTheOnlyOne(module, name))
      return plan->ExecutableIn(module, devices);
  const std::vector<std::string> known = PlanNames(module);
  const std::vector<std::string> near = NearestNames(name, known);
  return MakeStatus(absl::StatusCode::kNotFound, "graph-plan-unknown",
                    {"the module has no plan `", name, "`\nfound: ", QuotedList(known),
                     near.empty() ? "" : "\nhelp: did you mean " + QuotedList(near) + "?"});
}

Function PackedFunction(std::string name, ExecutableFinder find) {
  auto pool = std::make_shared<LazyPool>(std::move(find));
  return Function::From(
      [pool](const Args& args, Value* result) {
        const std::vector<Device> devices = DevicesOf(args);
        if (!devices.empty()) {
          absl::StatusOr<Module> context = pool->NewContext(devices);
          ThrowIfError(context.status());
          *result = Value(*std::move(context));
          return;
        }
        const absl::StatusOr<ContextPool*> made = pool->Get();
        ThrowIfError(made.status());
        ThrowIfError(Call(**made, args, result));
      },
      std::move(name));
}

absl::Status RegisterGraph() {
  static const absl::Status* status = new absl::Status([]() -> absl::Status {
    LATHE_RETURN_IF_ERROR(RegisterGlobal(
        "module.load.plan", Function::From([](std::string_view bytes) -> absl::StatusOr<Module> {
          LATHE_ASSIGN_OR_RETURN(Plan plan, DecodePlan(bytes));
          return MakePlanModule(std::move(plan));
        })));
    return RegisterGraphFunctions();
  }());
  return *status;
}

}  // namespace lathe::runtime::graph
