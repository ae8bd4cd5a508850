// Structural equality and hash: they ignore the names of variables and buffers.
#pragma once

#include <cstdint>
#include <string>

#include "ir/node.h"

namespace lathe::ir {

// Definitions of variables, buffers and operations correspond if they are at corresponding places.
// Free ones must be the same object, or (with `map_free`) correspond one to one in order of
// appearance. Names of variables and buffers do not matter; names of functions and operations do.
// Floats compare by bits. Source spans are ignored.
bool StructuralEqual(const NodeRef& a, const NodeRef& b, bool map_free = false);
// The place of the first difference as a path of fields ("body.stmts[2].value.a: Add against Sub");
// "" if `a` and `b` are equal.
std::string StructuralDifference(const NodeRef& a, const NodeRef& b, bool map_free = false);
// Equal nodes have equal hashes. Free variables are hashed by order of appearance, so this also
// holds for equality with map_free. The hash is the same on every machine and in every process.
uint64_t StructuralHash(const NodeRef& node);

}  // namespace lathe::ir
