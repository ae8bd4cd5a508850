#include "runtime/plugin_loader/host_table.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/function.h"
#include "runtime/registry.h"
#include "runtime/status.h"

namespace lathe::runtime {
namespace {

TEST(HostTable, LendsMemory) {
  const lathe_host& host = *HostTable();
  EXPECT_EQ(host.struct_size, sizeof(lathe_host));
  void* data = host.alloc(100, 256);
  ASSERT_NE(data, nullptr);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(data) % 256, 0u);
  EXPECT_EQ(CurrentlyLent().bytes, 100);
  EXPECT_EQ(CurrentlyLent().pieces, 1);
  host.free(data, 100, 256);
  EXPECT_EQ(CurrentlyLent().pieces, 0);
  EXPECT_EQ(host.alloc(0, 16), nullptr);
  EXPECT_EQ(host.alloc(16, 3), nullptr);
  EXPECT_EQ(host.alloc(uint64_t{1} << 60, 16), nullptr);
  host.free(nullptr, 0, 16);
}

TEST(HostTable, ErrorsCarryNameAndOrigin) {
  const lathe_host& host = *HostTable();
  lathe_value error{};
  EXPECT_EQ(host.raise(LATHE_NOT_FOUND, "some-name", "no such thing", "help: look again", nullptr,
                       &error),
            -1);
  const absl::Status status = TakePluginError(&error, "plugin acme 1.2");
  EXPECT_EQ(error.kind, LATHE_VALUE_NONE);
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(StatusName(status), "some-name");
  EXPECT_NE(status.message().find("reported by plugin acme 1.2"), std::string_view::npos) << status;
  EXPECT_NE(status.message().find("look again"), std::string_view::npos) << status;
}

TEST(HostTable, FailuresWithoutAnErrorAreNamed) {
  lathe_value none{};
  EXPECT_EQ(StatusName(TakePluginError(&none, "plugin acme")), "plugin-silent-failure");
  lathe_value string{};
  ASSERT_EQ(HostTable()->make_string("text", 4, &string), 0);
  EXPECT_EQ(StatusName(TakePluginError(&string, "plugin acme")), "plugin-silent-failure");
  EXPECT_EQ(string.kind, LATHE_VALUE_NONE);
}

TEST(HostTable, FunctionsDropWhatTheyOwn) {
  static int drops = 0;
  lathe_value value{};
  static int number = 41;
  const lathe_call call = [](void* self, const lathe_value*, int32_t, lathe_value* ret) {
    ret->kind = LATHE_VALUE_INT;
    ret->v_int = *static_cast<int*>(self) + 1;
    return 0;
  };
  ASSERT_EQ(HostTable()->make_function(call, &number, [](void*) { ++drops; }, &value), 0);
  {
    const Value owned = Value::Adopt(value);
    EXPECT_EQ(owned.As<Function>()().As<int>(), 42);
    EXPECT_EQ(drops, 0);
  }
  EXPECT_EQ(drops, 1);
}

TEST(HostTable, LooksFunctionsUp) {
  ASSERT_TRUE(RegisterGlobal("host_table_test.one", Function::From([] { return 1; })).ok());
  lathe_value value{};
  ASSERT_EQ(HostTable()->get_function("host_table_test.one", &value), 0);
  EXPECT_EQ(Value::Adopt(value).As<Function>()().As<int>(), 1);
  ASSERT_EQ(HostTable()->get_function("host_table_test.two", &value), 0);
  EXPECT_EQ(value.kind, LATHE_VALUE_NONE);
}

TEST(HostTable, RunsInParallel) {
  std::atomic<int64_t> sum{0};
  const auto body = [](void* closure, int64_t begin, int64_t end) -> int32_t {
    for (int64_t i = begin; i < end; ++i) *static_cast<std::atomic<int64_t>*>(closure) += i;
    return 0;
  };
  EXPECT_EQ(HostTable()->parallel(body, &sum, 1000), 0);
  EXPECT_EQ(sum.load(), 999 * 500);
  EXPECT_NE(
      HostTable()->parallel([](void*, int64_t, int64_t) -> int32_t { return 7; }, nullptr, 10), 0);
}

TEST(HostTable, LogIsLimitedPerSite) {
  std::vector<std::string> lines;
  SetPluginLogSink([&](int severity, std::string_view site, std::string_view line) {
    lines.push_back(std::to_string(severity) + " " + std::string(site) + " " + std::string(line));
  });
  for (int i = 0; i < 100; ++i) HostTable()->log(LATHE_LOG_WARNING, "acme.busy", "again");
  HostTable()->log(99, "acme.other", nullptr);
  SetPluginLogSink(nullptr);
  ASSERT_EQ(lines.size(), 6u);
  EXPECT_EQ(lines[0], "2 acme.busy again");
  EXPECT_EQ(lines[5], "3 acme.other ");
}

}  // namespace
}  // namespace lathe::runtime
