// Accesses of memory that threads share; decides whether two accesses are always by the same
// thread. Internal to lower/.
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
  bool async = false;                // written by an asynchronous copy
  bool vague = false;                // an unknown place in the buffer
  const ir::Node* origin = nullptr;  // the statement
  // Thread indices with one known value here: `if threadIdx.x == 0`.
  std::shared_ptr<const std::unordered_map<const ir::Node*, ir::Expr>> pins;
  // Conditions that differ between threads and hold here.
  std::shared_ptr<const std::vector<ir::Expr>> guards;
};

struct ThreadIndex {
  ir::Var var;
  bool block = false;
  bool single = false;  // has one value only
};

// The facts on which a comparison of two accesses may rely.
struct AccessContext {
  const std::vector<ThreadIndex>* threads;
  // Variables of loops and lets that may have other values at the second access.
  const std::unordered_set<const ir::Node*>* varying;
  arith::Analyzer* analyzer;
};

enum class Conflict { kNone, kBlock, kGrid };

// Says whether threads must synchronise between the two: not at all, those of a block, or all.
Conflict ConflictOf(const ThreadAccess& first, const ThreadAccess& second,
                    const AccessContext& context);

}  // namespace lathe::lower
