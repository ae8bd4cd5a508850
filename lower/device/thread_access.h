// Accesses of memory that threads share, and when two of them are one thread's own. Internal to
// lower/.
#pragma once

#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "arith/analyzer.h"
#include "ir/stmt.h"

namespace lathe::lower {

// One load or store.
struct ThreadAccess {
  ir::Buffer buffer;
  std::vector<ir::Expr> indices;
  bool write = false;
  bool atomic = false;
  bool async = false;                // written by a copy that lands later
  bool vague = false;                // somewhere in the buffer: indices say nothing
  const ir::Node* origin = nullptr;  // the statement
  // Thread indices that have one value here: `if threadIdx.x == 0`.
  std::shared_ptr<const std::unordered_map<const ir::Node*, ir::Expr>> pins;
  // Conditions that differ between threads and hold here.
  std::shared_ptr<const std::vector<ir::Expr>> guards;
};

struct ThreadIndex {
  ir::Var var;
  bool block = false;
  bool single = false;  // has one value only
};

// What a comparison of two accesses may rely on.
struct AccessContext {
  const std::vector<ThreadIndex>* threads;
  // Variables of loops and lets that may have other values at the second access.
  const std::unordered_set<const ir::Node*>* varying;
  arith::Analyzer* analyzer;
};

enum class Conflict { kNone, kBlock, kGrid };

// Must threads meet between the two, and which: those of a block, or all?
Conflict ConflictOf(const ThreadAccess& first, const ThreadAccess& second,
                    const AccessContext& context);

}  // namespace lathe::lower
