// What is known of an integer: its rest by some modulus.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "ir/expr.h"

namespace lathe::cuda {

struct Residue {
  int64_t modulus = 1;  // 0: it is `rest` itself; 1: nothing is known
  int64_t rest = 0;     // 0 <= rest < modulus, unless that is 0
};

// By variable: what is known of it. Others are unknown.
using Residues = std::unordered_map<const ir::Node*, Residue>;

// Of an integer expression, in int64; wrapping in narrower types keeps rests by powers of two,
// which is all that is asked for. Unknown operations give nothing.
Residue ResidueOf(const ir::Expr& e, const Residues& known);

// Is it `rest` modulo `modulus`, a power of two?
bool IsResidue(const Residue& residue, int64_t modulus, int64_t rest);

}  // namespace lathe::cuda
