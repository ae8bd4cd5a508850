// Compiled functions called with something else than a tensor, or with tensors of another type, on
// another device or at an unaligned address.
#include <string>

#include "driver/compile.h"
#include "driver/default_plugins.h"
#include "gtest/gtest.h"
#include "ir/parser.h"
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

// The check of the device is all that stands between a handle of a session and a load from it.
TEST(CompiledCallErrors, ATensorOfASessionIsRefused) {
  driver::UseDefaultPlugins();
  const ir::Module text =
      ir::ParseModule("func f(A: float32[4], B: float32[4]) { for i in range(4) { B[i] = A[i] } }");
  auto module = driver::Build(text, target::ParseTarget("llvm"), {});
  ASSERT_TRUE(module.ok()) << module.status();
  const runtime::Function f = *module->GetFunction("f");
  const Tensor here = *Tensor::Empty({4}, DataType::Float(32));
  // Nothing is ever mapped there: a load faults.
  void* const nowhere = reinterpret_cast<void*>(uintptr_t{0xdead} << 48);
  const int64_t shape[] = {4};
  for (const int32_t session : {1, 5, 65535}) {
    const Tensor remote = Tensor::Wrap(nowhere, 0, shape, {}, DataType::Float(32),
                                       Device{kDLCPU, 0, session}, nullptr, nullptr);
    for (const absl::Status& status :
         {f.TryCall(remote, here).status(), f.TryCall(here, remote).status(),
          f.TryCall(&remote.dl(), here).status()}) {
      EXPECT_EQ(runtime::StatusName(status), "call-argument-device") << status;
      EXPECT_NE(status.message().find("expected: device kind 1\n"), std::string::npos) << status;
      EXPECT_NE(status.message().find("session " + std::to_string(session) + " cpu:0"),
                std::string::npos)
          << status;
    }
  }
}

}  // namespace
}  // namespace lathe
