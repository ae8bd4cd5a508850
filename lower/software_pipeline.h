// Computes ahead what later iterations of a loop need: `pipeline` and `double_buffer`.
//
//   for i in [0, n):                            allocate B[3, 4]:
//     allocate B[4]:                              for p in [0, min(2, n)): produce B[p] of p
//       attr pipeline_producer = 3:               for i in [0, max(n - 2, 0)):
//         produce B of i                  -->       produce B[(i + 2) % 3] of i + 2
//       use B                                       use B[i % 3]
//                                                 for i in the last min(2, n): use B[i % 3]
//
// The schedule marks the producers of a loop, each with the number of blocks that may exist at the
// same time, the current one included. The buffers that they fill get that many versions and move
// out of the loop; the producers keep their order. The number of iterations is unchanged, and may
// be 0.
//
// This is correct only if a producer reads nothing that the rest of the loop writes, and writes
// only its own buffers, whose size is the same in all iterations; otherwise Error
// "pipeline-refused" names the buffer.
//
// With the loop's annotation pipeline_async, producers must be plain copies, which become
// async_copy:
//
//   each step:  async_wait(stages - 2); barrier (shared memory);
//               begin the copies of i + stages - 1; async_commit(); use the block of i
//
// The wait leaves the newer groups running. The barrier makes the block visible to the other
// threads, and guarantees that no thread still reads the block that is overwritten next.
//
// Runs right after compact_realize, so that nothing is between the loop and its producers.
#pragma once

#include "lower/pass.h"

namespace lathe::lower {

ir::Module SoftwarePipeline(const ir::Module& module, const PassContext& context);

}  // namespace lathe::lower
