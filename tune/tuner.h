// Tuners: they choose which points of a space are tried, and learn from what these cost.
//
//   std::unique_ptr<Tuner> tuner = NewGeneticTuner(space, {}, seed);
//   for (auto points = tuner->Propose(16); !points.empty(); points = tuner->Propose(16))
//     tuner->Learn(points, costs);  // measured in between
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "tune/space.h"

namespace lathe::tune {

// Not thread-safe. The same seed and the same costs give the same points on every machine.
class Tuner {
 public:
  virtual ~Tuner() = default;
  virtual std::string_view name() const = 0;  // for records
  // At most `most` points that were not proposed before; fewer only if no more were found, none if
  // the space is used up. Costs of earlier points may still be unknown.
  virtual std::vector<Point> Propose(size_t most) = 0;
  // `costs[i]`: seconds of points[i]; infinite if it failed. Points of others may be among them,
  // from earlier records; they are not proposed any more.
  virtual void Learn(std::span<const Point> points, std::span<const double> costs) = 0;
};

// All tuners keep a reference to the space, which must not change meanwhile.

// Every point once, in a random order.
std::unique_ptr<Tuner> NewRandomTuner(const Space& space, uint64_t seed = 1);
// Every point once, in the order of the numbers. Throws Error "tune-space-without-numbers".
std::unique_ptr<Tuner> NewGridTuner(const Space& space);

struct GeneticOptions {
  size_t population = 24;  // points of a generation
  size_t elite = 16;       // the best so far, which compete with each generation
  size_t parents = 16;     // the best of both have children
  double mutation = 0.1;   // the chance of a knob to be drawn anew
  // The chance of one knob of a child to move to a candidate beside its own: most candidates are
  // sizes in their order, and good points have good neighbours.
  double step = 0.5;
};
// Genetic search (Holland 1975): points of a generation are children of those that cost least; a
// parent is the better of two that are drawn (tournament selection). It draws at random where
// children are all known.
std::unique_ptr<Tuner> NewGeneticTuner(const Space& space, GeneticOptions options = {},
                                       uint64_t seed = 1);

}  // namespace lathe::tune
