#include "tools/lathe/extents.h"

#include "gtest/gtest.h"
#include "runtime/status.h"

namespace lathe::cli {
namespace {

int64_t ValueOf(const Extents& extents, const std::string& text) {
  auto value = extents.Evaluate(text);
  EXPECT_TRUE(value.ok()) << value.status();
  return value.ok() ? *value : -1;
}

std::string FailureOf(const Extents& extents, const std::string& text) {
  auto value = extents.Evaluate(text);
  return value.ok() ? "none" : std::string(runtime::StatusName(value.status()));
}

TEST(Extents, AreSolvedFromShapes) {
  Extents extents;
  const int64_t first[] = {7, 16};
  extents.Solve({"n", "16"}, first);
  EXPECT_EQ(ValueOf(extents, "n"), 7);
  EXPECT_EQ(ValueOf(extents, "16"), 16);
  EXPECT_EQ(ValueOf(extents, "(n + 3) // 4 * 4"), 8);
  EXPECT_EQ(ValueOf(extents, "max(n, 9)"), 9);
  const int64_t second[] = {14, 21};
  extents.Solve({"m * 2 + n - 1", "k.x * n"}, second);
  EXPECT_EQ(ValueOf(extents, "m"), 4);
  EXPECT_EQ(ValueOf(extents, "k.x"), 3);
  // The first value stays.
  const int64_t third[] = {100};
  extents.Solve({"n"}, third);
  EXPECT_EQ(ValueOf(extents, "n"), 7);
}

TEST(Extents, UnknownAndBadOnesAreExplained) {
  Extents extents;
  const int64_t shape[] = {7};
  extents.Solve({"n * 2"}, shape);  // no integer solves this
  extents.Solve({"a", "b"}, shape);
  extents.Solve({"what is ((( this"}, shape);
  EXPECT_EQ(FailureOf(extents, "n"), "run-unknown-extent");
  EXPECT_EQ(FailureOf(extents, "a + 1"), "run-unknown-extent");
  EXPECT_EQ(FailureOf(extents, "what is ((( this"), "run-bad-extent");
  EXPECT_EQ(FailureOf(extents, "1.5"), "run-bad-extent");
  EXPECT_EQ(FailureOf(extents, "3 - 4"), "run-bad-extent");
  EXPECT_EQ(FailureOf(extents, ""), "run-bad-extent");
}

TEST(Extents, ShapesAreRead) {
  std::vector<int64_t> shape;
  EXPECT_TRUE(ParseShape("2x3", &shape));
  EXPECT_EQ(shape, (std::vector<int64_t>{2, 3}));
  EXPECT_TRUE(ParseShape("4,5,6", &shape));
  EXPECT_EQ(shape.size(), 3u);
  EXPECT_TRUE(ParseShape("", &shape));
  EXPECT_TRUE(shape.empty());
  for (const char* bad : {"x", "2x", "-1", "2 3", "99999999999999999999", "1.5"})
    EXPECT_FALSE(ParseShape(bad, &shape)) << bad;
}

}  // namespace
}  // namespace lathe::cli
