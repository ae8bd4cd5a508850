// Bugs that are put in on purpose, for the tests that must find them (simulation.h).
// Planted() is the constant false in every library but those tests' own.
#pragma once

#include <string_view>

namespace lathe::runtime::rpc {

#ifdef LATHE_RPC_PLANTED
inline std::string_view planted_bug;
inline bool Planted(std::string_view bug) { return bug == planted_bug; }
#else
constexpr bool Planted(std::string_view) { return false; }
#endif

}  // namespace lathe::runtime::rpc
