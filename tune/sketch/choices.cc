#include "tune/sketch/choices.h"

#include <algorithm>
#include <set>

namespace lathe::tune::sketch {

int64_t Choices::Ask(const std::string& name, std::vector<int64_t> candidates, int64_t otherwise) {
  if (const auto at = values_.find(name); at != values_.end()) return at->second;
  if (std::find(candidates.begin(), candidates.end(), otherwise) == candidates.end())
    otherwise = candidates.front();
  Knob knob{name, KnobKind::kOption, {}};
  for (const int64_t candidate : candidates) knob.candidates.emplace_back(candidate);
  asked.push_back({std::move(knob), otherwise});
  values_[name] = otherwise;
  return otherwise;
}

int64_t DivisorOf(int64_t extent, int64_t most) {
  for (int64_t size = std::min(extent, most); size > 1; --size) {
    if (extent % size == 0) return size;
  }
  return 1;
}

std::vector<int64_t> Sizes(int64_t extent, int64_t most) {
  std::set<int64_t> sizes = {1};
  for (int64_t size = 1; size <= std::min(extent, most); ++size) {
    if (extent % size == 0) sizes.insert(size);
  }
  for (int64_t two = 2; sizes.size() < 4 && two < std::min(extent, most); two *= 2)
    sizes.insert({two, std::min(3 * two / 2, extent)});
  return {sizes.begin(), sizes.end()};
}

int64_t Product(const std::vector<int64_t>& sizes) {
  int64_t product = 1;
  for (const int64_t size : sizes) product *= size;
  return product;
}

void Shrink(std::vector<int64_t>& sizes, int64_t most) {
  while (Product(sizes) > std::max<int64_t>(most, 1)) {
    const auto longest = std::max_element(sizes.begin(), sizes.end());
    *longest = DivisorOf(*longest, *longest / 2);
  }
}

int64_t Nearest(const std::vector<int64_t>& sizes, int64_t wanted) {
  int64_t best = sizes.front();
  for (const int64_t size : sizes) {
    if (size <= wanted) best = size;
  }
  return best;
}

}  // namespace lathe::tune::sketch
