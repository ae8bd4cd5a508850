// What is known about an integer: its remainder by some modulus.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "ir/expr.h"

namespace lathe::cuda {

struct Residue {
  int64_t modulus = 1;  // 0: the value is `rest`; 1: nothing is known
  int64_t rest = 0;     // 0 <= rest < modulus, unless modulus is 0
};

// The known residue of each variable; nothing is known about others.
using Residues = std::unordered_map<const ir::Node*, Residue>;

// The residue of an integer expression, computed in int64. Wrapping in narrower types keeps
// remainders by powers of two, and only those are asked for. For unknown operations nothing is
// known.
Residue ResidueOf(const ir::Expr& e, const Residues& known);

// True if the value is `rest` modulo `modulus`, a power of two.
bool IsResidue(const Residue& residue, int64_t modulus, int64_t rest);

}  // namespace lathe::cuda
