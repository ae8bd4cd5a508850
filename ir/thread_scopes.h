// How far threads of an axis and memory of a scope are apart: which threads share one copy of a
// buffer.
//
// Scopes, from the widest: global (rank 0, all threads), shared (1, the threads of a block), warp
// (2, the lanes of a warp), local (3, one thread). "shared.dyn" and the like are kinds of what
// stands before the dot. Scopes that a plugin declares, texture among them, count as global. Axes:
// blockIdx.* has rank 0; threadIdx.*, vthread and a plugin's own axes have rank 1. Thread-safe.
#pragma once

#include <string_view>

namespace lathe::ir {

// 0 global, 1 shared, 2 warp, 3 local. "" is global.
int ScopeRank(std::string_view scope);
// 0 for blocks, 1 for the threads of one.
int ThreadRank(std::string_view tag);
// Do threads that differ in the index `tag` see one copy of memory of this scope (S11)? A warp is a
// row of threadIdx.x.
bool SharedAmong(std::string_view scope, std::string_view tag);
// "blockIdx.x" and its like.
bool IsBlockAxis(std::string_view tag);

}  // namespace lathe::ir
