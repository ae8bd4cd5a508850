#include "tune/tuner.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "base/error.h"

namespace lathe::tune {
namespace {

Space SpaceOf(int knobs, int candidates) {
  Space space;
  for (int i = 0; i < knobs; ++i) {
    Knob knob{"knob " + std::to_string(i), KnobKind::kOption, {}};
    for (int k = 0; k < candidates; ++k) knob.candidates.emplace_back(k);
    EXPECT_TRUE(space.Add(std::move(knob)).ok());
  }
  return space;
}

constexpr double kFailed = std::numeric_limits<double>::infinity();

// What `trials` of a tuner find at best.
template <class Cost>
double BestOf(Tuner& tuner, int trials, const Cost& cost) {
  double best = kFailed;
  for (int tried = 0; tried < trials;) {
    const std::vector<Point> points = tuner.Propose(std::min(16, trials - tried));
    if (points.empty()) break;
    std::vector<double> costs;
    for (const Point& point : points) costs.push_back(cost(point));
    for (const double one : costs) best = std::min(best, one);
    tuner.Learn(points, costs);
    tried += static_cast<int>(points.size());
  }
  return best;
}

TEST(Tuner, EachTriesEachPointOnce) {
  Space space = SpaceOf(3, 7);
  space.Filter([](const Point& point) { return point[0] != 3; });
  std::unique_ptr<Tuner> tuners[] = {NewRandomTuner(space), NewGridTuner(space),
                                     NewGeneticTuner(space, {.population = 20})};
  for (const std::unique_ptr<Tuner>& tuner : tuners) {
    std::set<Point> seen;
    for (;;) {
      const std::vector<Point> points = tuner->Propose(10);
      if (points.empty()) break;
      for (const Point& point : points) {
        EXPECT_TRUE(space.Accepts(point));
        EXPECT_TRUE(seen.insert(point).second) << tuner->name();
      }
      tuner->Learn(points, std::vector<double>(points.size(), 1.0));
    }
    EXPECT_EQ(seen.size(), 6u * 7 * 7) << tuner->name();
    EXPECT_TRUE(tuner->Propose(1).empty());
  }
}

// A search goes on from the records of an earlier one.
TEST(Tuner, WhatIsKnownIsNotProposed) {
  const Space space = SpaceOf(2, 5);
  const std::vector<Point> known = {{0, 0}, {3, 1}, {4, 4}};
  std::unique_ptr<Tuner> tuners[] = {NewRandomTuner(space), NewGridTuner(space),
                                     NewGeneticTuner(space)};
  for (const std::unique_ptr<Tuner>& tuner : tuners) {
    tuner->Learn(known, std::vector<double>(known.size(), 1.0));
    const std::vector<Point> points = tuner->Propose(100);
    EXPECT_EQ(points.size(), 22u) << tuner->name();
    for (const Point& point : known)
      EXPECT_EQ(std::count(points.begin(), points.end(), point), 0) << tuner->name();
  }
}

TEST(Tuner, TheSameSeedGivesTheSamePoints) {
  const Space space = SpaceOf(10, 10);
  const auto cost = [](const Point& point) { return 1.0 + point[0] + point[9]; };
  for (const bool genetic : {false, true}) {
    std::vector<std::vector<Point>> found;
    for (const uint64_t seed : {5, 5, 6}) {
      const auto tuner =
          genetic ? NewGeneticTuner(space, {.population = 10}, seed) : NewRandomTuner(space, seed);
      BestOf(*tuner, 64, cost);
      found.push_back(tuner->Propose(20));
    }
    EXPECT_EQ(found[0], found[1]);
    EXPECT_NE(found[0], found[2]);
  }
}

TEST(Tuner, ChildrenAreBetterThanChance) {
  // Each knob has its own share, and a fifth of the points fails.
  const Space space = SpaceOf(12, 16);
  const auto cost = [](const Point& point) {
    double sum = 1;
    for (size_t i = 0; i < point.size(); ++i)
      sum += std::abs(point[i] - 3.0 - static_cast<double>(i));
    return (point[0] + point[5]) % 5 == 4 ? kFailed : sum;
  };
  double genetic = 0, random = 0;
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    genetic += BestOf(*NewGeneticTuner(space, {}, seed), 640, cost) / 5;
    random += BestOf(*NewRandomTuner(space, seed), 640, cost) / 5;
  }
  EXPECT_LT(genetic, 0.6 * random) << genetic << " against " << random;
}

// A product of matrices as a search sees it: few good sizes of a tile, and knobs that hardly
// matter.
TEST(Tuner, FindsAFewGoodTiles) {
  Space space;
  for (const auto& [name, size] :
       {std::pair<const char*, int>{"rows", 32}, {"columns", 16}, {"block", 11}}) {
    Knob knob{name, KnobKind::kOption, {}};
    for (int i = 1; i <= size; ++i) knob.candidates.emplace_back(i);
    ASSERT_TRUE(space.Add(knob).ok());
  }
  const auto cost = [](const Point& point) {
    const double rows = 1 + point[0], columns = 1 + point[1];
    const double tail = std::ceil(256 / rows) * rows / 256 * std::ceil(16 / columns) * columns / 16;
    const double spilled = std::max(0.0, rows * columns + columns - 31) / 12;
    const double loads = std::max(1.0, 2 * (rows + columns) / (rows * columns));
    return tail * loads * (1 + spilled) * (1 + 0.02 * std::abs(point[2] - 4.0));
  };
  double best = kFailed;
  for (int64_t i = 0; i < *space.size(); ++i) best = std::min(best, cost(*space.PointAt(i)));
  double found = 0;
  for (uint64_t seed = 1; seed <= 20; ++seed)
    found += best / BestOf(*NewGeneticTuner(space, {}, seed), 200, cost) / 20;
  EXPECT_GT(found, 0.95);
}

TEST(Tuner, NothingButFailures) {
  const Space space = SpaceOf(4, 8);
  const auto tuner = NewGeneticTuner(space, {.population = 8});
  EXPECT_EQ(BestOf(*tuner, 100, [](const Point&) { return kFailed; }), kFailed);
  EXPECT_EQ(tuner->Propose(10).size(), 10u) << "it goes on at random";
}

TEST(Tuner, WhatOthersKnewIsLearned) {
  const Space space = SpaceOf(12, 16);
  const auto tuner = NewGeneticTuner(space, {.population = 4, .mutation = 0, .step = 0});
  const std::vector<Point> known = {Point(12, 1), Point(12, 2), Point(12, 1), Point(12, 2)};
  tuner->Learn(known, std::vector<double>{1, 2, 1, 2});
  for (const Point& point : tuner->Propose(20)) {
    for (const uint32_t knob : point) EXPECT_TRUE(knob == 1 || knob == 2);
  }
}

TEST(Tuner, AGridNeedsNumbers) {
  const Space space = SpaceOf(13, 32);
  try {
    NewGridTuner(space);
    FAIL() << "it has no numbers";
  } catch (const Error& error) {
    EXPECT_EQ(error.name(), "tune-space-without-numbers");
  }
  EXPECT_EQ(NewRandomTuner(space)->Propose(30).size(), 30u);
}

}  // namespace
}  // namespace lathe::tune
