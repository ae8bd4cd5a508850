// Plans whose tensors are on several devices, with a device whose pointers nobody can dereference.
#include <functional>
#include <thread>

#include "gtest/gtest.h"
#include "runtime/artifact/artifact_module.h"
#include "runtime/graph/executor.h"
#include "runtime/graph/plan_module.h"
#include "runtime/graph/test_kernels.h"
#include "runtime/graph/test_plans.h"
#include "runtime/init.h"
#include "runtime/status.h"
#include "runtime/test_device.h"

namespace lathe::runtime::graph {
namespace {

using List = std::vector<float>;

constexpr int32_t kKind = kDLVulkan;
Device Far(int32_t id = 0) { return {kKind, id, 0}; }

TestDevice& TheDevice() {
  static TestDevice* device = [] {
    auto* made = new TestDevice(kKind, /*strided=*/false);
    Initialize();
    EXPECT_TRUE(RegisterDeviceAPI(made).ok());
    return made;
  }();
  return *device;
}

List ToHost(const DLTensor& tensor) {
  List out(static_cast<size_t>(NumElements(tensor)));
  DLTensor host = tensor;
  host.data = out.data();
  host.device = Device::Cpu().packed();
  EXPECT_TRUE(CopyTensor(tensor, host).ok());
  return out;
}
void FromHost(List data, const DLTensor& tensor) {
  DLTensor host = tensor;
  host.data = data.data();
  host.device = Device::Cpu().packed();
  EXPECT_TRUE(CopyTensor(host, tensor).ok());
}

// A module of the device: functions that take its tensors.
class FarKernels : public ModuleNode {
 public:
  FarKernels() {
    const ArgumentMetadata n{"n", "int", "int32", -1, {}}, x{"X", "tensor", "float32", 1, {"n"}},
        w{"W", "tensor", "float32", 1, {"n"}}, y{"Y", "tensor", "float32", 1, {"n"}};
    const auto add = [&](const char* name, std::vector<ArgumentMetadata> arguments) {
      FunctionMetadata& function = metadata_.functions.emplace_back();
      function.name = name;
      function.device = "vulkan";
      function.arguments = std::move(arguments);
      function.outputs = {"Y"};
    };
    add("far_double", {n, x, y});
    add("far_add", {n, x, w, y});
    add("far_fail", {n, x, y});
  }
  std::string_view kind() const override { return "far"; }
  const Metadata& metadata() const override { return metadata_; }
  Function GetFunction(std::string_view name) override {
    if (name == "far_double")
      return Function::From([](int n, const DLTensor* x, const DLTensor* y) {
        EXPECT_EQ(n, x->shape[0]);
        EXPECT_EQ(Device::FromPacked(x->device).kind, kKind);
        List data = ToHost(*x);
        for (float& one : data) one *= 2;
        FromHost(data, *y);
      });
    if (name == "far_add")
      return Function::From([](int, const DLTensor* x, const DLTensor* w, const DLTensor* y) {
        List a = ToHost(*x);
        const List b = ToHost(*w);
        for (size_t i = 0; i < a.size(); ++i) a[i] += b[i];
        FromHost(a, *y);
      });
    if (name == "far_fail")
      return Function::From([](int, const DLTensor*, const DLTensor*) -> absl::Status {
        return MakeStatus(absl::StatusCode::kUnavailable, "device-lost", "it was unplugged");
      });
    return Function();
  }

