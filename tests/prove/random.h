// Random numbers that are the same on every machine: splitmix64 (Steele, Lea, Flood: "Fast
// splittable pseudorandom number generators", OOPSLA 2014).
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

namespace lathe::prove {

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t Next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  // Returns a number of [0, n), n > 0.
  size_t Below(size_t n) { return static_cast<size_t>(Next() % n); }
  // True in `percent` of 100 cases.
  bool Chance(int percent) { return static_cast<int>(Below(100)) < percent; }
  template <class T>
  const T& Pick(const std::vector<T>& items) {
    return items[Below(items.size())];
  }
  template <class T>
  T Pick(std::initializer_list<T> items) {
    return items.begin()[Below(items.size())];
  }
  template <class T>
  void Shuffle(std::vector<T>& items) {
    for (size_t i = items.size(); i > 1; --i) {
      const size_t j = Below(i);
      T moved = items[j];
      items[j] = items[i - 1];
      items[i - 1] = moved;
    }
  }

 private:
  uint64_t state_;
};

}  // namespace lathe::prove
