#include "tests/prove/planted.h"

#include <iomanip>
#include <sstream>

#include "base/planted.h"
#include "tests/prove/random.h"

namespace lathe::prove {
namespace {

struct Planting {
  PlantedBug bug;
  const char *name, *line, *file, *what;
};

constexpr Planting kPlanted[] = {
#define LATHE_PLANTED_BUG(name, line, file, what) {PlantedBug::k##name, #name, line, file, what},
#include "base/planted_bugs.def"
#undef LATHE_PLANTED_BUG
};

#ifdef LATHE_PLANTED
void SwitchOn(PlantedBug bug) { active_planted_bug = bug; }
#else
void SwitchOn(PlantedBug) {}
#endif

// Returns after how many programs the bug was found, and how (in `how`); 0 if it was not found.
// Programs that fail without the bug too do not count.
int64_t Find(PlantedBug bug, const ProveOptions& options, std::string* how) {
  Random random(options.seed);
  for (int64_t i = 1; i <= options.programs; ++i) {
    const uint64_t seed = random.Next();
    Report report;
    std::ostringstream text, unused;
    SwitchOn(bug);
    const bool good = ProveOne(seed, options, report, text);
    SwitchOn(PlantedBug::kNone);
    if (good || !ProveOne(seed, options, report, unused)) continue;
    *how = text.str();
    if (const size_t at = how->find("FAILED at "); at != std::string::npos)
      *how = how->substr(at + 10);
    *how = how->substr(0, how->find_first_of(",\n"));
    return i;
  }
  return 0;
}

}  // namespace

bool FindPlanted(const ProveOptions& given, const std::string& bug, std::ostream& out) {
#ifndef LATHE_PLANTED
  out << "prove: this build has no planted bugs: build it with --config=planted\n";
  return false;
#endif
  ProveOptions options = given;
  options.programs = kProgramsPerBug;
  options.passes_percent = 0;
  options.shrink = false;
  bool all = true;
  out << std::left << std::setw(26) << "bug" << std::setw(6) << "line" << std::setw(38) << "file"
      << std::right << std::setw(8) << "found" << "  how\n";
  for (const Planting& planting : kPlanted) {
    if (!bug.empty() && bug != planting.name) continue;
    if (options.go_on && !options.go_on(0)) {
      out << "interrupted\n";
      return false;
    }
    std::string how;
    const int64_t found = Find(planting.bug, options, &how);
    out << std::left << std::setw(26) << planting.name << std::setw(6) << planting.line
        << std::setw(38) << planting.file << std::right << std::setw(8)
        << (found > 0 ? std::to_string(found) : "HIDDEN") << "  " << how << "\n"
        << std::flush;
    all = all && found > 0;
  }
  return all;
}

}  // namespace lathe::prove
