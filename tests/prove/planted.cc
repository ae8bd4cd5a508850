#include "tests/prove/planted.h"

#include <iomanip>
#include <sstream>

#include "base/planted.h"

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

}  // namespace

bool FindPlanted(const ProveOptions& given, const std::string& bug, std::ostream& out) {
#ifndef LATHE_PLANTED
  out << "prove: this build has no planted bugs: build it with --config=planted\n";
  return false;
#endif
  ProveOptions options = given;
  options.programs = kProgramsPerBug;
  options.passes_percent = 0;
  options.most_failures = 1;
  options.shrink = false;
  bool all = true;
  out << std::left << std::setw(26) << "bug" << std::setw(6) << "line" << std::setw(38) << "file"
      << std::right << std::setw(8) << "found" << "  how\n";
  // Nothing is found where nothing is planted.
  if (bug.empty()) {
    Report report;
    options.most_failures = 5;
    Prove(options, report, out);
    out << "no bug: " << report.failures << " failures in " << report.programs << " programs\n";
    if (report.failures > 0) return false;
    options.most_failures = 1;
  }
  for (const Planting& planting : kPlanted) {
    if (!bug.empty() && bug != planting.name) continue;
    SwitchOn(planting.bug);
    Report report;
    std::ostringstream text;
    Prove(options, report, text);
    SwitchOn(PlantedBug::kNone);
    const bool found = report.failures > 0;
    if (!found && options.go_on && !options.go_on(report.programs)) {
      out << "interrupted\n";
      return false;
    }
    std::string how = text.str();
    if (const size_t at = how.find("FAILED at "); at != std::string::npos)
      how = how.substr(at + 10);
    how = how.substr(0, how.find_first_of(",\n"));
    out << std::left << std::setw(26) << planting.name << std::setw(6) << planting.line
        << std::setw(38) << planting.file << std::right << std::setw(8)
        << (found ? std::to_string(report.programs) : "HIDDEN") << "  " << (found ? how : "")
        << "\n"
        << std::flush;
    all = all && found;
  }
  return all;
}

}  // namespace lathe::prove