 private:
  Metadata metadata_;
};

Module Kernels() {
  TheDevice();
  const Module module = StaticArtifact(&lathe_graph_test_kernels).value();
  module.Import(Module(Make<FarKernels>()));
  return module;
}

std::shared_ptr<const Executable> Made(const Plan& plan, std::vector<Device> devices = {}) {
  auto made = Executable::Create(plan, Kernels(), {}, devices);
  EXPECT_TRUE(made.ok()) << made.status();
  return *made;
}

Tensor Floats(List data, Device device = Device::Cpu()) {
  const int64_t shape[] = {static_cast<int64_t>(data.size())};
  return Tensor::FromHost(data.data(), data.size() * 4, shape, DataType::Float(32), device).value();
}
List Of(const absl::StatusOr<Tensor>& tensor) {
  EXPECT_TRUE(tensor.ok()) << tensor.status();
  return ToHost(tensor->dl());
}
std::string NameOf(const absl::Status& status) { return std::string(StatusName(status)); }

// z = 3 (2 (2 x + w)) + x: x and z on the host, w and what is doubled on the device.
struct Mixed {
  Mixed() {
    const int32_t device = b.Device("vulkan"), n = b.Extent(0, 0);
    const int32_t two = b.Constant(2);
    x = b.Input("x", {n});
    const auto far = [&](int32_t tensor) { return b.OnDevice(tensor, device); };
    const int32_t there = far(b.Arena({n})), a = far(b.Arena({n})), sum = far(b.Arena({n})),
                  twice = far(b.Arena({n})), w = far(b.Weight("w", {two})), back = b.Arena({n}),
                  z = b.Arena({n});
    b.Copy(x, there);
    b.Step("far_double", {there, a}, {{"n", n}});
    b.Step("far_add", {a, w, sum}, {{"n", n}});
    b.Step("far_double", {sum, twice}, {{"n", n}});
    b.Copy(twice, back);
    b.Step("mix", {back, x, z}, {{"n", n}});
    b.plan.outputs = {z};
  }
  PlanBuilder b;
  int32_t x;
};

TEST(Devices, AHostAndADevice) {
  const auto bare = Made(Mixed().b.plan);
  EXPECT_EQ(std::vector<Device>(bare->devices().begin(), bare->devices().end()),
            (std::vector<Device>{Device::Cpu(), Far()}));
  const int before = TheDevice().copies();
  const NamedTensor weight[] = {{"w", Floats({10, 20})}};
  const auto executable = bare->WithConstants(weight).value();
  EXPECT_EQ(TheDevice().copies(), before + 1);
  EXPECT_EQ(executable->constant(0).device(), Far());
  Context one(executable), two(executable);
  EXPECT_EQ(one.GetConstant(0).value().dl().data, two.GetConstant(0).value().dl().data);
  for (Context* context : {&one, &two}) {
    ASSERT_TRUE(context->SetInput("x", Floats({1, 2})).ok());
    ASSERT_TRUE(context->Run().ok());
    EXPECT_EQ(Of(context->GetOutput(0)), (List{73, 146}));
  }
  // Each run copies there and back, and each test kernel copies all its tensors; no constants.
  const int run = TheDevice().copies();
  ASSERT_TRUE(one.Run().ok());
  EXPECT_EQ(TheDevice().copies() - run, 1 + 2 + 3 + 2 + 1);
  // A tensor of the device is an input, too.
  ASSERT_TRUE(one.SetInput("x", Floats({0, 1}, Far())).ok());
  ASSERT_TRUE(one.Run().ok());
  EXPECT_EQ(Of(one.GetOutput(0)), (List{60, 133}));
}

TEST(Devices, MemoryIsSharedByLifetimeAndFreed) {
  const size_t live = TheDevice().live();
  {
    Context context(Made(Mixed().b.plan));
    ASSERT_TRUE(context.SetConstant("w", Floats({10, 20})).ok());
    ASSERT_TRUE(context.SetInput("x", Floats({1, 2})).ok());
    ASSERT_TRUE(context.Run().ok());
    // The weight, and two allocations for four tensors: two are in use at any step.
    EXPECT_EQ(TheDevice().live(), live + 3);
    EXPECT_EQ(context.arena_bytes() % 64, 0u);
  }
  EXPECT_EQ(TheDevice().live(), live);
  EXPECT_EQ(TheDevice().bad_frees(), 0);
}

// y = 4 x, all of it on the device.
Plan AllFar(int32_t slot = 0) {
  PlanBuilder b("far");
  const int32_t device = b.Device("vulkan", slot), n = b.Extent(0, 0);
  const int32_t x = b.OnDevice(b.Input("x", {n}), device), a = b.OnDevice(b.Arena({n}), device),
                y = b.OnDevice(b.Arena({n}), device);
  b.Step("far_double", {x, a}, {{"n", n}});
  b.Step("far_double", {a, y}, {{"n", n}});
  b.plan.outputs = {y};
  if (slot == 0) return b.plan;
  b.plan.devices.insert(b.plan.devices.begin() + 1, PlanDevice{"vulkan", 0});
  for (PlanTensor& tensor : b.plan.tensors) tensor.device = 2;
  return b.plan;
}

TEST(Devices, TensorsOfTheCallerAreUsedWhereTheyAre) {
  Context context(Made(AllFar()));
  const Tensor x = Floats({1, 2, 3}, Far()), y = Floats({0, 0, 0}, Far());
  ASSERT_TRUE(context.SetInputZeroCopy(0, x).ok());
  ASSERT_TRUE(context.SetOutput(0, y).ok());
  ASSERT_TRUE(context.Run().ok());
  EXPECT_EQ(ToHost(y.dl()), (List{4, 8, 12}));
  FromHost({5, 6, 7}, x.dl());
  const int copies = TheDevice().copies();
  ASSERT_TRUE(context.Run().ok());
  EXPECT_EQ(TheDevice().copies() - copies, 4);  // of the test's kernels only
  EXPECT_EQ(ToHost(y.dl()), (List{20, 24, 28}));
  // Without memory of the caller the output is on the device.
  ASSERT_TRUE(context.SetOutput(0, Tensor()).ok());
  ASSERT_TRUE(context.Run().ok());
  EXPECT_EQ(context.GetOutput(0).value().device(), Far());
  EXPECT_EQ(Of(context.GetOutput(0)), (List{20, 24, 28}));
  ASSERT_TRUE(context.SetOutput(0, x).ok());
  EXPECT_EQ(NameOf(context.Run()), "graph-overlap");
}

TEST(Devices, WrongDevicesAreNamed) {
  Context context(Made(AllFar()));
  const absl::Status input = context.SetInputZeroCopy(0, Floats({1}));
  EXPECT_EQ(NameOf(input), "graph-input-layout");
  for (const char* part : {"the input `x` of `far`", "it is on another device",
                           "expected: memory of vulkan:0", "on cpu:0"})
    EXPECT_NE(input.message().find(part), std::string::npos) << input;
  EXPECT_EQ(NameOf(context.SetInputZeroCopy(0, Floats({1}, Far(1)))), "graph-input-layout");
  EXPECT_EQ(NameOf(context.SetOutput(0, Floats({1}))), "graph-output-layout");
  const Tensor part = Floats({1, 2}, Far()).Slice(0, 1, 2);
  EXPECT_NE(context.SetInputZeroCopy(0, part).message().find("does not begin"), std::string::npos);
  // An input that is not set has zeros if its shape is known; this one's is not.
  EXPECT_EQ(NameOf(context.GetInput(0).status()), "graph-input-missing");
}

TEST(Devices, AreChosenByTheCaller) {
  EXPECT_EQ(Made(AllFar(), {Far(1)})->devices()[1], Far(1));
  EXPECT_EQ(Made(AllFar(), {Device::Cpu(), Far(1)})->devices()[1], Far(1));
  EXPECT_EQ(Made(AllFar(1))->devices()[2], Far(1));
  EXPECT_EQ(Made(AllFar(1), {Far(1), Far(0)})->devices()[2], Far(0));
  const auto error = [](const Plan& plan, std::vector<Device> devices) {
    const absl::Status status = Executable::Create(plan, Kernels(), {}, devices).status();
    EXPECT_EQ(NameOf(status), "graph-device") << status;
    return std::string(status.message());
  };
  EXPECT_NE(error(AllFar(1), {Far(0)}).find("expected: cpu, vulkan, vulkan (slot 1)"),
            std::string::npos);
  EXPECT_NE(error(AllFar(), {Device{kDLCUDA, 0, 0}}).find("does not run on cuda:0"),
            std::string::npos);
  PlanBuilder host;
  EXPECT_NE(error(host.plan, {Far()}).find("expected: cpu\nfound: vulkan:0"), std::string::npos);
  // A device that is not there.
  const absl::Status absent =
      Executable::Create(AllFar(), Kernels(), {}, std::vector<Device>{Far(7)}).status();
  EXPECT_TRUE(absent.ok()) << absent;
  Context context(Made(AllFar(), {Far(7)}));
  EXPECT_EQ(NameOf(context.SetInput(0, Floats({1}))), "device-no-such-id");
}

TEST(Devices, KernelsOfAnotherDeviceAreRefused) {
  Plan plan = AllFar();
  plan.steps[0].kernel = "mix";
  EXPECT_EQ(NameOf(Executable::Create(plan, Kernels()).status()), "graph-kernel-mismatch");
  plan.steps[0].kernel = "nothing";
  EXPECT_EQ(NameOf(Executable::Create(plan, Kernels()).status()), "entry-not-found");
  plan = AllFar();
  plan.tensors[0].device = 0;
  EXPECT_EQ(NameOf(Executable::Create(plan, Kernels()).status()), "plan-malformed");
  plan = AllFar();
  for (PlanTensor& tensor : plan.tensors) tensor.device = 0;
  EXPECT_EQ(NameOf(Executable::Create(plan, Kernels()).status()), "entry-not-found");
}

TEST(Devices, ErrorsOfADeviceNameTheStep) {
  Plan plan = AllFar();
  plan.steps[1].kernel = "far_fail";
  Context context(Made(plan));
  ASSERT_TRUE(context.SetInput(0, Floats({1})).ok());
  const absl::Status status = context.Run();
  EXPECT_EQ(NameOf(status), "device-lost");
  EXPECT_NE(status.message().find("in: step 1 (`far_double_1`) of `far`"), std::string::npos);
  EXPECT_EQ(NameOf(context.GetOutput(0).status()), "graph-not-run");
}

TEST(Devices, StepsAreObservedWhereTheyRun) {
  Context context(Made(Mixed().b.plan));
  ASSERT_TRUE(context.SetConstant("w", Floats({10, 20})).ok());
  ASSERT_TRUE(context.SetInput("x", Floats({1, 2})).ok());
  std::vector<std::string> devices;
  std::vector<List> values;
  ASSERT_TRUE(context
                  .RunObserved([&](const ObservedStep& step) {
                    devices.push_back(step.outputs[0].device().ToString());
                    values.push_back(ToHost(step.outputs[0].dl()));
                  })
                  .ok());
  EXPECT_EQ(devices, (std::vector<std::string>{"vulkan:0", "vulkan:0", "vulkan:0", "vulkan:0",
                                               "cpu:0", "cpu:0"}));
  EXPECT_EQ(values[2], (List{12, 24}));
}

// What a run selects on the host is doubled on the device: memory of a size that the run binds.
TEST(Devices, SizesOfARun) {
  PlanBuilder b;
  const int32_t device = b.Device("vulkan"), n = b.Extent(0, 0), k = b.Run();
  const int32_t x = b.Input("x", {n}), count = b.Arena({}, DataType::Int(64)),
                picked = b.Arena({k}), there = b.OnDevice(b.Arena({k}), device),
                twice = b.OnDevice(b.Arena({k}), device);
  b.Step("count", {x, count}, {{"n", n}});
  b.Bind(count, k);
  b.Step("pick", {x, picked}, {{"n", n}, {"k", k}});
  b.Copy(picked, there);
  b.Step("far_double", {there, twice}, {{"n", k}});
  b.plan.outputs = {twice};
  Context context(Made(b.plan));
  for (const auto& [data, expected] : std::vector<std::pair<List, List>>{
           {{1, -1, 3}, {2, 6}}, {{-1, -2, -3}, {}}, {{5, 6, 7}, {10, 12, 14}}}) {
    ASSERT_TRUE(context.SetInput(0, Floats(data)).ok());
    ASSERT_TRUE(context.Run().ok());
    EXPECT_EQ(Of(context.GetOutput(0)), expected);
  }
}

TEST(Devices, OutputsThatAreInputsOrPartsAreCopied) {
  PlanBuilder b;
  const int32_t device = b.Device("vulkan"), n = b.Constant(4), two = b.Constant(2);
  const int32_t x = b.OnDevice(b.Input("x", {n}), device),
                folded = b.OnDevice(b.Alias(x, {two, two}), device),
                part = b.OnDevice(b.Prefix(x, {two}), device);
  b.plan.outputs = {x, folded, part};
  Context context(Made(b.plan));
  EXPECT_EQ(Of(context.GetInput(0)), (List{0, 0, 0, 0}));
  ASSERT_TRUE(context.SetInput(0, Floats({1, 2, 3, 4})).ok());
  ASSERT_TRUE(context.Run().ok());
  EXPECT_EQ(Of(context.GetOutput(0)), (List{1, 2, 3, 4}));
  EXPECT_EQ(Of(context.GetOutput(1)), (List{1, 2, 3, 4}));
  EXPECT_EQ(Of(context.GetOutput(2)), (List{1, 2}));
}

TEST(Devices, ThePlanIsAFunction) {
  EXPECT_TRUE(RegisterGraph().ok());
  const Module module = Kernels();
  module.Import(LoadModuleBytes("plan", MakePlanModule(AllFar()).value()->Save().value()).value());
  const Function f = module.GetFunction("far").value();
  const Tensor y = Floats({0, 0});
  f(Floats({1, 2}), y);
  EXPECT_EQ(ToHost(y.dl()), (List{4, 8}));
  const Tensor there = Floats({0, 0}, Far());
  f(Floats({1, 3}, Far()), there);
  EXPECT_EQ(ToHost(there.dl()), (List{4, 12}));
  EXPECT_EQ(f(Floats({1})).As<Tensor>().device(), Far());
  const Module context = f(Device::Cpu(), Far(1)).As<Module>();
  EXPECT_EQ(context.GetFunction("get_input_device").value()("x").As<Device>(), Far(1));
  EXPECT_EQ(context.GetFunction("get_output_device").value()(0).As<Device>(), Far(1));
  EXPECT_EQ(NameOf(f.TryCall(Device{kDLCUDA, 0, 0}).status()), "graph-device");
  const auto one = FindExecutable(module, "far", std::vector<Device>{Far(1)}).value();
  EXPECT_EQ(one, FindExecutable(module, "far", std::vector<Device>{Device::Cpu(), Far(1)}).value());
  EXPECT_NE(one, FindExecutable(module, "far").value());
}

TEST(Devices, ContextsRunAtTheSameTime) {
  const auto executable = Made(AllFar());
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      Context context(executable);
      for (int i = 0; i < 20; ++i) {
        const auto value = static_cast<float>(t * 100 + i);
        EXPECT_TRUE(context.SetInput(0, Floats({value, 1})).ok());
        EXPECT_TRUE(context.Run().ok());
        EXPECT_EQ(Of(context.GetOutput(0)), (List{4 * value, 4}));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace lathe::runtime::graph
