// Planted bugs of graphs: as base/planted.h, for the passes over graphs, plans and their executor.
// `tools/prove --planted --graphs=N` switches on one after the other, and fails if random graphs do
// not notice it.
#pragma once

namespace lathe {

enum class PlantedGraphBug {
  kNone,
#define LATHE_PLANTED_BUG(name, line, file, what) k##name,
#include "base/planted_graph_bugs.def"
#undef LATHE_PLANTED_BUG
};

// Two inline namespaces, because one program may link files that were compiled with and without
// LATHE_PLANTED.
#ifdef LATHE_PLANTED
inline namespace planted {
inline PlantedGraphBug active_planted_graph_bug = PlantedGraphBug::kNone;
inline bool Planted(PlantedGraphBug bug) { return bug == active_planted_graph_bug; }
}  // namespace planted
#else
inline namespace not_planted {
constexpr bool Planted(PlantedGraphBug) { return false; }
}  // namespace not_planted
#endif

}  // namespace lathe
