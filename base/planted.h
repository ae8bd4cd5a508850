// Planted bugs: they test the tests.
//
//   if (analyzer->CanProve(condition) || Planted(PlantedBug::kSplitUnguarded)) return;
//
// `tools/prove --planted` switches on one planted bug after the other, and fails if the random
// programs do not notice it. Planted() is the constant false in every build except
// --config=planted. There, one bug at a time can be switched on at run time; this must happen
// before anything is compiled, and from one thread.
#pragma once

namespace lathe {

enum class PlantedBug {
  kNone,
#define LATHE_PLANTED_BUG(name, line, file, what) k##name,
#include "base/planted_bugs.def"
#undef LATHE_PLANTED_BUG
};

// Two inline namespaces, because one program may link files that were compiled with and without
// LATHE_PLANTED.
#ifdef LATHE_PLANTED
inline namespace planted {
inline PlantedBug active_planted_bug = PlantedBug::kNone;
inline bool Planted(PlantedBug bug) { return bug == active_planted_bug; }
}  // namespace planted
#else
inline namespace not_planted {
constexpr bool Planted(PlantedBug) { return false; }
}  // namespace not_planted
#endif

}  // namespace lathe
