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
// - Size variables are >= 0. If a variable is bound to an empty range, or the conditions of a scope
//   contradict each other, the code never runs: anything may be "proved" there.
// - A divisor is not zero (a division by zero is the program's error).
// - Two equal loads within one expression give the same value. Conditions that read memory or call
//   impure functions are not remembered, as a store may change them.
//
// An answer is exact or "unknown": if a coefficient does not fit int64, the answer is unknown,
// never wrong. Simplification takes nearly linear time in the size of the expression and does not
// recurse on it. Results depend on the input and the knowledge, not on addresses. Methods throw no
// errors of their own. Not thread-safe: use one Analyzer per thread.
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

  // At its end, a scope forgets everything that was learned since it began. Scopes nest; the
  // innermost ends first.
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
  // Within the scope, `condition` holds. It is a scalar bool; null means true. The conditions
  // inside And and likely are learned too.
  [[nodiscard]] Scope With(const Expr& condition);

  // Knowledge that lasts to the end of the innermost open scope (or as long as the Analyzer).
  // `var` lies in `range`. Binding it again replaces what Bind said before.
  void Bind(const Var& var, const Range& range);
  // `var` has this value. Simplify replaces the variable by the value.
  void Bind(const Var& var, const Expr& value);
  // `condition` holds. Like With, but does not open a scope.
  void Assume(const Expr& condition);

  // An equal expression, usually a smaller one. Returns `expr` itself (the same pointer) if nothing
  // can be improved. Idempotent. Null gives null.
  Expr Simplify(const Expr& expr);

  // True if `condition` is proved for all values that the knowledge allows (for vectors: in all
  // lanes). False means "not proved".
  bool CanProve(const Expr& condition);
  bool CanProveGE(const Expr& expr, int64_t bound);
  bool CanProveLT(const Expr& expr, int64_t bound);
  bool CanProveEqual(const Expr& a, const Expr& b);

  // A superset of the values of an integer expression (for vectors: of every lane). Everything for
  // other types.
  ConstBound Bound(const Expr& expr);
  ModularSet Modular(const Expr& expr);

  // For the other files of arith/.
  internal::Context* context() { return context_.get(); }

 private:
  std::unique_ptr<internal::Context> context_;
};

}  // namespace lathe::arith
