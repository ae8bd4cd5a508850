// Simplifies a statement with loop ranges and conditions in scope.
#pragma once

#include "arith/analyzer.h"
#include "ir/module.h"
#include "ir/stmt.h"

namespace lathe::arith {

// An equal statement, usually a smaller one; `stmt` itself where nothing is to be gained. Within a
// loop its variable's range is known, within an If its condition (or the reverse), after an Assert
// in the same Seq its condition.
//
//   for i in [0, 1): body          -->  body[i := 0]   (serial, vectorized, unrolled and parallel
//   loops without annotations) for i in [0, 0): body          -->  nothing        (not thread
//   loops, which say how a kernel is launched) if true: a else: b             -->  a let x =
//   constant or variable   -->  the value in x's place x[i] = x[i], evaluate constant -->  nothing
//   likely(c) that is proved       -->  true
//
// What `analyzer` knows already holds; null starts from nothing.
ir::Stmt Simplify(const ir::Stmt& stmt, Analyzer* analyzer = nullptr);
ir::Func Simplify(const ir::Func& func);

}  // namespace lathe::arith
