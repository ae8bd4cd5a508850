// What may be chosen for a schedule: knobs, each with a list of candidates.
//
// A point of a space is a candidate for each knob. Points have numbers, as in AutoTVM: the first
// knob changes fastest. A filter refuses some of them; their numbers stay.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/json.h"

namespace lathe::tune {

enum class KnobKind {
  kSplit,       // lengths of loops, from the outer to the inner; -1 for what is left
  kOrder,       // a permutation: numbers of loops, from the outer to the inner
  kAnnotation,  // a word for each loop: "vec", "unroll", "none", ...
  kOption       // anything
};
// "sp", "re", "an", "ot": as AutoTVM's logs have it.
std::string_view NameOf(KnobKind kind);

struct Knob {
  std::string name;
  KnobKind kind = KnobKind::kOption;
  std::vector<runtime::Json> candidates;
};

// A position in Knob::candidates for each knob.
using Point = std::vector<uint32_t>;

// Const methods are thread-safe if the filters are.
class Space {
 public:
  using Accept = std::function<bool(const Point& point)>;
  using Random = std::mt19937_64;

  // Adds a knob. A second one of that name must have the same candidates, and changes nothing: a
  // template that runs again defines its knobs again. Fails with `tune-knob`: no name, no
  // candidate, one twice, or others than before.
  absl::Status Add(Knob knob);
  // Points that `accept` refuses are not drawn. It sees knobs that are added later, too.
  void Filter(Accept accept);

  const std::vector<Knob>& knobs() const { return knobs_; }
  // The number of points, those that filters refuse included; nullopt if it has no place in 63
  // bits. 1 without knobs.
  std::optional<int64_t> size() const;
  // Asks the filters about each point. Takes time with the size; nullopt for more than 2^26 points.
  std::optional<int64_t> CountAccepted() const;
  bool Accepts(const Point& point) const;

  // Fails with `tune-point` if the number is not in the space, or the space has no numbers (size).
  absl::StatusOr<Point> PointAt(int64_t number) const;
  // -1 if the space has no numbers.
  int64_t NumberOf(const Point& point) const;
  // Fails with `tune-point`: a knob is missing, is not of this space, or has not that candidate.
  absl::StatusOr<Point> PointOf(const runtime::Json& config) const;
  // {"tile_y": [-1, 8], ...}
  runtime::Json ConfigOf(const Point& point) const;

  // The next three give points that the filters accept; nullopt if 10,000 attempts found none. A
  // seed gives the same ones on every machine.
  // Each point is as likely as another.
  std::optional<Point> Draw(Random& random) const;
  // Another candidate for one knob: a neighbour, for simulated annealing. If no knob has a second
  // candidate, `point` itself.
  std::optional<Point> Step(const Point& point, Random& random) const;
  // Each knob as one of the parents has it, or with probability `mutation` as drawn: crossover, for
  // genetic search.
  std::optional<Point> Cross(const Point& one, const Point& two, double mutation,
                             Random& random) const;

  // A line for each knob, with the number of its candidates and the first of them.
  std::string ToString() const;

 private:
  uint32_t DrawOne(size_t knob, Random& random) const;

  std::vector<Knob> knobs_;
  std::vector<Accept> filters_;
};

}  // namespace lathe::tune
