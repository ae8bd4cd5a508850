// Loop unswitching: bound guards that a loop does not change are decided before it.
//
//   for k in range(768) {                     if i + 1 < n {
//     C[0] = C[0] + A[i, k]                     for k ... the loop as it is
//     if likely(i + 1 < n) {                  } else {
//       C[1] = C[1] + A[i + 1, k]               for k in range(768) {
//     }                               -->         C[0] = C[0] + A[i, k]
//     if likely(i + 2 < n) {                    }
//       C[2] = C[2] + A[i + 2, k]             }
//     }
//   }
//
// For serial loops whose body is a list of statements with such guards. The copy loses the guarded
// statements that cannot run if the first of them does not: the last tile of a symbolic extent then
// costs little if it has one row, such as a network's layer for one token. Other guards stay where
// they are: with a copy for each number of rows, code would become long.
//
// F. Allen, J. Cocke, "A Catalogue of Optimizing Transformations", 1972.
#pragma once

#include "lower/pass.h"

namespace lathe::lower {

ir::Module Unswitch(const ir::Module& module, const PassContext& context);

}  // namespace lathe::lower
