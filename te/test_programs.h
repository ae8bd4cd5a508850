// Programs that the tests of several rooms schedule.
#pragma once

#include "te/operation.h"

namespace lathe::te {

// C[i, j] = sum over k < l of A[i, k] B[k, j], float32.
struct Gemm {
  Gemm(const Expr& n, const Expr& m, const Expr& l) {
    a = Placeholder({n, l}, DataType::Float(32), "A");
    b = Placeholder({l, m}, DataType::Float(32), "B");
    k = ReduceAxis(ir::Int(0), l, "k");
    c = Compute(
        {n, m},
        [&](const Indices& i) { return Sum(At(a, {i[0], k->var}) * At(b, {k->var, i[1]}), {k}); },
        "C");
  }
  Tensor a, b, c;
  IterVar k;
};

}  // namespace lathe::te
