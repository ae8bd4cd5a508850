#include "runtime/table.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "base/error.h"
#include "runtime/error_object.h"
#include "runtime/registry.h"
#include "runtime/status.h"
#include "runtime/tensor.h"
#include "runtime/workspace.h"

namespace lathe::runtime {
namespace {

// Returns the name of the error that compiled code would return to its caller.
std::string Pending() {
  lathe_value ret{};
  EXPECT_EQ(RuntimeTable()->take_error(&ret), -1);
  const Value owned = Value::Adopt(ret);
  return reinterpret_cast<const lathe_error*>(owned.c().v_object)->name;
}

TEST(Table, IsComplete) {
  const lathe_runtime_table* table = RuntimeTable();
  EXPECT_EQ(table->struct_size, sizeof(lathe_runtime_table));
  EXPECT_TRUE(table->parallel && table->workspace_alloc && table->workspace_free && table->raise &&
              table->take_error && table->call_packed && table->set_device && table->copy &&
              table->poll && table->parallel_on && table->thread_index);
}

TEST(Table, RunsParallelBodies) {
  std::atomic<int64_t> sum{0};
  std::atomic<int64_t>* slots[] = {&sum};
  EXPECT_EQ(RuntimeTable()->parallel(
                [](void* closure, int64_t begin, int64_t end) -> int32_t {
                  for (int64_t i = begin; i < end; ++i)
                    **static_cast<std::atomic<int64_t>**>(closure) += i;
                  return 0;
                },
                slots, 100),
            0);
  EXPECT_EQ(sum, 4950);
  EXPECT_NE(RuntimeTable()->parallel(
                [](void*, int64_t begin, int64_t) -> int32_t {
                  lathe_value at = ValueTraits<int64_t>::Borrow(begin);
                  return RuntimeTable()->raise("body-failed", "at {0}", &at, 1);
                },
                nullptr, 8),
            0);
  EXPECT_EQ(Pending(), "body-failed");
}

TEST(Table, WorkspaceIsAStack) {
  const lathe_runtime_table* table = RuntimeTable();
  void* a = table->workspace_alloc(kDLCPU, 0, 100, "global");
  void* b = table->workspace_alloc(kDLCPU, 0, 10000, nullptr);
  ASSERT_TRUE(a != nullptr && b != nullptr && a != b);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(b) % 64, 0u);
  std::memset(a, 1, 100);
  std::memset(b, 2, 10000);
  EXPECT_EQ(table->workspace_free(kDLCPU, 0, b), 0);
  EXPECT_NE(table->workspace_free(kDLCPU, 0, b), 0);
  EXPECT_EQ(Pending(), "workspace-order");
  b = table->workspace_alloc(kDLCPU, 0, 10000, nullptr);
  EXPECT_EQ(table->workspace_free(kDLCPU, 0, a), 0);  // also frees b
  EXPECT_NE(table->workspace_free(kDLCPU, 0, b), 0);
  EXPECT_EQ(Pending(), "workspace-order");
  EXPECT_NE(table->workspace_free(kDLCPU, 0, a), 0);
  EXPECT_EQ(Pending(), "workspace-order");
  EXPECT_EQ(table->workspace_alloc(kDLCPU, 0, 100, "global") == nullptr,
            false);  // reuses freed memory
  EXPECT_EQ(table->workspace_alloc(kDLCPU, 0, 100, "nowhere"), nullptr);
  EXPECT_EQ(Pending(), "device-no-such-scope");
  EXPECT_EQ(table->workspace_alloc(kDLVulkan, 0, 100, "global"), nullptr);
  EXPECT_EQ(Pending(), "device-kind-unavailable");
  EXPECT_EQ(table->workspace_alloc(kDLCPU, 0, ~uint64_t{0}, "global"), nullptr);
  EXPECT_EQ(Pending(), "device-out-of-memory");
  EXPECT_TRUE(WorkspaceTrim().ok());
}

TEST(Table, WorkspaceHasALimit) {
  SetWorkspaceLimit(3 * 4096);
  std::thread([] {
    const auto take = [](uint64_t bytes) { return WorkspaceAlloc(Device::Cpu(), bytes); };
    void* a = take(4096).value();
    void* b = take(2 * 4096).value();
    const absl::Status none = take(1).status();
    EXPECT_EQ(StatusName(none), "workspace-limit");
    EXPECT_NE(none.message().find("LATHE_WORKSPACE_BYTES"), std::string_view::npos) << none;
    EXPECT_TRUE(WorkspaceFree(Device::Cpu(), b).ok());
    EXPECT_TRUE(WorkspaceFree(Device::Cpu(), a).ok());
    // Unused blocks are freed to make room.
    void* all = take(3 * 4096).value();
    EXPECT_EQ(StatusName(take(1).status()), "workspace-limit");
    EXPECT_TRUE(WorkspaceFree(Device::Cpu(), all).ok());
  }).join();
  SetWorkspaceLimit(0);
  EXPECT_GT(WorkspaceLimit(), uint64_t{1} << 20);
}

TEST(Table, TheEnvironmentLimitsWorkspace) {
  constexpr const char* kVariable = "LATHE_WORKSPACE_BYTES";
  setenv(kVariable, "123456", 1);
  EXPECT_EQ(WorkspaceLimit(), 123456u);
  for (const char* wrong : {"many", "-1", "0", "12 GB", "99999999999999999999"}) {
    setenv(kVariable, wrong, 1);
    try {
      WorkspaceLimit();
      ADD_FAILURE() << wrong;
    } catch (const Error& error) {
      EXPECT_EQ(error.name(), "workspace-invalid-limit");
    }
  }
  unsetenv(kVariable);
  EXPECT_GT(WorkspaceLimit(), uint64_t{1} << 20);
}

TEST(Table, WorkspaceIsPerThread) {
  void* mine = WorkspaceAlloc(Device::Cpu(), 64).value();
  void* theirs = nullptr;
  std::thread([&] {
    theirs = WorkspaceAlloc(Device::Cpu(), 64).value();
    EXPECT_FALSE(WorkspaceFree(Device::Cpu(), mine).ok());
    EXPECT_TRUE(WorkspaceFree(Device::Cpu(), theirs).ok());
  }).join();
  EXPECT_NE(mine, theirs);
  EXPECT_TRUE(WorkspaceFree(Device::Cpu(), mine).ok());
}

TEST(Table, CallsGlobalFunctionsAndRemembersThem) {
  ASSERT_TRUE(
      RegisterGlobal("table_test.add", Function::From([](int a, int b) { return a + b; })).ok());
  void* cache = nullptr;
  const lathe_value args[] = {ValueTraits<int>::Borrow(2), ValueTraits<int>::Borrow(3)};
  for (int i = 0; i < 2; ++i) {
    lathe_value ret{};
    ASSERT_EQ(RuntimeTable()->call_packed("table_test.add", &cache, args, 2, &ret), 0);
    EXPECT_EQ(Value::Adopt(ret).As<int>(), 5);
    EXPECT_NE(cache, nullptr);
    RemoveGlobal("table_test.add");  // a call site keeps what it found
  }
  lathe_value ret{};
  EXPECT_NE(RuntimeTable()->call_packed("table_test.add", &cache, args, 1, &ret), 0);
  EXPECT_TRUE(Value::Adopt(ret).is_none());
  EXPECT_EQ(Pending(), "call-wrong-argument-count");
  void* other = nullptr;
  EXPECT_NE(RuntimeTable()->call_packed("table_test.none", &other, args, 2, &ret), 0);
  EXPECT_EQ(Pending(), "registry-not-found");
}

TEST(Table, CallSitesOfAnImageAskItsImportsFirst) {
  static void* image[4];
  auto witness = std::make_shared<int>(7);
  {
    ImageRegistration registration(image, image + 4, [&](std::string_view name) {
      return name == "mine" ? Function::From([witness] { return *witness; }) : Function();
    });
    for (int i = 0; i < 3; ++i) {
      lathe_value ret{};
      ASSERT_EQ(RuntimeTable()->call_packed("mine", &image[1], nullptr, 0, &ret), 0);
      EXPECT_EQ(Value::Adopt(ret).As<int>(), 7);
    }
    EXPECT_EQ(witness.use_count(), 2);
    void* outside = nullptr;
    lathe_value ret{};
    EXPECT_NE(RuntimeTable()->call_packed("mine", &outside, nullptr, 0, &ret), 0);
    EXPECT_EQ(Pending(), "registry-not-found");
  }
  EXPECT_EQ(witness.use_count(), 1);
}

TEST(Table, CopiesAndSetsDevices) {
  Tensor a = Tensor::Empty({2}, DataType::Int(32)).value(),
         b = Tensor::Empty({2}, DataType::Int(32)).value();
  a.HostData<int>()[1] = 9;
  EXPECT_EQ(RuntimeTable()->copy(&a.get()->dl, &b.get()->dl), 0);
  EXPECT_EQ(b.HostData<int>()[1], 9);
  Tensor c = Tensor::Empty({3}, DataType::Int(32)).value();
  EXPECT_NE(RuntimeTable()->copy(&a.get()->dl, &c.get()->dl), 0);
  EXPECT_EQ(Pending(), "tensor-copy-mismatch");
  EXPECT_NE(RuntimeTable()->copy(nullptr, &c.get()->dl), 0);
  EXPECT_EQ(Pending(), "tensor-invalid");
  EXPECT_EQ(RuntimeTable()->set_device(kDLCPU, 0), 0);
  EXPECT_NE(RuntimeTable()->set_device(kDLCPU, 5), 0);
  EXPECT_EQ(Pending(), "device-no-such-id");
}

}  // namespace
}  // namespace lathe::runtime
