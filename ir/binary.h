// The binary form of the IR: the contract at the plugin border. docs/contract.md specifies it byte
// by byte.
//
// Canonical: the bytes depend on the structure and the names alone, not on which equal expressions
// happen to be one object. Versioned: a reader refuses what it does not know, naming both versions.
// Encoding and decoding take time linear in the number of distinct nodes and do not recurse.
// Constants never travel in it (AllocConst holds an index). Uses no Abseil.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "ir/module.h"

namespace lathe::ir {

// The version is raised when bytes change their meaning; the level when node kinds or fields are
// added.
inline constexpr uint32_t kBinaryVersion = 1;
inline constexpr uint32_t kBinaryLevel = 1;

struct EncodeOptions {
  bool keep_spans = false;    // where nodes were read
  bool keep_private = false;  // annotations and attributes whose name starts with `_`
  bool for_digest = false;    // without the level in the head: the same in all levels
};

// Throws Error "binary-null" where a needed child is null.
std::string EncodeNode(const NodeRef& root, const EncodeOptions& options = {});
inline std::string EncodeModule(const Module& module, const EncodeOptions& options = {}) {
  return EncodeNode(module, options);
}

struct DecodeLimits {
  size_t max_bytes = size_t{1} << 30;
  size_t max_nodes = size_t{1} << 26;
  // Longest way from the root to a leaf.
  uint32_t max_depth = 100000;
  // Nodes of the tree that results when every use of a shared node is counted.
  uint64_t max_tree_size = uint64_t{1} << 28;
};

// Every node is checked as its factory would check it. Memory used stays within a small multiple of
// the input's size. Throws Error: binary-magic (not this format), binary-version (version or level
// unknown here, both named), binary-unknown-kind, binary-truncated, binary-malformed, binary-limit,
// binary-ill-formed (a node's fields do not agree). Safe for any bytes.
NodeRef DecodeNode(std::string_view bytes, const DecodeLimits& limits = {});
// The same; a root that is no module is binary-malformed.
Module DecodeModule(std::string_view bytes, const DecodeLimits& limits = {});

}  // namespace lathe::ir
