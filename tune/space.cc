#include "tune/space.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "runtime/status.h"

namespace lathe::tune {
namespace {

using runtime::Json;

constexpr int kAttempts = 10000;

absl::Status KnobProblem(const std::string& name, std::initializer_list<std::string_view> found) {
  std::string text;
  for (const std::string_view part : found) text += part;
  return runtime::MakeStatus(absl::StatusCode::kInvalidArgument, "tune-knob",
                             {"the knob `", name,
                              "` cannot be defined so\nexpected: a name and "
                              "distinct candidates, the same ones each time\nfound: ",
                              text, "\nhelp: give each choice of a template a name of its own"});
}

absl::Status PointProblem(const std::string& expected, const std::string& found) {
  return runtime::MakeStatus(
      absl::StatusCode::kInvalidArgument, "tune-point",
      {"this is no point of the space\nexpected: ", expected, "\nfound: ", found,
       "\nhelp: a record of another version of a template, or of "
       "another program, does not fit"});
}

std::string Shown(const Json& json) {
  constexpr size_t kMost = 60;
  const std::string text = json.Dump();
  return text.size() <= kMost ? text : text.substr(0, kMost) + "...";
}

}  // namespace

std::string_view NameOf(KnobKind kind) {
  static constexpr std::string_view kNames[] = {"sp", "re", "an", "ot"};
  return kNames[static_cast<size_t>(kind)];
}

absl::Status Space::Add(Knob knob) {
  if (knob.name.empty()) return KnobProblem(knob.name, {"no name"});
  if (knob.candidates.empty()) return KnobProblem(knob.name, {"no candidate"});
  std::set<std::string> texts;
  for (const Json& candidate : knob.candidates) {
    const std::string text = candidate.Dump();
    if (!texts.insert(text).second) return KnobProblem(knob.name, {text, " twice"});
  }
  for (const Knob& known : knobs_) {
    if (known.name != knob.name) continue;
    const bool same =
        known.kind == knob.kind && known.candidates.size() == texts.size() &&
        std::equal(known.candidates.begin(), known.candidates.end(), knob.candidates.begin(),
                   [](const Json& a, const Json& b) { return a.Dump() == b.Dump(); });
    if (same) return absl::OkStatus();
    return KnobProblem(knob.name, {"other candidates than before: ", Shown(knob.candidates[0]),
                                   ", ... instead of ", Shown(known.candidates[0]), ", ..."});
  }
  knobs_.push_back(std::move(knob));
  return absl::OkStatus();
}

void Space::Filter(Accept accept) { filters_.push_back(std::move(accept)); }

std::optional<int64_t> Space::size() const {
  int64_t size = 1;
  for (const Knob& knob : knobs_) {
    const auto candidates = static_cast<int64_t>(knob.candidates.size());
    if (size > std::numeric_limits<int64_t>::max() / candidates) return std::nullopt;
    size *= candidates;
  }
  return size;
}

std::optional<int64_t> Space::CountAccepted() const {
  const std::optional<int64_t> all = size();
  if (!all || (!filters_.empty() && *all > int64_t{1} << 26)) return std::nullopt;
  if (filters_.empty()) return all;
  int64_t accepted = 0;
  Point point(knobs_.size(), 0);
  for (int64_t left = *all; left > 0; --left) {
    accepted += Accepts(point) ? 1 : 0;
    for (size_t i = 0; i < point.size(); ++i) {
      if (++point[i] < knobs_[i].candidates.size()) break;
      point[i] = 0;
    }
  }
  return accepted;
}

bool Space::Accepts(const Point& point) const {
  return std::all_of(filters_.begin(), filters_.end(),
                     [&](const Accept& accept) { return accept(point); });
}

absl::StatusOr<Point> Space::PointAt(int64_t number) const {
  const std::optional<int64_t> all = size();
  if (!all || number < 0 || number >= *all)
    return PointProblem(all ? "a number from 0 to " + std::to_string(*all - 1)
                            : "no number: the space has more than 2^63 points",
                        std::to_string(number));
  Point point;
  for (const Knob& knob : knobs_) {
    const auto candidates = static_cast<int64_t>(knob.candidates.size());
    point.push_back(static_cast<uint32_t>(number % candidates));
    number /= candidates;
  }
  return point;
}

int64_t Space::NumberOf(const Point& point) const {
  if (!size()) return -1;
  int64_t number = 0;
  for (size_t i = knobs_.size(); i-- > 0;)
    number = number * static_cast<int64_t>(knobs_[i].candidates.size()) + point[i];
  return number;
}

absl::StatusOr<Point> Space::PointOf(const Json& config) const {
  Point point;
  for (const Knob& knob : knobs_) {
    const Json* const value = config.Find(knob.name);
    if (value == nullptr) return PointProblem("a value of `" + knob.name + "`", Shown(config));
    const std::string text = value->Dump();
    const auto at = std::find_if(knob.candidates.begin(), knob.candidates.end(),
                                 [&](const Json& candidate) { return candidate.Dump() == text; });
    if (at == knob.candidates.end())
      return PointProblem("`" + knob.name + "` as one of " +
                              std::to_string(knob.candidates.size()) +
                              " candidates: " + Shown(knob.candidates[0]) + ", ...",
                          Shown(*value));
    point.push_back(static_cast<uint32_t>(at - knob.candidates.begin()));
  }
  for (const auto& [name, value] : config.members()) {
    if (std::none_of(knobs_.begin(), knobs_.end(),
                     [&name = name](const Knob& knob) { return knob.name == name; }))
      return PointProblem("knobs of the space only", "`" + name + "`");
  }
  return point;
}

Json Space::ConfigOf(const Point& point) const {
  Json config = Json::Object();
  for (size_t i = 0; i < knobs_.size(); ++i)
    config.Set(knobs_[i].name, knobs_[i].candidates[point[i]]);
  return config;
}

// Not std::uniform_int_distribution, whose results differ between libraries: a seed gives the same
// candidates everywhere.
uint32_t Space::DrawOne(size_t knob, Random& random) const {
  return static_cast<uint32_t>(random() % knobs_[knob].candidates.size());
}

std::optional<Point> Space::Draw(Random& random) const {
  Point point(knobs_.size());
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    for (size_t i = 0; i < point.size(); ++i) point[i] = DrawOne(i, random);
    if (Accepts(point)) return point;
  }
  return std::nullopt;
}

