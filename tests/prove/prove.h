// Random programs under random schedules against te's unscheduled evaluator.
#pragma once

#include <cstdint>
#include <map>
#include <ostream>
#include <string>

#include "tests/prove/random_schedule.h"

namespace lathe::prove {

struct ProveOptions {
  uint64_t seed = 1;
  int64_t programs = 100;
  int passes_percent = 15;    // of the programs are interpreted after each pass
  int compile_percent = 0;    // of the programs are compiled and run
  int64_t most_failures = 5;  // then the run ends
};

struct Report {
  int64_t programs = 0, compiled = 0, through_passes = 0, with_guards = 0, failures = 0;
  int64_t refused = 0;  // schedules that lowering refused; a shorter one was taken
  ScheduleCounts steps;
  std::map<std::string, int64_t>
      programs_with;  // by primitive (of the schedule that was checked) or feature
  std::map<std::string, int64_t> refusals;  // of lowering, by the diagnostic's name
};

// Program k of a run is RandomProgram(seed, k) whatever the other options; failures are shrunk and
// printed with the program file that replays them. Adds to `report`.
void Prove(const ProveOptions& options, Report& report, std::ostream& out);
void Print(const Report& report, std::ostream& out);

}  // namespace lathe::prove
