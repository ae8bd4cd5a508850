// Removes barriers that order nothing, in the loops that `pipeline` makes with asynchronous copies.
//
//   for k {                                            for k {
//     barrier("shared"); async_wait(w);                  async_wait(w);
//     barrier("shared");                       -->       barrier("shared");
//     async_copy(...); ...; async_commit();              async_copy(...); ...; async_commit();
// A wait concerns its own thread only: of two barriers with nothing but waits between them, the
// second is enough. And data that a copy brings may be read only after a wait and a later barrier:
// of two barriers with nothing but starts of copies between them, the first is enough.
// for both. And what a copy brings may be read only after a wait and a barrier behind that: with
// copies that begin alone between two barriers the first does for both.
#pragma once

#include "ir/module.h"

namespace lathe::cuda {

ir::Func WithoutIdleBarriers(const ir::Func& kernel);

}  // namespace lathe::cuda
