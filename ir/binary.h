// The binary form of the IR: the contract between the compiler and plugins. docs/contract.md
// specifies every byte.
//
// Canonical: the bytes depend only on the structure and the names, not on which equal expressions
// are one object. Versioned: a reader rejects a version or level that it does not know, and the
// error names both. Encoding and decoding take time linear in the number of distinct nodes, and do
// not recurse. The data of constants is not part of the form: a Constant has the digest of its
// data, and an AllocConst has an index. Uses no Abseil.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "ir/module.h"

namespace lathe::ir {

// The version is raised when the meaning of bytes changes, the level when node kinds or fields are
// added. A writer writes the lowest level that has all the kinds it wrote: level 2 has graphs, so
// plugins of level 1 go on reading modules.
inline constexpr uint32_t kBinaryVersion = 1;
inline constexpr uint32_t kBinaryLevel = 2;
inline constexpr uint32_t LevelOf(NodeKind kind) { return kind >= NodeKind::kTensorType ? 2 : 1; }

struct EncodeOptions {
  bool keep_spans = false;    // keep the source positions of nodes
  bool keep_private = false;  // keep annotations and attributes whose name starts with `_`
  bool for_digest = false;    // leave the level out of the head: the same bytes at all levels
};

// Throws Error "binary-null" if a child that must not be null is null.
std::string EncodeNode(const NodeRef& root, const EncodeOptions& options = {});
inline std::string EncodeModule(const Module& module, const EncodeOptions& options = {}) {
  return EncodeNode(module, options);
}

struct DecodeLimits {
  size_t max_bytes = size_t{1} << 30;
  size_t max_nodes = size_t{1} << 26;
  // The longest path from the root to a leaf.
  uint32_t max_depth = 100000;
  // The size of the tree that results when every use of a shared node is counted.
  uint64_t max_tree_size = uint64_t{1} << 28;
};

// Checks every node as its factory would. The memory used is at most a small multiple of the
// input's size. Safe for any bytes. Throws Error: binary-magic (not this format), binary-version (a
// version or level that is unknown here; the error names both), binary-unknown-kind,
// binary-truncated, binary-malformed, binary-limit, binary-ill-formed (the fields of a node do not
// agree), constant-not-here (the data of a Constant is not in this process).
NodeRef DecodeNode(std::string_view bytes, const DecodeLimits& limits = {});
// Like DecodeNode, but throws binary-malformed if the root is not a module.
Module DecodeModule(std::string_view bytes, const DecodeLimits& limits = {});

}  // namespace lathe::ir
