// Graphs on which random runs failed, each with what was wrong. Found by `tools/prove --graphs`.
#include <sstream>
#include <string>

#include "driver/default_plugins.h"
#include "gtest/gtest.h"
#include "tests/prove/graphs/prove_graphs.h"

namespace lathe::prove::graphs {
namespace {

class Regression : public testing::Test {
 protected:
  static void SetUpTestSuite() { driver::UseDefaultPlugins(); }
  static void Check(const std::string& text) {
    std::ostringstream out;
    EXPECT_TRUE(ReplayGraph(text, nullptr, out)) << out.str();
  }
};

// The slice was read beyond its end if the other input was longer.
TEST_F(Regression, SliceLikeOfASizeIsAtMostTheWhole) {
  Check(R"(graph main(%x: float32[6, 9], %like: float32[n, 4]) {
             %0 = slice_like(%x, %like)
             return %0
           })");
}

// A size that was 0 became the 0 that keeps the input's extent, which was another one.
TEST_F(Regression, ReshapeToASizeOfNoElements) {
  Check(R"(graph main(%x: float32[0, 1]) {
             %0 = reshape(%x, newshape=[1, 0, 1])
             return %0
           })");
}

// A rest was left out silently.
TEST_F(Regression, BlocksOfSpaceDivideTheExtent) {
  Check(R"(graph main(%x: float32[5, m]) {
             %0 = nn.space_to_batch_nd(%x, block_shape=[2], paddings=[0, 0])
             return %0
           })");
  Check(R"(graph main(%x: float32[n, 4]) {
             %0 = nn.batch_to_space_nd(%x, block_shape=[2], crops=[0, 0])
             return %0
           })");
}

// `variance` and convolutions have workspace whose size is a minimum, or a sum of 32 bits in a
// product of 64 bits: the runtime could not read it.
TEST_F(Regression, SizesOfWorkspaceAreArithmeticOfOneWidth) {
  Check(R"(graph main(%x: float32[1, 4, n]) {
             %0 = variance(%x, axis=[0], keepdims=true)
             return %0
           })");
  Check(R"(graph main(%x: float32[n, n]) {
             %0 = strided_slice(%x, axes=[1], begin=[0], end=[2], strides=[1])
             %1 = min(%0, axis=[0], keepdims=true)
             return %1
           })");
}

// The default schedule copied a panel that both operands read.
TEST_F(Regression, AMatrixTimesItself) {
  Check(R"(graph main(%x: float32[n, 7]) {
             %0 = matmul(%x, %x, transpose_b=true)
             return %0
           })");
}

// A tile as small as an extent that may be smaller could not be unrolled.
TEST_F(Regression, TilesOfAnExtentWithAMinimum) {
  Check(R"(graph main(%x: float32[m, 7]) {
             %0 = strided_slice(%x, axes=[0], begin=[0], end=[1], strides=[1])
             %1 = matmul(%0, %0, transpose_b=true)
             return %1
           })");
  Check(R"(graph main(%x: float32[5, 16, 1, m], %w: float32[8, 16, 1, 1]) {
             %0 = strided_slice(%x, axes=[3], begin=[1], end=[3], strides=[2])
             %1 = nn.conv2d(%0, %w)
             return %1
           })");
}

// What was left of inlined closures in nested blocks could not be planned.
TEST_F(Regression, AClosureInALoop) {
  Check(R"(graph main(%x: float32[7, 3], %rounds: int32[]) {
             %zero = zeros(shape=[], dtype="int32")
             %one = ones(shape=[], dtype="int32")
             %0 = loop (%i = %zero, %v = %x) while {
               %1 = less(%i, %one)
               return %1
             } do {
               %2 = add(%i, %one)
               %f = graph(%p: float32[7, 3]) {
                 %3 = tanh(%p)
                 return %3
               }
               %4 = %f(%v)
               %5 = (%2, %4)
               return %5
             }
             %6 = %0.1
             return %6
           })");
}

