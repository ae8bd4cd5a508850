// Integer analysis under scoped knowledge: simplification, proofs, constant bounds, modular sets.
//
//   Analyzer analyzer;
//   analyzer.Bind(io, MakeRange(Int(0), FloorDivide(n, 32)));
//   analyzer.Bind(ii, MakeRange(Int(0), Int(32)));
//   analyzer.CanProve(io * 32 + ii < n);                       // true
//   analyzer.Simplify(FloorDivide(io * 32 + ii, 32));          // io
//
// What is assumed:
// - int32 and int64 are index types: their arithmetic does not overflow (ir/expr.h), so they follow
//   the laws of integers. Other integer types wrap; only laws that hold under wrapping are applied
//   to them. Floats are only constant-folded.
// - Size variables are >= 0. A variable bound to an empty range, or a scope whose conditions
//   contradict each other, is code that never runs: anything may be "proved" there.
// - A divisor is not zero (a division by zero is the program's error).
// - Two equal loads within one expression give one value. Conditions that read memory or call
//   impure functions are not remembered, as a store may change them.
//
// Everything is exact or unknown: coefficients that pass int64 make an answer "unknown", never
// wrong. Simplification is near-linear in the size of the expression and does not recurse on it.
// Results depend on the input and the knowledge, not on addresses. Methods throw nothing of their
// own. Not thread-safe; one per thread.
#pragma once

#include <cstdint>
#include <memory>

#include "arith/const_bound.h"
#include "arith/modular_set.h"
#include "ir/buffer.h"
#include "ir/expr.h"

namespace lathe::arith {

using ir::Expr;
using ir::Range;
using ir::Var;

namespace internal {
class Context;
}

class Analyzer {
 public:
  Analyzer();
  ~Analyzer();
  Analyzer(const Analyzer&) = delete;
  Analyzer& operator=(const Analyzer&) = delete;

  // Forgets, at its end, all that was learned since it began. Scopes nest; the innermost ends
  // first.
  class Scope {
   public:
    Scope(Scope&& other) noexcept;
    Scope& operator=(Scope&&) = delete;
    ~Scope();

   private:
    friend class Analyzer;
    explicit Scope(internal::Context* context);
    internal::Context* context_;
  };
  [[nodiscard]] Scope OpenScope();
  // Within the scope, `condition` (a scalar bool; And and likely are looked through; null is true)
  // holds.
  [[nodiscard]] Scope With(const Expr& condition);

  // Knowledge that lasts to the end of the innermost open scope (or as long as the Analyzer).
  // `var` lies in `range`. Binding it again replaces what Bind said before.
  void Bind(const Var& var, const Range& range);
  // `var` has this value; Simplify puts the value in the variable's place.
  void Bind(const Var& var, const Expr& value);
  // `condition` holds; as With, without a scope of its own.
  void Assume(const Expr& condition);

  // An equal expression, usually a smaller one; `expr` itself (the same pointer) when nothing is to
  // be gained. Idempotent. Null gives null.
  Expr Simplify(const Expr& expr);

  // Does `condition` hold for all values that the knowledge allows? False means "not proved". For
  // vectors: all lanes.
  bool CanProve(const Expr& condition);
  bool CanProveGE(const Expr& expr, int64_t bound);
  bool CanProveLT(const Expr& expr, int64_t bound);
  bool CanProveEqual(const Expr& a, const Expr& b);

  // Of integer expressions (for vectors: of every lane); everything for other types.
  ConstBound Bound(const Expr& expr);
  ModularSet Modular(const Expr& expr);

  // For the other files of arith/.
  internal::Context* context() { return context_.get(); }

 private:
  std::unique_ptr<internal::Context> context_;
};

}  // namespace lathe::arith
