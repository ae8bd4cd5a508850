#include "runtime/registry.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "runtime/status.h"

namespace lathe::runtime {
namespace {

Function Constant(int value) {
  return Function::From([value] { return value; });
}

TEST(Registry, RegistersFindsListsRemoves) {
  ASSERT_TRUE(RegisterGlobal("registry_test.b", Constant(2)).ok());
  ASSERT_TRUE(RegisterGlobal("registry_test.a", Constant(1)).ok());
  EXPECT_EQ(FindGlobal("registry_test.a")().As<int>(), 1);
  EXPECT_FALSE(FindGlobal("registry_test.c"));
  EXPECT_EQ(ListGlobalNames("registry_test."),
            (std::vector<std::string>{"registry_test.a", "registry_test.b"}));
  EXPECT_TRUE(RemoveGlobal("registry_test.a"));
  EXPECT_FALSE(RemoveGlobal("registry_test.a"));
  EXPECT_TRUE(RemoveGlobal("registry_test.b"));
}

TEST(Registry, ReplacesOnlyWhenAsked) {
  ASSERT_TRUE(RegisterGlobal("registry_test.x", Constant(1)).ok());
  EXPECT_EQ(StatusName(RegisterGlobal("registry_test.x", Constant(2))), "registry-name-taken");
  EXPECT_EQ(FindGlobal("registry_test.x")().As<int>(), 1);
  EXPECT_TRUE(RegisterGlobal("registry_test.x", Constant(2), Override::kReplace).ok());
  EXPECT_EQ(FindGlobal("registry_test.x")().As<int>(), 2);
  RemoveGlobal("registry_test.x");
}

TEST(Registry, SessionsFindWhatIsMarked) {
  ASSERT_TRUE(RegisterGlobal("registry_test.inner", Constant(1)).ok());
  ASSERT_TRUE(
      RegisterGlobal("registry_test.outer", Constant(2), Override::kRefuse, Exported::kYes).ok());
  EXPECT_EQ((*FindExported("registry_test.outer"))().As<int>(), 2);
  const absl::Status inner = FindExported("registry_test.inner").status();
  EXPECT_EQ(StatusName(inner), "registry-not-exported");
  EXPECT_NE(inner.message().find("exported=True"), std::string_view::npos) << inner;
  EXPECT_EQ(StatusName(FindExported("registry_test.none").status()), "registry-not-exported");
  // Replacing a function sets its export mark again.
  ASSERT_TRUE(RegisterGlobal("registry_test.outer", Constant(3), Override::kReplace).ok());
  EXPECT_EQ(StatusName(FindExported("registry_test.outer").status()), "registry-not-exported");
  ASSERT_TRUE(
      RegisterGlobal("registry_test.outer", Constant(4), Override::kReplace, Exported::kYes).ok());
  EXPECT_EQ((*FindExported("registry_test.outer"))().As<int>(), 4);
  RemoveGlobal("registry_test.inner");
  RemoveGlobal("registry_test.outer");
}

TEST(Registry, RefusesBadEntries) {
  EXPECT_EQ(StatusName(RegisterGlobal("", Constant(1))), "registry-name-invalid");
  EXPECT_EQ(StatusName(RegisterGlobal(std::string(300, 'n'), Constant(1))),
            "registry-name-invalid");
  EXPECT_EQ(StatusName(RegisterGlobal("registry_test.null", Function())), "registry-null-function");
}

TEST(Registry, AsksResolversAndNamesTheNearest) {
  ASSERT_TRUE(RegisterGlobal("registry_test.known", Constant(1)).ok());
  static std::atomic<int> asked{0};
  AddGlobalResolver([](std::string_view name) {
    ++asked;
    if (name == "registry_test.lazy") return RegisterGlobal(name, Constant(9));
    if (name == "registry_test.broken")
      return MakeStatus(absl::StatusCode::kUnavailable, "plugin-broken", "refused");
    return absl::OkStatus();
  });
  EXPECT_EQ((*FindOrLoadGlobal("registry_test.lazy"))().As<int>(), 9);
  EXPECT_EQ((*FindOrLoadGlobal("registry_test.lazy"))().As<int>(), 9);
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(StatusName(FindOrLoadGlobal("registry_test.broken").status()), "plugin-broken");
  const absl::Status missing = FindOrLoadGlobal("registry_test.knwon").status();
  EXPECT_EQ(StatusName(missing), "registry-not-found");
  EXPECT_NE(missing.message().find("`registry_test.known`"), std::string_view::npos) << missing;
}

TEST(Registry, ManyThreads) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      const std::string mine = "registry_test.thread." + std::to_string(t);
      for (int i = 0; i < 500; ++i) {
        ASSERT_TRUE(RegisterGlobal(mine, Constant(i)).ok());
        ASSERT_EQ(FindGlobal(mine)().As<int>(), i);
        RegisterGlobal("registry_test.shared", Constant(t), Override::kReplace).IgnoreError();
        if (Function shared = FindGlobal("registry_test.shared")) ASSERT_LT(shared().As<int>(), 4);
        ListGlobalNames("registry_test.");
        ASSERT_TRUE(RemoveGlobal(mine));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace lathe::runtime
