#include "tests/prove/graphs/planted_graphs.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <iomanip>
#include <sstream>

#include "base/planted_graphs.h"
#include "tests/prove/random.h"

namespace lathe::prove::graphs {
namespace {

struct Planting {
  PlantedGraphBug bug;
  const char *name, *file, *what;
};

constexpr Planting kPlanted[] = {
#define LATHE_PLANTED_BUG(name, line, file, what) {PlantedGraphBug::k##name, #name, file, what},
#include "base/planted_graph_bugs.def"
#undef LATHE_PLANTED_BUG
};

constexpr unsigned kMostSeconds = 60;  // for one graph

#ifdef LATHE_PLANTED
void SwitchOn(PlantedGraphBug bug) { active_planted_graph_bug = bug; }
#else
void SwitchOn(PlantedGraphBug) {}
#endif

// What a child says of the last graph that it began with.
struct Said {
  int64_t graph = 0;
  bool failed = false;
  char how[40] = {};
};

// Runs `body` in a child, which writes a Said for each graph when it begins with it and when it
// fails. Returns the last one; `*crashed` is set if the child did not end by itself.
Said InChild(const std::function<void(int out)>& body, bool* crashed) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("no pipe");
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("no process");
  if (child == 0) {
    close(ends[0]);
    body(ends[1]);
    _exit(0);
  }
  close(ends[1]);
  Said last, one;
  while (read(ends[0], &one, sizeof(one)) == static_cast<ssize_t>(sizeof(one))) last = one;
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  *crashed = !WIFEXITED(status) || WEXITSTATUS(status) != 0;
  return last;
}

void Say(int out, const Said& said) {
  if (write(out, &said, sizeof(said)) != static_cast<ssize_t>(sizeof(said))) _exit(1);
}

// Checks one graph; says how it fails.
bool Fails(uint64_t seed, const ProveGraphsOptions& options, PlantedGraphBug bug,
           std::string* how) {
  GraphReport report;
  std::ostringstream text;
  SwitchOn(bug);
  const bool good = ProveOneGraph(seed, options, report, text);
  SwitchOn(PlantedGraphBug::kNone);
  *how = text.str();
  if (const size_t at = how->find("FAILED at "); at != std::string::npos)
    *how = how->substr(at + 10);
  *how = how->substr(0, how->find_first_of(",\n"));
  return !good;
}

uint64_t SeedOf(const ProveGraphsOptions& options, int64_t graph) {
  Random random(options.seed);
  uint64_t seed = 0;
  for (int64_t i = 0; i < graph; ++i) seed = random.Next();
  return seed;
}

// Returns after how many graphs the bug was found, and how; 0 if it was not.
int64_t Find(PlantedGraphBug bug, const ProveGraphsOptions& options, std::string* how) {
  for (int64_t first = 1; first <= options.graphs;) {
    bool crashed = false;
    const Said said = InChild(
        [&](int out) {
          std::string found, unused;
          for (int64_t graph = first; graph <= options.graphs; ++graph) {
            Said now{.graph = graph};
            Say(out, now);
            alarm(kMostSeconds);
            const uint64_t seed = SeedOf(options, graph);
            if (!Fails(seed, options, bug, &found)) continue;
            if (Fails(seed, options, PlantedGraphBug::kNone, &unused)) continue;
            now.failed = true;
            std::strncpy(now.how, found.c_str(), sizeof(now.how) - 1);
            return Say(out, now);
          }
        },
        &crashed);
    *how = crashed ? "crash" : said.how;
    if (!crashed) return said.failed ? said.graph : 0;
    // A crash counts if the graph is good without the bug.
    InChild(
        [&](int) {
          std::string unused;
          alarm(kMostSeconds);
          if (Fails(SeedOf(options, said.graph), options, PlantedGraphBug::kNone, &unused))
            _exit(1);
        },
        &crashed);
    if (!crashed) return said.graph;
    first = said.graph + 1;
  }
  return 0;
}

}  // namespace

bool FindPlantedInGraphs(const ProveGraphsOptions& given, const std::string& bug,
                         std::ostream& out) {
#ifndef LATHE_PLANTED
  out << "prove: this build has no planted bugs: build it with --config=planted\n";
  return false;
#endif
  ProveGraphsOptions options = given;
  options.shrink = false;
  bool all = true;
  out << std::left << std::setw(26) << "bug" << std::setw(38) << "file" << std::right
      << std::setw(8) << "found"
      << "  how\n";
  for (const Planting& planting : kPlanted) {
    if (!bug.empty() && bug != planting.name) continue;
    if (options.go_on && !options.go_on(0)) {
      out << "interrupted\n";
      return false;
    }
    std::string how;
    // Bugs of passes are seen by the interpreter.
    const bool in_pass = std::string_view(planting.file).starts_with("graph/passes/");
    options.passes = in_pass;
    options.compile = !in_pass;
    const int64_t found = Find(planting.bug, options, &how);
    out << std::left << std::setw(26) << planting.name << std::setw(38) << planting.file
        << std::right << std::setw(8) << (found > 0 ? std::to_string(found) : "HIDDEN") << "  "
        << how << "\n"
        << std::flush;
    all = all && found > 0;
  }
  return all;
}

}  // namespace lathe::prove::graphs
