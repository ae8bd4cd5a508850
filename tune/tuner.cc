#include "tune/tuner.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>

#include "base/error.h"

namespace lathe::tune {
namespace {

// Draws points that were not given before.
class Unseen {
 public:
  Unseen(const Space& space, uint64_t seed) : space_(space), random_(seed) {}

  Space::Random& random() { return random_; }
  // False if it was given before.
  bool Take(const Point& point) { return seen_.insert(point).second; }
  std::optional<Point> Draw() {
    for (int attempt = 0; attempt < kAttempts && !listed_; ++attempt) {
      const std::optional<Point> point = space_.Draw(random_);
      if (!point) return std::nullopt;
      if (Take(*point)) return point;
    }
    if (!listed_) ListRest();
    while (!rest_.empty()) {
      const Point point = std::move(rest_.back());
      rest_.pop_back();
      if (Take(point)) return point;
    }
    return std::nullopt;
  }

 private:
  static constexpr int kAttempts = 200;
  static constexpr int64_t kMostListed = int64_t{1} << 22;

  // Few are left, if so many draws found none: lists them in a random order.
  void ListRest() {
    listed_ = true;
    const std::optional<int64_t> size = space_.size();
    if (!size || *size > kMostListed) return;
    for (int64_t number = 0; number < *size; ++number) {
      Point point = *space_.PointAt(number);
      if (seen_.count(point) == 0 && space_.Accepts(point)) rest_.push_back(std::move(point));
    }
    // Not std::shuffle, whose result differs between libraries.
    for (size_t i = rest_.size(); i > 1; --i) std::swap(rest_[i - 1], rest_[random_() % i]);
  }

  const Space& space_;
  Space::Random random_;
  std::set<Point> seen_;
  bool listed_ = false;
  std::vector<Point> rest_;
};

class RandomTuner final : public Tuner {
 public:
  RandomTuner(const Space& space, uint64_t seed) : unseen_(space, seed) {}
  std::string_view name() const override { return "random"; }
  std::vector<Point> Propose(size_t most) override {
    std::vector<Point> points;
    while (points.size() < most) {
      std::optional<Point> point = unseen_.Draw();
      if (!point) break;
      points.push_back(*std::move(point));
    }
    return points;
  }
  void Learn(std::span<const Point> points, std::span<const double>) override {
    for (const Point& point : points) unseen_.Take(point);  // also what an earlier search measured
  }

 private:
  Unseen unseen_;
};

class GridTuner final : public Tuner {
 public:
  GridTuner(const Space& space, int64_t size) : space_(space), size_(size) {}
  std::string_view name() const override { return "grid"; }
  std::vector<Point> Propose(size_t most) override {
    std::vector<Point> points;
    for (; points.size() < most && next_ < size_; ++next_) {
      Point point = *space_.PointAt(next_);
      if (known_.count(point) == 0 && space_.Accepts(point)) points.push_back(std::move(point));
    }
    return points;
  }
  void Learn(std::span<const Point> points, std::span<const double>) override {
    known_.insert(points.begin(), points.end());
  }

 private:
  const Space& space_;
  std::set<Point> known_;
  const int64_t size_;
  int64_t next_ = 0;
};

class GeneticTuner final : public Tuner {
 public:
  GeneticTuner(const Space& space, GeneticOptions options, uint64_t seed)
      : space_(space), options_(options), unseen_(space, seed) {}
  std::string_view name() const override { return "genetic"; }

  std::vector<Point> Propose(size_t most) override {
    std::vector<Point> points;
    while (points.size() < most) {
      std::optional<Point> point = Child();
      if (!point) point = unseen_.Draw();
      if (!point) break;
      points.push_back(*std::move(point));
    }
    return points;
  }

  void Learn(std::span<const Point> points, std::span<const double> costs) override {
    for (size_t i = 0; i < points.size(); ++i) {
      unseen_.Take(points[i]);  // also what an earlier search measured
      if (std::isfinite(costs[i])) generation_.push_back({costs[i], points[i]});
    }
    if (generation_.size() < options_.population) return;
    // The new parents: the best of this generation, and of all before.
    generation_.insert(generation_.end(), elite_.begin(), elite_.end());
    std::sort(generation_.begin(), generation_.end());
    generation_.erase(std::unique(generation_.begin(), generation_.end()), generation_.end());
    parents_ = std::exchange(generation_, {});
    elite_.assign(parents_.begin(), parents_.begin() + static_cast<std::ptrdiff_t>(std::min(
                                                           options_.elite, parents_.size())));
    parents_.resize(std::min(options_.parents, parents_.size()));
  }

 private:
  using Known = std::pair<double, Point>;
  static constexpr int kAttempts = 50;

  // Nullopt before the first generation, and if no child was found that is new.
  std::optional<Point> Child() {
    if (parents_.size() < 2) return std::nullopt;
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      std::optional<Point> child =
          space_.Cross(Parent(), Parent(), options_.mutation, unseen_.random());
      if (!child) continue;
      Move(*child);
      if (space_.Accepts(*child) && unseen_.Take(*child)) return child;
    }
    return std::nullopt;
  }
  void Move(Point& child) {
    Space::Random& random = unseen_.random();
    if (static_cast<double>(random() >> 11) * 0x1p-53 >= options_.step) return;
    const size_t knob = random() % child.size();
    const auto last = static_cast<uint32_t>(space_.knobs()[knob].candidates.size() - 1);
    if (random() % 2 == 0) {
      child[knob] -= child[knob] > 0 ? 1 : 0;
    } else {
      child[knob] += child[knob] < last ? 1 : 0;
    }
  }
  // Parents are sorted: the smaller position is the better one.
  const Point& Parent() {
    const size_t one = unseen_.random()() % parents_.size();
    const size_t two = unseen_.random()() % parents_.size();
    return parents_[std::min(one, two)].second;
  }

  const Space& space_;
  const GeneticOptions options_;
  Unseen unseen_;
  std::vector<Known> generation_, parents_, elite_;
};

}  // namespace

std::unique_ptr<Tuner> NewRandomTuner(const Space& space, uint64_t seed) {
  return std::make_unique<RandomTuner>(space, seed);
}

std::unique_ptr<Tuner> NewGridTuner(const Space& space) {
  const std::optional<int64_t> size = space.size();
  if (!size)
    throw Error(Diagnostic{.name = "tune-space-without-numbers",
                           .message = "a space of so many points cannot be searched one by one",
                           .expected = "at most 2^63 points",
                           .found = "more",
                           .help = "use another tuner: random, genetic"});
  return std::make_unique<GridTuner>(space, *size);
}

std::unique_ptr<Tuner> NewGeneticTuner(const Space& space, GeneticOptions options, uint64_t seed) {
  options.population = std::max<size_t>(options.population, 2);
  return std::make_unique<GeneticTuner>(space, options, seed);
}

}  // namespace lathe::tune
