// Checks random programs under random schedules against te's unscheduled evaluator.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "tests/prove/random_schedule.h"

namespace lathe::prove {

struct ProveOptions {
  uint64_t seed = 1;
  int64_t programs = 100;
  int64_t skip = 0;           // skips this many programs of the seed first
  int passes_percent = 15;    // percent of the programs that are interpreted after each pass
  int lowered_percent = 100;  // ... that are interpreted after the last pass
  int compile_percent = 0;    // ... that are compiled and run
  int checked_percent = 25;   // ... that go through the checked build
  int kernels_percent = 40;   // ... that are scheduled onto a device's threads instead
  int illegal = 1;            // illegal requests per program
  int misuses = 1;            // wrong calls per program
  int64_t most_failures = 5;  // ends the run after this many failures
  bool shrink = true;         // shrinks failures
  bool show = false;          // prints each program before it is checked
  // Called now and then; the run ends if it returns false (Ctrl-C).
  std::function<bool(int64_t programs)> go_on;
};

struct Report {
  int64_t programs = 0, compiled = 0, through_passes = 0, kernels = 0, failures = 0;
  int64_t with_guards = 0, uneven = 0;  // programs with guards left, with splits that do not divide
  int64_t unsuited = 0;                 // for threads, with any part of the schedule left out
  int64_t refused = 0;                  // schedules that lowering refused; a shorter one was used
  ScheduleCounts steps;
  std::map<std::string, int64_t>
      programs_with;                        // by primitive (of the checked schedule) or feature
  std::map<std::string, int64_t> refusals;  // refusals by lowering, by the diagnostic's name
  std::map<std::string, int64_t> illegal;   // requests by kind, all refused
};

// Program k of a run is RandomProgram(seed, k), whatever the other options are. Shrinks failures,
// and prints them with the program file that replays them. Adds to `report`.
void Prove(const ProveOptions& options, Report& report, std::ostream& out);
// Checks one program of a run. Returns false if it fails.
bool ProveOne(uint64_t seed, const ProveOptions& options, Report& report, std::ostream& out);
void Print(const Report& report, std::ostream& out);

// Names what fewer than kFloor percent of the programs used, among what a run should try:
// primitives, memory scopes, and guards left (at least 30 %). Meaningful for runs of at least
// kEnoughPrograms.
constexpr int64_t kFloor = 5, kEnoughPrograms = 500;
std::vector<std::string> BelowFloor(const Report& report);

// Checks the program file `text` with its trace, at the sizes 0, 1, 7 and 16 for all its variables.
// Prints what is wrong. `kernels`: the file is for a device's threads. Returns false if it fails.
bool Replay(const std::string& text, bool compile, bool kernels, std::ostream& out);

}  // namespace lathe::prove
