// Calls of compiled functions with something that is no tensor, or with tensors of another type, on
// another device or at an unaligned address.
#include <string>
#include <vector>

#include "driver/compile.h"
#include "driver/default_plugins.h"
#include "gtest/gtest.h"
#include "ir/text/parser.h"
#include "runtime/session/loopback_session.h"
#include "runtime/status.h"
#include "runtime/tensor.h"
#include "target/target.h"

namespace lathe {
namespace {

using runtime::Device;
using runtime::Tensor;

TEST(CompiledCallErrors, EachHasItsName) {
  driver::UseDefaultPlugins();
  const ir::Module text = ir::ParseModule(
      "func f(A: float32[4], B: float32[4](align=64)) { for i in range(4) { B[i] = A[i] } }");
  auto module = driver::Build(text, target::ParseTarget("llvm"), {});
  ASSERT_TRUE(module.ok()) << module.status();
  const runtime::Function f = *module->GetFunction("f");
  const Tensor good = *Tensor::Empty({4}, DataType::Float(32));
  EXPECT_TRUE(f.TryCall(good, good).ok());
  const absl::Status type = f.TryCall(good, *Tensor::Empty({4}, DataType::Int(32))).status();
  EXPECT_EQ(runtime::StatusName(type), "call-argument-dtype") << type;
  const absl::Status kind = f.TryCall(good, 3).status();
  EXPECT_EQ(runtime::StatusName(kind), "call-argument-kind") << kind;
  alignas(64) float memory[8] = {};
  const int64_t shape[] = {4};
  const Tensor elsewhere = Tensor::Wrap(memory, 0, shape, {}, DataType::Float(32),
                                        Device{kDLCUDA, 0, 0}, nullptr, nullptr);
  const absl::Status device = f.TryCall(good, elsewhere).status();
  EXPECT_EQ(runtime::StatusName(device), "call-argument-device") << device;
  const Tensor shifted =
      Tensor::Wrap(memory + 1, 0, shape, {}, DataType::Float(32), Device::Cpu(), nullptr, nullptr);
  const absl::Status alignment = f.TryCall(good, shifted).status();
  EXPECT_EQ(runtime::StatusName(alignment), "call-argument-alignment") << alignment;
}

// The error names the kind of the value instead of giving its number.
TEST(CompiledCallErrors, SayWhatWasPassedInstead) {
  driver::UseDefaultPlugins();
  const ir::Module text =
      ir::ParseModule("func f(A: float32[4], n: int32, x: float32, p: handle) { A[0] = x }");
  auto module = driver::Build(text, target::ParseTarget("llvm"), {});
  ASSERT_TRUE(module.ok()) << module.status();
  const runtime::Function f = *module->GetFunction("f");
  const Tensor a = *Tensor::Empty({4}, DataType::Float(32));
  lathe_value good[4] = {runtime::Value(a).c(), {}, {}, {}};
  good[1].kind = good[2].kind = LATHE_VALUE_INT;
  EXPECT_TRUE(f.TryCallPacked(good, 4).ok()) << f.TryCallPacked(good, 4).status();
  const auto with = [&](int argument, lathe_value value) {
    lathe_value values[4] = {good[0], good[1], good[2], good[3]};
    values[argument] = value;
    const absl::Status status = f.TryCallPacked(values, 4).status();
    EXPECT_EQ(runtime::StatusName(status), "call-argument-kind") << status;
    return std::string(status.message());
  };
  const auto expect = [](const std::string& text, const char* expected, const char* found) {
    EXPECT_NE(text.find(std::string("expected: ") + expected), std::string::npos) << text;
    EXPECT_NE(text.find(std::string("found: ") + found), std::string::npos) << text;
  };
  lathe_value word{}, object = good[0], unknown{};
  word.kind = LATHE_VALUE_STRING;
  word.v_string = "5";
  unknown.kind = 65;
  expect(with(0, word), "a tensor", "a string");
  expect(with(0, unknown), "a tensor", "an unknown kind (65)");
  expect(with(1, object), "an integer for int32", "an object");
  expect(with(1, unknown), "an integer for int32", "an unknown kind (65)");
  expect(with(2, word), "a number for float32", "a string");
  expect(with(3, good[1]), "an opaque pointer", "an integer");
}

// A handle of a session is no address. Only the check of the device prevents a load from it.
TEST(CompiledCallErrors, ATensorOfASessionIsRefused) {
  driver::UseDefaultPlugins();
  const ir::Module text = ir::ParseModule(
      "func f(A: float32[4](align=64), B: float32[4](align=64)) { for i in range(4) { B[i] = A[i] "
      "} }");
  auto module = driver::Build(text, target::ParseTarget("llvm"), {});
  ASSERT_TRUE(module.ok()) << module.status();
  const runtime::Function f = *module->GetFunction("f");
  const Tensor here = *Tensor::Empty({4}, DataType::Float(32));
  const auto refused = [&](const Tensor& remote) {
    const std::string found = "session " + std::to_string(remote.device().session) + " cpu:0";
    for (const absl::Status& status :
         {f.TryCall(remote, here).status(), f.TryCall(here, remote).status(),
          f.TryCall(&remote.dl(), here).status()}) {
      EXPECT_EQ(runtime::StatusName(status), "call-argument-device") << status;
      EXPECT_NE(status.message().find("expected: device kind `cpu`\n"), std::string::npos)
          << status;
      EXPECT_NE(status.message().find(found), std::string::npos) << status;
    }
  };
  // These addresses are never mapped, so a load faults. A handle need not be aligned like an
  // address.
  const int64_t shape[] = {4};
  for (const int32_t session : {1, 5, 65535})
    for (const uintptr_t handle : {uintptr_t{0xdead} << 48, (uintptr_t{0xdead} << 48) + 1, {}})
      refused(Tensor::Wrap(reinterpret_cast<void*>(handle), 0, shape, {}, DataType::Float(32),
                           Device{kDLCPU, 0, session}, nullptr, nullptr));
  const auto session = *runtime::LoopbackSession::Open();
  const Tensor remote = *here.To(session->device(kDLCPU));
  refused(remote);
  session->Close();
  refused(remote);
}

// The same code, loaded by the session that owns the tensors.
TEST(CompiledCallErrors, ASessionRunsItOnTensorsOfItsOwn) {
  driver::UseDefaultPlugins();
  const ir::Module text =
      ir::ParseModule("func f(A: float32[4], B: float32[4]) { for i in range(4) { B[i] = A[i] } }");
  auto module = driver::Build(text, target::ParseTarget("llvm"), {});
  ASSERT_TRUE(module.ok()) << module.status();
  const auto session = *runtime::LoopbackSession::Open();
  const auto bytes = (*module)->Save();
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  const auto loaded = session->LoadBytes((*module)->kind(), *bytes);
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  const runtime::Function f = *loaded->GetFunction("f");
  const std::vector<float> data = {1, 2, 3, 4};
  const int64_t shape[] = {4};
  const Device device = session->device(kDLCPU);
  const Tensor a = *Tensor::FromHost(data.data(), 16, shape, DataType::Float(32), device);
  const Tensor b = *Tensor::Empty(shape, DataType::Float(32), device);
  EXPECT_TRUE(f.TryCall(a, b).ok()) << f.TryCall(a, b).status();
  EXPECT_EQ(b.To(Device::Cpu())->HostData<const float>()[3], 4);
  const Tensor here = *a.To(Device::Cpu());
  EXPECT_EQ(runtime::StatusName(f.TryCall(here, b).status()), "session-argument");
  const runtime::Value args[] = {runtime::Value(a), runtime::Value(b)};
  runtime::TimerOptions options;
  options.repeat = 3;
  const auto times = session->Time(f, args, device, options, nullptr);
  ASSERT_TRUE(times.ok()) << times.status();
  EXPECT_EQ(times->seconds.size(), 3u);
}

}  // namespace
}  // namespace lathe
