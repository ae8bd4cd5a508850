#include "tune/space.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "runtime/status.h"
#include "tune/split_candidates.h"

namespace lathe::tune {
namespace {

using runtime::Json;
using runtime::StatusName;

Knob Option(const std::string& name, std::vector<Json> candidates) {
  return {name, KnobKind::kOption, std::move(candidates)};
}

Knob Split(const std::string& name, int64_t length) {
  Knob knob{name, KnobKind::kSplit, {}};
  const auto splits = *SplitCandidates(length, {});
  for (const std::vector<int64_t>& inner : splits) {
    Json candidate = Json::Array();
    candidate.Append(-1);
    for (const int64_t one : inner) candidate.Append(one);
    knob.candidates.push_back(std::move(candidate));
  }
  return knob;
}

// 6 * 3 * 2 points.
Space Some() {
  Space space;
  EXPECT_TRUE(space.Add(Split("tile_y", 12)).ok());
  EXPECT_TRUE(space.Add(Option("unroll", {0, 512, 1500})).ok());
  EXPECT_TRUE(space.Add(Option("explicit", {false, true})).ok());
  return space;
}

TEST(Space, PointsHaveNumbers) {
  const Space space = Some();
  ASSERT_EQ(space.size(), 36);
  std::set<std::string> configs;
  for (int64_t number = 0; number < 36; ++number) {
    const Point point = *space.PointAt(number);
    EXPECT_EQ(space.NumberOf(point), number);
    const Json config = space.ConfigOf(point);
    EXPECT_EQ(*space.PointOf(config), point);
    configs.insert(config.Dump());
  }
  EXPECT_EQ(configs.size(), 36u);
  // The first knob changes fastest.
  EXPECT_EQ(space.ConfigOf(*space.PointAt(1)).Dump(),
            R"({"tile_y": [-1, 2], "unroll": 0, "explicit": false})");
  EXPECT_EQ(space.ConfigOf(*space.PointAt(35)).Dump(),
            R"({"tile_y": [-1, 12], "unroll": 1500, "explicit": true})");
  EXPECT_EQ(Space().size(), 1);
  EXPECT_EQ(Space().ConfigOf(*Space().PointAt(0)).Dump(), "{}");
}

TEST(Space, WhatIsNoPoint) {
  const Space space = Some();
  EXPECT_EQ(StatusName(space.PointAt(36).status()), "tune-point");
  EXPECT_EQ(StatusName(space.PointAt(-1).status()), "tune-point");
  for (const char* config :
       {R"({"tile_y":[-1,5],"unroll":0,"explicit":false})", R"({"tile_y":[-1,2],"unroll":0})",
        R"({"tile_y":[-1,2],"unroll":0.5,"explicit":false})",
        R"({"tile_y":[-1,2],"unroll":0,"explicit":false,"more":1})", "[]", "null"})
    EXPECT_EQ(StatusName(space.PointOf(*Json::Parse(config)).status()), "tune-point") << config;
}

TEST(Space, KnobsAreDefinedAgain) {
  Space space = Some();
  EXPECT_TRUE(space.Add(Split("tile_y", 12)).ok());
  EXPECT_EQ(space.knobs().size(), 3u);
  for (Knob knob : {Split("tile_y", 6), Option("", {1}), Option("none", {}),
                    Option("twice", {1, 2, 1}), Option("tile_y", {1})}) {
    const absl::Status status = space.Add(std::move(knob));
    EXPECT_EQ(StatusName(status), "tune-knob") << status;
  }
  EXPECT_EQ(space.knobs().size(), 3u);
}

TEST(Space, TooManyPointsForNumbers) {
  Space space;
  for (int i = 0; i < 13; ++i) {
    std::vector<Json> candidates;
    for (int k = 0; k < 32; ++k) candidates.emplace_back(k);
    EXPECT_TRUE(space.Add(Option("knob " + std::to_string(i), candidates)).ok());
    EXPECT_EQ(space.size().has_value(), i < 12) << i;  // 32^12 is 2^60
  }
  EXPECT_EQ(StatusName(space.PointAt(0).status()), "tune-point");
  Space::Random random(1);
  EXPECT_EQ(space.NumberOf(*space.Draw(random)), -1);
  EXPECT_NE(*space.Draw(random), *space.Draw(random));
  EXPECT_FALSE(space.CountAccepted().has_value());
  EXPECT_NE(space.ToString().find("space of more than 2^63 points"), std::string::npos);
}

TEST(Space, FiltersAreObeyed) {
  Space space = Some();
  EXPECT_EQ(space.CountAccepted(), 36);
  space.Filter([](const Point& point) { return point[0] + point[1] == 3; });
  space.Filter([](const Point& point) { return point[2] == 1; });
  EXPECT_EQ(space.size(), 36);
  EXPECT_EQ(space.CountAccepted(), 3);
  Space::Random random(7);
  Point last = *space.Draw(random);
  for (int i = 0; i < 100; ++i) {
    for (const auto& point : {space.Draw(random), space.Cross(last, {1, 2, 1}, 0.1, random)}) {
      ASSERT_TRUE(point.has_value());
      EXPECT_TRUE(space.Accepts(*point));
      last = *point;
    }
  }
  // No neighbour is accepted: two knobs must change.
  EXPECT_FALSE(space.Step(last, random).has_value());
  space.Filter([](const Point&) { return false; });
  EXPECT_FALSE(space.Draw(random).has_value());
  EXPECT_EQ(space.CountAccepted(), 0);
}

TEST(Space, DrawsEachPoint) {
  const Space space = Some();
  Space::Random random(42);
  std::map<int64_t, int> times;
  for (int i = 0; i < 3600; ++i) ++times[space.NumberOf(*space.Draw(random))];
  ASSERT_EQ(times.size(), 36u);
  // 100 each on average; the standard deviation is 10.
  for (const auto& [number, count] : times) EXPECT_NEAR(count, 100, 50) << number;
  Space::Random again(42), other(42);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(space.Draw(again), space.Draw(other));
}

TEST(Space, StepsAndChildren) {
  const Space space = Some();
  Space::Random random(3);
  const Point one = {0, 0, 0}, two = {5, 2, 1};
  std::set<Point> steps, children;
  for (int i = 0; i < 300; ++i) {
    const Point step = *space.Step(one, random);
    int changed = 0;
    for (size_t k = 0; k < step.size(); ++k) changed += step[k] != one[k] ? 1 : 0;
    EXPECT_EQ(changed, 1);
    steps.insert(step);
    const Point child = *space.Cross(one, two, 0, random);
    for (size_t k = 0; k < child.size(); ++k) EXPECT_TRUE(child[k] == one[k] || child[k] == two[k]);
    children.insert(child);
  }
  EXPECT_EQ(steps.size(), 5u + 2 + 1);
  EXPECT_EQ(children.size(), 8u);
  EXPECT_GT(std::set<Point>({*space.Cross(one, two, 1, random), *space.Cross(one, two, 1, random),
                             *space.Cross(one, two, 1, random)})
                .size(),
            1u);
  Space single;
  EXPECT_TRUE(single.Add(Option("one", {1})).ok());
  EXPECT_EQ(*single.Step({0}, random), Point{0});
}

TEST(Space, IsShown) {
  EXPECT_EQ(Some().ToString(),
            "space of 36 points\n"
            "  tile_y: split, 6 candidates: [-1, 1], [-1, 2], [-1, 3], [-1, 4], ...\n"
            "  unroll: option, 3 candidates: 0, 512, 1500\n"
            "  explicit: option, 2 candidates: false, true\n");
}

}  // namespace
}  // namespace lathe::tune