// The region that a broadcast reads has the extent of the result, here m: which is then 4.
TEST_F(Regression, AnExtentThatASizeMustHave) {
  Check(R"(graph main(%x: float32[5, m], %y: float32[4, 7]) {
             %0 = clip(%y, a_max=9.0, a_min=0.1)
             %1 = broadcast_to(%0, shape=[m, 7])
             return %1
           })");
}

// Folding took away the attribute that says where a value is.
TEST_F(Regression, AConstantThatIsPlaced) {
  Check(R"(graph main(%x: float32[3]) {
             %0 = ones(shape=[3], dtype="float32")
             %1 = on_device(%0, device="cpu")
             %2 = add(%x, %1)
             return %2
           })");
}

// Elements were read that there are not.
TEST_F(Regression, WhatRepeatsElementsNeedsSome) {
  Check(R"(graph main(%x: float32[5, n]) {
             %0 = nn.mirror_pad(%x, mode="REFLECT", pad_width=[2, 0, 2, 1])
             return %0
           })");
  Check(R"(graph main(%x: float32[5, n, 5]) {
             %0 = image.resize1d(%x, layout="NWC", size=[10])
             return %0
           })");
  Check(R"(graph main(%x: float32[5, 8, n, n]) {
             %0 = nn.unfold(%x, kernel_size=[2, 3])
             return %0
           })");
}

// The part of the predictions that is computed began at an element of the targets, which are
// computed, too.
TEST_F(Regression, APartThatAnElementChooses) {
  Check(R"(graph main(%w: float32[6], %p: float32[5, 6], %t: float32[]) {
             %0 = tanh(%p)
             %1 = cast(%t, dtype="int32")
             %2 = broadcast_to(%1, shape=[5])
             %3 = nn.nll_loss(%0, %2, %w)
             return %3
           })");
}

// Weights in panels gave the mask places in another shape.
TEST_F(Regression, AMaskKnowsPlaces) {
  Check(std::string("given data \"4fac64a414e6f3ace6e7beeec04a3d92\" \"") +
        "8061043e00bb16bfc0216abf00db36bee0bc33bfa0eb513f00ea78be00ce023f2015753f00a0203d"
        "60be38bf00b324bf40fdb43e8000313e20bd033f80dc3dbfe0196a3fa005323fa0dc3b3f0059da3d"
        "0043d5be607e10bfc0966ebf40182c3fc020dd3e0044ef3c201641bf402bc3be0079f73ec04a9d3e"
        "800f1c3e80d22dbf803e6f3f401708bfa0f96a3f00fb41be408bcebec0c599be0053733f80fb4abf"
        "80e0c6bee00c2dbfc097483f60630d3fc079f73ec0c593be00df5bbfc07ac3be004f253e0013d53e"
        "80d54b3e20da5f3f404f073f80f1093e2021723f40b67f3f004f3d3e8012423ea0185e3f80cfe03e"
        "006789bd8050a2be20963bbfc006b5be"
        R"("
           graph main(%x: float32[2, 8, 2]) {
             %c = constant float32[2, 32] "4fac64a414e6f3ace6e7beeec04a3d92"
             %0 = matmul(%x, %c)
             %1 = nn.causal_mask(%0)
             return %1
           })");
}

// A size that is too small was not refused.
TEST_F(Regression, NoMoreGreatestElementsThanThereAre) {
  Check(R"(graph main(%x: float32[5, m]) {
             %0 = topk(%x, k=2, ret_type="indices")
             return %0
           })");
}

// The kernel did not know the numbers that the graph knew.
TEST_F(Regression, KnownNumbersAsShape) {
  Check(R"(graph main(%x: float32[3]) {
             %0 = shape_of(%x)
             %1 = as_shape(%0)
             %2 = cast(%1, dtype="float32")
             %3 = sum(%2)
             return %3
           })");
}

}  // namespace
}  // namespace lathe::prove::graphs
