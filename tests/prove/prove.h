// Random programs under random schedules against te's unscheduled evaluator.
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
  int64_t skip = 0;           // so many programs of the seed first
  int passes_percent = 15;    // of the programs are interpreted after each pass
  int lowered_percent = 100;  // ... after the last pass
  int compile_percent = 0;    // ... are compiled and run
  int checked_percent = 25;   // ... go through the checked build
  int kernels_percent = 40;   // ... are scheduled onto the threads of a device instead
  int illegal = 1;            // illegal requests per program
  int misuses = 1;            // wrong calls per program
  int64_t most_failures = 5;  // then the run ends
  bool shrink = true;         // failures
  bool show = false;          // each program, before it is checked
  // Called now and then; false ends the run (Ctrl-C).
  std::function<bool(int64_t programs)> go_on;
};

struct Report {
  int64_t programs = 0, compiled = 0, through_passes = 0, kernels = 0, failures = 0;
  int64_t with_guards = 0, uneven = 0;  // programs with guards left, with splits that do not divide
  int64_t unsuited = 0;                 // for threads, whatever of the schedule was left out
  int64_t refused = 0;                  // schedules that lowering refused; a shorter one was taken
  ScheduleCounts steps;
  std::map<std::string, int64_t>
      programs_with;  // by primitive (of the schedule that was checked) or feature
  std::map<std::string, int64_t> refusals;  // of lowering, by the diagnostic's name
  std::map<std::string, int64_t> illegal;   // requests by kind, all refused
};

// Program k of a run is RandomProgram(seed, k) whatever the other options; failures are shrunk and
// printed with the program file that replays them. Adds to `report`.
void Prove(const ProveOptions& options, Report& report, std::ostream& out);
// One program of a run. False where it fails.
bool ProveOne(uint64_t seed, const ProveOptions& options, Report& report, std::ostream& out);
void Print(const Report& report, std::ostream& out);

// What fewer than kFloor percent of the programs had of what a run is to try: primitives, memory
// scopes, and guards left (kept in 30 %). Says something about runs of at least kEnoughPrograms.
constexpr int64_t kFloor = 5, kEnoughPrograms = 500;
std::vector<std::string> BelowFloor(const Report& report);

// The program file `text` with its trace, at the sizes 0, 1, 7 and 16 for all its variables; what
// was found wrong is printed. `kernels`: it is for a device's threads. False where it fails.
bool Replay(const std::string& text, bool compile, bool kernels, std::ostream& out);

}  // namespace lathe::prove
