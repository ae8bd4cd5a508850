#include "tune/record.h"

#include <gtest/gtest.h>

#include <cmath>

#include "runtime/status.h"

namespace lathe::tune {
namespace {

using runtime::Json;
using runtime::StatusName;

Record Measured() {
  Record record;
  record.workload = "0123456789abcdef0123456789abcdef";
  record.target = "llvm -mcpu=znver4";
  record.program = "program p {\n  ...\n}";
  record.knobs = *Json::Parse(R"({"gemm.tile_rows": 6, "order": ["i", "k"]})");
  record.seconds = {1.25e-05, 1e-05, 1.0000000000000002e-05, 0.1};
  record.machine = "znver4, 2 cores";
  record.runtime = "0.1.0";
  record.tuner = "random";
  record.when = 1795816800.125;
  record.build_seconds = 0.021;
  return record;
}

TEST(Record, ComesBackAsItWas) {
  for (const bool failed : {false, true}) {
    Record record = Measured();
    if (failed) {
      record.seconds.clear();
      record.failure = {FailureKind::kWrongAnswer, "element 3 is 7 instead of 8"};
      record.knobs = Json();
    }
    const std::string text = ToText(record);
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
    const auto back = RecordFromText(text);
    ASSERT_TRUE(back.ok()) << back.status();
    EXPECT_EQ(ToText(*back), text);
    EXPECT_EQ(back->seconds, record.seconds);
    EXPECT_EQ(back->program, record.program);
    EXPECT_EQ(back->when, record.when);
    ASSERT_EQ(back->failure.has_value(), failed);
    if (failed) EXPECT_EQ(back->failure->kind, FailureKind::kWrongAnswer);
  }
}

TEST(Record, ItsCostIsTheMedian) {
  Record record;
  EXPECT_TRUE(std::isinf(record.cost()));
  record.seconds = {3, 1, 2};
  EXPECT_EQ(record.cost(), 2);
  record.seconds = {4, 1, 3, 2};
  EXPECT_EQ(record.cost(), 2.5);
}

TEST(Record, EachFailureHasAName) {
  for (const char* name : {"schedule", "build", "too-large", "timeout", "crash", "out-of-memory",
                           "wrong-answer", "error", "device"}) {
    Record record = Measured();
    record.seconds.clear();
    record.failure.emplace();
    std::string text = ToText(record);
    text.replace(text.find("\"build\""), 7, "\"" + std::string(name) + "\"");
    const auto back = RecordFromText(text);
    ASSERT_TRUE(back.ok()) << back.status();
    EXPECT_EQ(NameOf(back->failure->kind), name);
  }
}

// Each member that is missing or of another kind is an error that names it.
TEST(Record, WhatIsWrongIsNamed) {
  const Json whole = *Json::Parse(ToText(Measured()));
  for (const auto& [key, value] : whole.members()) {
    for (const bool missing : {true, false}) {
      if (missing && key == "knobs") continue;
      Json damaged = Json::Object();
      for (const auto& [other, kept] : whole.members())
        if (other != key) damaged.Set(other, kept);
      if (!missing) damaged.Set(key, value.is_string() ? Json(1) : Json("text"));
      const absl::Status status = RecordFromText(damaged.Dump()).status();
      EXPECT_EQ(StatusName(status), "tune-record-invalid") << damaged.Dump();
      EXPECT_NE(status.message().find("`" + key + "`"), std::string::npos) << status;
    }
  }
  const auto with = [&](const char* key, const char* value) {
    Json changed = whole;
    changed.Set(key, *Json::Parse(value));
    return std::string(StatusName(RecordFromText(changed.Dump()).status()));
  };
  EXPECT_EQ(with("new_member", "[1]"), "");
  EXPECT_EQ(with("workload", "\"0123\""), "tune-record-invalid");
  EXPECT_EQ(with("seconds", "[]"), "tune-record-invalid");
  EXPECT_EQ(with("seconds", "[1, 0]"), "tune-record-invalid");
  EXPECT_EQ(with("when", "-1"), "tune-record-invalid");
  EXPECT_EQ(with("failure", R"({"kind": "build", "message": ""})"), "tune-record-invalid");
  EXPECT_EQ(with("failure", R"({"kind": "bad", "message": ""})"), "tune-record-invalid");
  EXPECT_EQ(StatusName(RecordFromText("{").status()), "json-malformed");
  EXPECT_EQ(StatusName(RecordFromText("[]").status()), "tune-record-invalid");
}

}  // namespace
}  // namespace lathe::tune
