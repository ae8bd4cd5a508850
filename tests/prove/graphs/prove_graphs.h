// Checks random graphs: `prove --graphs=N`.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <ostream>
#include <string>

#include "tests/prove/graphs/check.h"

namespace lathe::prove::graphs {

struct ProveGraphsOptions {
  uint64_t seed = 1;
  int64_t graphs = 100;
  int64_t skip = 0;                    // skips this many graphs of the seed first
  int64_t most_failures = 5;           // ends the run after this many failures
  bool shrink = true;                  // shrinks failures
  bool passes = true, compile = true;  // as in CheckOptions
  bool show = false;                   // prints each graph before it is checked
  driver::CompileCache* cache = nullptr;
  // Called now and then; the run ends if it returns false (Ctrl-C).
  std::function<bool(int64_t graphs)> go_on;
};

struct GraphReport {
  int64_t graphs = 0, failures = 0, operators = 0, runs = 0, refused = 0;
  std::map<std::string, int64_t> graphs_with;  // by operator or feature
};

// Graph k of a run depends on the seed and k only. Shrinks failures, and prints them as text that
// ReplayGraph checks again. Adds to `report`.
void ProveGraphs(const ProveGraphsOptions& options, GraphReport& report, std::ostream& out);
// Checks one graph of a run. Returns false if it fails.
bool ProveOneGraph(uint64_t seed, const ProveGraphsOptions& options, GraphReport& report,
                   std::ostream& out);
void Print(const GraphReport& report, std::ostream& out);

// Checks the function `main`, or the only one, of a text. Prints what is wrong. Returns false if it
// fails.
bool ReplayGraph(const std::string& text, driver::CompileCache* cache, std::ostream& out);
// Is it the text of a graph (and not a program file)?
bool IsGraphText(const std::string& text);

}  // namespace lathe::prove::graphs
