// What memory a function needs beside its arguments, and where its buffers are used: questions that
// people ask of a lowered function. Changes nothing.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/module.h"

namespace lathe::lower {

// The most bytes that its allocations take at once, each rounded up to `alignment` (1 or more): an
// allocation lives while its body runs. Memory of every scope counts, that of a loop's iterations
// and of threads once. Throws Error "memory-size-symbolic" where an extent is not constant.
int64_t WorkspaceBytes(const ir::Func& func, int64_t alignment);

// The same of memory of one scope alone.
int64_t ScopeBytes(const ir::Func& func, std::string_view scope, int64_t alignment);

// Bytes of the constants that a function of a schedule carries (ir/constants.h), each rounded up.
int64_t ConstantBytes(const ir::Func& func, int64_t alignment);

// For each buffer that is loaded from or stored to, in order of first use, the innermost statement
// that holds all those uses: where it could be allocated.
std::vector<std::pair<ir::Buffer, ir::Stmt>> AccessAncestors(const ir::Func& func);

}  // namespace lathe::lower
