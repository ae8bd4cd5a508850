// What the rules of a space without a template ask, and the sizes from which tiles may be chosen.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tune/space.h"

namespace lathe::tune::sketch {

// Answers questions for knobs: in a first run it notes them, later it has a point's values.
class Choices {
 public:
  int64_t Ask(const std::string& name, std::vector<int64_t> candidates, int64_t otherwise);
  void Set(const std::string& name, int64_t value) { values_[name] = value; }

  std::vector<std::pair<Knob, int64_t>> asked;  // with the values to begin with

 private:
  std::map<std::string, int64_t, std::less<>> values_;
};

// The largest divisor of at most `most`.
int64_t DivisorOf(int64_t extent, int64_t most);
// Divisors up to `most`, which need no guards; of an extent with few of them also 2, 3, 4, 6, ...
std::vector<int64_t> Sizes(int64_t extent, int64_t most);
// The largest size of at most `wanted`, or the first one.
int64_t Nearest(const std::vector<int64_t>& sizes, int64_t wanted);
int64_t Product(const std::vector<int64_t>& sizes);
// Makes the longest loops shorter, by their divisors, until the tile has `most` elements.
void Shrink(std::vector<int64_t>& sizes, int64_t most);

}  // namespace lathe::tune::sketch
