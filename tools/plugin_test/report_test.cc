// The report card, and the list of expected failures.
#include "tools/plugin_test/report.h"

#include "gtest/gtest.h"
#include "runtime/status.h"
#include "tools/plugin_test/expected.h"
#include "tools/plugin_test/kit_host.h"

namespace lathe::kit {
namespace {

TEST(Report, CountsByTheme) {
  const std::vector<Result> results = {
      {"hygiene", "a", Verdict::kPassed, "", 1},  {"device", "b", Verdict::kPassed, "", 1},
      {"device", "c", Verdict::kExpected, "", 1}, {"device", "d", Verdict::kNotApplicable, "", 1},
      {"device", "e", Verdict::kFailed, "", 1},   {"ir", "f", Verdict::kNotApplicable, "", 1}};
  EXPECT_EQ(Card(results), "hygiene 1/1, device 1/3 (1 expected failure)");
  const std::string json = ReportJson({}, results);
  EXPECT_NE(json.find("\"device/e\""), std::string::npos) << json;
  EXPECT_NE(json.find("\"not_applicable\": 1"), std::string::npos) << json;
}

TEST(Expected, PatternsWithReasons) {
  auto list = ParseExpected("# a comment\n\ndevice/copy-*  it has none   # really\nir/x why\n");
  ASSERT_TRUE(list.ok()) << list.status();
  ASSERT_EQ(list->size(), 2u);
  EXPECT_EQ(FindExpected(*list, "device/copy-strided")->reason.substr(0, 11), "it has none");
  EXPECT_EQ(FindExpected(*list, "device/alloc"), nullptr);
  EXPECT_FALSE((*list)[1].used);
  EXPECT_EQ(runtime::StatusName(ParseExpected("device/copy\n").status()), "expected-malformed");
}

TEST(Outcomes, HaveNames) {
  EXPECT_EQ(runtime::StatusName(Failed("x")), "check-failed");
  EXPECT_EQ(runtime::StatusName(NotApplicable("x")), "check-not-applicable");
  EXPECT_TRUE(IsNotApplicable(NotApplicable("x")));
  EXPECT_FALSE(IsNotApplicable(Failed("x")));
  EXPECT_EQ(runtime::StatusName(Measured("x")), "check-measured");
  EXPECT_TRUE(IsMeasured(Measured("x")));
  EXPECT_FALSE(IsMeasured(Failed("x")));
}

TEST(KitHost, CountsAndFailsOnDemand) {
  const lathe_host& host = *KitHost();
  void* data = host.alloc(10, 8);
  EXPECT_EQ(CurrentCounters().pieces, 1);
  host.free(data, 9, 8);  // with other arguments than it was lent with
  EXPECT_EQ(CurrentCounters().wrong_frees, 1);
  host.free(data, 10, 8);
  EXPECT_EQ(CurrentCounters().pieces, 0);
  FailCall(2);
  lathe_value text{};
  EXPECT_EQ(host.make_string("a", 1, &text), 0);
  EXPECT_EQ(TextOf(text), "a");
  Drop(&text);
  EXPECT_NE(host.make_bytes("a", 1, &text), 0);
  EXPECT_TRUE(FailureHappened());
  EXPECT_EQ(TakeError(&text), "kit-forced-failure: by intent");
  EXPECT_EQ(CurrentCounters().objects, 0);
  FailCall(0);
}

}  // namespace
}  // namespace lathe::kit
