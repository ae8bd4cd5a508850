// IR that reaches a plugin must be well-formed, and fit into the memory that its manifest declares.
#include "driver/door.h"

#include "base/error.h"
#include "driver/compile.h"
#include "driver/default_plugins.h"
#include "gtest/gtest.h"
#include "ir/text/parser.h"
#include "target/target.h"

namespace lathe::driver {
namespace {

template <class F>
Diagnostic Thrown(F call) {
  try {
    call();
  } catch (const Error& error) {
    return error.diagnostic();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

// Allocations of `scope`, nested or one after the other.
ir::Module Allocating(const std::string& scope, const std::string& extent, bool nested) {
  const auto block = [&](const std::string& name, const std::string& inner) {
    return " for i_" + name + " in range(2) {\n allocate " + name + ": float32[" + extent +
           "](scope=\"" + scope + "\")\n " + name + "[0] = 1.0\n" + inner + " }\n";
  };
  return ir::ParseModule("func f(A: float32[4], n: int32) {\n" +
                         (nested ? block("p", block("q", "")) : block("p", "") + block("q", "")) +
                         "}");
}

target::TargetSchema WithPad(uint64_t bytes) {
  target::TargetSchema schema;
  schema.stage = target::ContractStage::kTile;
  schema.machine.memory = {{.scope = "global"},
                           {.scope = "acme.pad", .bytes = bytes, .alignment = 64}};
  return schema;
}

TEST(Door, BuffersFitIntoDeclaredMemory) {
  const target::TargetSchema schema = WithPad(65536);
  CheckAtDoor(Allocating("acme.pad", "8192", true), schema);
  CheckAtDoor(Allocating("acme.pad", "16384", false), schema);
  CheckAtDoor(Allocating("global", "262144", true), schema);
  const Diagnostic twice =
      Thrown([&] { CheckAtDoor(Allocating("acme.pad", "8193", true), schema); });
  EXPECT_EQ(twice.name, "target-memory");
  EXPECT_EQ(twice.expected, "at most 65536 bytes at once");
  EXPECT_EQ(twice.found, "65664 bytes");
  const Diagnostic large =
      Thrown([&] { CheckAtDoor(Allocating("acme.pad", "262144", false), schema); });
  EXPECT_EQ(large.found, "1048576 bytes");
  const Diagnostic symbolic =
      Thrown([&] { CheckAtDoor(Allocating("acme.pad", "n", false), schema); });
  EXPECT_EQ(symbolic.name, "target-memory");
  EXPECT_NE(symbolic.found.find("`p` has no constant size"), std::string::npos) << symbolic.found;
  CheckAtDoor(Allocating("acme.pad", "262144", true), WithPad(0));  // not limited
}

// The loader of the compiled code would find it only at the call.
TEST(Door, MemoryThatTheHostLacksIsRefusedByName) {
  UseDefaultPlugins();
  const target::Target llvm = target::ParseTarget("llvm");
  for (const char* scope : {"nowhere", "shared", "local.nowhere"}) {
    for (const char* extent : {"4", "n"}) {
      const ir::Module module = Allocating(scope, extent, false);
      const Diagnostic refused = Thrown([&] { LowerForTarget(module, llvm, {}); });
      EXPECT_EQ(refused.name, "device-scope");
      EXPECT_NE(refused.message.find("buffer `p` of function `f`"), std::string::npos)
          << refused.message;
      EXPECT_EQ(refused.expected, "one of `global` or `local`");
      EXPECT_EQ(refused.found, "\"" + std::string(scope) + "\"");
      Thrown([&] { (void)Build(module, llvm, {}); });
    }
  }
  for (const char* scope : {"global", "local"})
    EXPECT_TRUE(Build(Allocating(scope, "n", true), llvm, {}).ok()) << scope;
}

// A call that no code generator can handle, because of the intrinsic's name or its arguments.
ir::Module Calling(const std::string& op, std::vector<ir::NodeRef> args) {
  const ir::Module module = ir::ParseModule("func f(A: float32[4]) { A[0] = 1.0 }");
  const ir::Func func = module->functions[0];
  const auto* store = ir::As<ir::Store>(func->body);
  const ir::Expr call = ir::MakeCall(DataType::Float(32), op, std::move(args));
  return ir::MakeModule({ir::WithBody(func, ir::MakeStore(store->buffer, call, store->indices))});
}

TEST(Door, NoMalformedCallReachesAPlugin) {
  UseDefaultPlugins();
  for (const ir::Module& module :
       {Calling("nonesuch", {ir::Float(1)}), Calling("pow", {ir::Float(1)})}) {
    const target::TargetSchema schema = WithPad(0);
    const std::string name = Thrown([&] { CheckAtDoor(module, schema); }).name;
    EXPECT_TRUE(name == "verify-call" || name == "verify-stage") << name;
    // Build finds the error too.
    Thrown([&] { (void)Build(module, target::ParseTarget("llvm"), {}); });
  }
}

}  // namespace
}  // namespace lathe::driver
