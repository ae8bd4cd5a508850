// For tests: what the simulations of the state machines share. All parties are in one process,
// without sockets and clocks; a seed chooses the order of events and the faults, and replays them.
//
//   <a simulation's test> --seed=N [--seeds=COUNT]   begins with another seed, tries more or fewer
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <initializer_list>
#include <random>
#include <string>
#include <string_view>

#include "runtime/rpc/codec.h"
#include "runtime/rpc/planted.h"

namespace lathe::runtime::rpc {

inline std::string Nonce(size_t size) { return std::string(size, 'n'); }

inline Machine SomeMachine() {
  Machine machine;
  machine.little_endian = 1;
  machine.runtime = "simulated";
  return machine;
}

// Chance, time, and the first thing that did not hold. Not thread-safe.
class SimulationBase {
 protected:
  explicit SimulationBase(uint64_t seed) : random_(seed) {}

  bool Chance(int percent) { return static_cast<int>(random_() % 100) < percent; }
  double Uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }
  std::string RandomBytes(size_t size) {
    std::string bytes(size, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random_());
    return bytes;
  }
  void Fail(const std::string& what) {
    if (problem_.empty()) problem_ = what;
  }
  // Takes pieces from the front of `bytes` and gives them to `take`: all, or as chance has it.
  template <class Take>
  void Move(std::string* bytes, bool all, const Take& take) {
    while (!bytes->empty() && (all || Chance(70))) {
      const size_t size = std::min<size_t>(bytes->size(), 1 + random_() % 150);
      const std::string piece = bytes->substr(0, size);
      bytes->erase(0, size);
      take(piece);
    }
  }

  std::mt19937_64 random_;
  double now_ = 0;
  std::string problem_;  // empty as long as all holds
};

struct Seeds {
  uint64_t first = 1;
  uint64_t count = 0;  // 0: so many as the test tries without arguments
};
inline Seeds seeds;

// What did not hold; empty if all did. `Simulation` has a constructor from a seed, and Run().
template <class Simulation>
std::string Outcome(uint64_t seed) {
  try {
    return Simulation(seed).Run();
  } catch (const std::exception& error) {
    return error.what();
  }
}

// Fails with the first seed for which something does not hold.
template <class Simulation>
void EverythingHolds(const char* program, uint64_t count) {
  if (seeds.count != 0) count = seeds.count;
  for (uint64_t seed = seeds.first; seed < seeds.first + count; ++seed)
    ASSERT_EQ(Outcome<Simulation>(seed), "")
        << "replay: " << program << " --seed=" << seed << " --seeds=1";
}

// Each of the bugs (planted.h) is found by one of 200 seeds.
template <class Simulation>
void PlantedBugsAreFound(std::initializer_list<const char*> bugs) {
  for (const char* bug : bugs) {
    planted_bug = bug;
    bool found = false;
    for (uint64_t seed = 1; seed <= 200 && !found; ++seed)
      found = !Outcome<Simulation>(seed).empty();
    EXPECT_TRUE(found) << bug;
  }
  planted_bug = {};
}

inline int RunSimulations(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const auto take = [](std::string_view option, std::string_view name, uint64_t* value) {
    if (!option.starts_with(name)) return false;
    char* end = nullptr;
    *value = std::strtoull(option.data() + name.size(), &end, 10);  // arguments end with a 0
    return option.size() > name.size() && *end == '\0';
  };
  for (int i = 1; i < argc; ++i) {
    if (take(argv[i], "--seed=", &seeds.first) || take(argv[i], "--seeds=", &seeds.count)) continue;
    std::fprintf(stderr, "unknown option %s; known: --seed=N --seeds=COUNT\n", argv[i]);
    return 2;
  }
  return RUN_ALL_TESTS();
}

}  // namespace lathe::runtime::rpc
