// The text form of the IR. ir/text/parser.h reads back what ToText prints. docs/text.md describes
// the language.
#pragma once

#include <cstddef>
#include <string>

#include "ir/node.h"

namespace lathe::ir {

struct PrintOptions {
  // Terminal colours (ANSI). The text then no longer parses.
  bool color = false;
  // For people: prints only the types of buffers. Does not read back exactly.
  bool short_form = false;
  // The text begins with a `given` line for every variable, buffer, iteration variable, operation
  // and tensor intrinsic that the node uses and does not define, so that the text is complete.
  // Programs always have these lines.
  bool declare_free = false;
  // The data of constants of up to this many bytes each is printed at the beginning, as `given
  // data` lines. Larger data is only named; it reads back only if the process still holds it.
  size_t max_data = 4096;
  // Shared nodes are printed at every use, so a small graph can have a huge text. Beyond this many
  // bytes printing throws Error "text-too-large".
  size_t max_bytes = size_t{256} << 20;
};

// Deterministic: the text depends only on the node's structure and names. If two things in scope
// have the same name, suffixes `_1`, `_2`, ... make the names unique. Does not recurse on the C++
// stack. Safe for malformed nodes (a missing node prints `null`). Thread-safe.
std::string ToText(const NodeRef& node, const PrintOptions& options = {});
inline std::string ToText(const Node& node, const PrintOptions& options = {}) {
  return ToText(NodeRef(&node), options);
}
template <class T>
std::string ToText(const Ref<const T>& node, const PrintOptions& options = {}) {
  return ToText(NodeRef(node), options);
}

// `text`, which is in this language, with ANSI colours.
std::string Colorize(const std::string& text);

}  // namespace lathe::ir
