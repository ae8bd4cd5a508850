// Convolutions in blocks of channels. Used by the pass choose_layouts.
#pragma once

#include <string>

#include "graph/passes/blocked_twins.h"
#include "graph/passes/known_values.h"
#include "graph/passes/pass.h"

namespace lathe::graph {

// True if this pass computes a convolution of 8-bit integers (the attributes and shapes of
// nn.conv2d or qnn.conv2d) in blocks, with dot products of bytes or one filter for each channel.
bool TakesIntegers(const ir::GraphCall& conv, const GraphPassContext& context);
// Is the zero point of 8-bit data a number of their type? Only then a frame can be filled with it.
bool IsZeroPointOf(DataType data, int64_t zero_point);

class BlockedConvolutions {
 public:
  // All arguments must outlive it.
  BlockedConvolutions(Builder& builder, Twins& twins, const KnownValues& known,
                      const GraphPassContext& context)
      : b_(builder), twins_(twins), known_(known), context_(context) {}

  // A call of nn.conv2d or qnn.conv2d as one in blocks; false if it has no such form.
  Twin Rewritten(const ir::GraphCall& call, const std::string& name);

 private:
  Twin OfFloats(const ir::GraphCall& call);
  // The same by Winograd's algorithm; false where that is not faster. Only from level 3 on, because
  // it rounds differently.
  Twin ByWinograd(const ir::GraphCall& call, int64_t in_block, int64_t out_block);
  Twin OfIntegers(const ir::GraphCall& call);
  Twin OfGroups(const ir::GraphCall& call, const Twin& twin, const std::string& plain,
                const std::string& kernel);
  ir::GraphVar AsDotOperand(const ir::GraphVar& data, int64_t* zero_point);
  // The weight in any order, with zeros in both dimensions of channels where blocks are not full.
  ir::GraphVar Filled(const ir::GraphVar& weight, const std::string& kernel, int64_t in_block,
                      int64_t out_block);
  ir::GraphVar Kernel(const ir::GraphVar& weight, const std::string& kernel, int64_t in_block,
                      int64_t out_block);
  ir::GraphVar DepthwiseKernel(const ir::GraphVar& weight, std::string kernel, int64_t block);
  void Explain(const ir::GraphCall& call, const Twin& twin) const;

  Builder& b_;
  Twins& twins_;
  const KnownValues& known_;
  const GraphPassContext& context_;
  std::string name_;       // of the result that is made now: its twin has it, too
  int64_t tile_size_ = 0;  // of Winograd's algorithm in that result; 0: it is not used
};

}  // namespace lathe::graph
