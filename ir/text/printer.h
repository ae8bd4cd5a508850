// The text form of the IR: what ToText prints, ir/text/parser.h reads back. docs/text.md describes the
// language.
#pragma once

#include <cstddef>
#include <string>

#include "ir/node.h"

namespace lathe::ir {

struct PrintOptions {
  // Terminal colours (ANSI). The text then no longer parses.
  bool color = false;
  // For people: no types but those of buffers. Does not read back exactly.
  bool short_form = false;
  // Begins with a `given` line for every variable, buffer, iteration variable, operation and tensor
  // intrinsic that the node uses and does not define, so that the text stands by itself. Programs
  // always do.
  bool declare_free = false;
  // Data of constants up to this many bytes each stands at the beginning, as `given data` lines;
  // larger data is named only, and reads back where the process still holds it.
  size_t max_data = 4096;
  // Shared nodes are printed at every use, so that a small graph can have a huge text; beyond this
  // many bytes printing ends with Error "text-too-large".
  size_t max_bytes = size_t{256} << 20;
};

// Deterministic: depends on the node's structure and names alone. Names are made unique by suffixes
// `_1`, `_2`, ... where two things in scope share one. Does not recurse on the C++ stack. Safe for
// malformed nodes (null where a node is needed prints `null`). Thread-safe.
std::string ToText(const NodeRef& node, const PrintOptions& options = {});
inline std::string ToText(const Node& node, const PrintOptions& options = {}) {
  return ToText(NodeRef(&node), options);
}
template <class T>
std::string ToText(const Ref<const T>& node, const PrintOptions& options = {}) {
  return ToText(NodeRef(node), options);
}

// `text` (of this language) with ANSI colours.
std::string Colorize(const std::string& text);

}  // namespace lathe::ir
