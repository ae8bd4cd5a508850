// How much memory a function needs besides its arguments, and where its buffers are used; for
// people and tools. Changes nothing.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/module.h"

namespace lathe::lower {

// The most bytes that its allocations need at the same time, each rounded up to `alignment` (1 or
// more); an allocation lives while its body runs. Counts memory of every scope; memory inside a
// loop, or of threads, counts once. Throws Error "memory-size-symbolic" if an extent is not
// constant.
int64_t WorkspaceBytes(const ir::Func& func, int64_t alignment);

// The same for memory of one scope.
int64_t ScopeBytes(const ir::Func& func, std::string_view scope, int64_t alignment);

// Bytes of the constants that a function of a schedule carries (ir/constants.h), each rounded up.
int64_t ConstantBytes(const ir::Func& func, int64_t alignment);

// For each buffer that is accessed, in order of first use, the innermost statement that contains
// all these accesses: the place where it could be allocated.
std::vector<std::pair<ir::Buffer, ir::Stmt>> AccessAncestors(const ir::Func& func);

}  // namespace lathe::lower