std::optional<Point> Space::Step(const Point& point, Random& random) const {
  std::vector<size_t> free;
  for (size_t i = 0; i < knobs_.size(); ++i) {
    if (knobs_[i].candidates.size() > 1) free.push_back(i);
  }
  if (free.empty()) return point;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    Point other = point;
    const size_t knob = free[random() % free.size()];
    while (other[knob] == point[knob]) other[knob] = DrawOne(knob, random);
    if (Accepts(other)) return other;
  }
  return std::nullopt;
}

std::optional<Point> Space::Cross(const Point& one, const Point& two, double mutation,
                                  Random& random) const {
  const auto fraction = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
  Point child(knobs_.size());
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    for (size_t i = 0; i < child.size(); ++i) {
      child[i] = random() % 2 == 0 ? one[i] : two[i];
      if (fraction() < mutation) child[i] = DrawOne(i, random);
    }
    if (Accepts(child)) return child;
  }
  return std::nullopt;
}

std::string Space::ToString() const {
  static constexpr const char* kKinds[] = {"split", "order", "annotation", "option"};
  const std::optional<int64_t> all = size();
  std::string text = "space of " + (all ? std::to_string(*all) : "more than 2^63") + " points" +
                     (filters_.empty() ? "" : ", some refused by a filter") + "\n";
  for (const Knob& knob : knobs_) {
    text += "  " + knob.name + ": " + kKinds[static_cast<size_t>(knob.kind)] + ", " +
            std::to_string(knob.candidates.size()) + " candidates: ";
    constexpr size_t kShown = 4;
    for (size_t i = 0; i < std::min(kShown, knob.candidates.size()); ++i)
      text += (i == 0 ? "" : ", ") + Shown(knob.candidates[i]);
    text += knob.candidates.size() > kShown ? ", ...\n" : "\n";
  }
  return text;
}

}  // namespace lathe::tune
