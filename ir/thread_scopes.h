// Which threads share one copy of a buffer, by the buffer's scope and the threads' axis.
//
// Scopes, from the widest: global (rank 0, all threads), shared (1, the threads of a block), warp
// (2, the lanes of a warp), local (3, one thread). "shared.dyn" and the like have the rank of the
// name before the dot. Scopes that a plugin declares, such as texture, count as global. Axes:
// blockIdx.* has rank 0; threadIdx.*, vthread and the axes of plugins have rank 1. Thread-safe.
#pragma once

#include <string_view>

namespace lathe::ir {

// 0 global, 1 shared, 2 warp, 3 local. "" is global.
int ScopeRank(std::string_view scope);
// 0 for an axis of blocks, 1 for an axis of the threads in a block.
int ThreadRank(std::string_view tag);
// Do threads that differ only in their index along `tag` see one copy of memory of this scope
// (S11)? Here a warp is a row of threadIdx.x.
bool SharedAmong(std::string_view scope, std::string_view tag);
// True for "blockIdx.x", "blockIdx.y" and the like.
bool IsBlockAxis(std::string_view tag);

}  // namespace lathe::ir
