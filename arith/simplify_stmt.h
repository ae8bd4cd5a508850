// Simplifies a statement with loop ranges and conditions in scope.
#pragma once

#include "arith/analyzer.h"
#include "ir/module.h"
#include "ir/stmt.h"

namespace lathe::arith {

// An equal statement, usually a smaller one. Returns `stmt` itself if nothing can be improved.
// Known facts: inside a loop, the range of its variable; inside an If, its condition (or the
// negation); after an Assert in the same Seq, its condition.
//
//   for i in [0, 1): body           -->  body[i := 0]            (1)
//   for i in [0, 0): body           -->  nothing                 (2)
//   if true: a else: b              -->  a
//   let x = constant or variable    -->  the value in x's place
//   x[i] = x[i], evaluate constant  -->  nothing
//   likely(c) that is proved        -->  true
//
// (1) Serial, vectorized, unrolled and parallel loops without annotations. (2) All loops except
// thread loops, which say how a kernel is launched.
//
// What `analyzer` already knows is used too. If it is null, nothing is known at the start.
ir::Stmt Simplify(const ir::Stmt& stmt, Analyzer* analyzer = nullptr);
ir::Func Simplify(const ir::Func& func);

}  // namespace lathe::arith
