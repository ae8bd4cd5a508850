// Structural equality and hash: equal up to the names of defined variables and buffers.
#pragma once

#include <cstdint>
#include <string>

#include "ir/node.h"

namespace lathe::ir {

// Defined variables, buffers and operations correspond when they are defined at corresponding
// places; free ones must be the same object, or (with `map_free`) correspond one to one in order of
// appearance. Names of variables do not matter, names of functions and operations do. Floats
// compare by bits. Source spans do not count.
bool StructuralEqual(const NodeRef& a, const NodeRef& b, bool map_free = false);
// Where the first difference lies, as a path of fields ("body.stmts[2].value.a: Add against Sub");
// "" when equal.
std::string StructuralDifference(const NodeRef& a, const NodeRef& b, bool map_free = false);
// Equal nodes hash equally (free variables by order of appearance, so that map_free equality is
// served too). The same on every machine and in every process.
uint64_t StructuralHash(const NodeRef& node);

}  // namespace lathe::ir
