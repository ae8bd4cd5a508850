// Tensors of images in blocks of channels, beside the plain ones that they stand for. Used by the
// pass choose_layouts.
#pragma once

#include <string>
#include <vector>

#include "graph/builder.h"
#include "graph/passes/other_forms.h"
#include "graph/passes/shape_of.h"

namespace lathe::graph {

int64_t RoundUp(int64_t value, int64_t step);
// NCHW and 16: NCHW16c.
std::string Blocked(const std::string& letters, int64_t block);

// A tensor of images in blocks, NCHW16c, whatever the order of the plain one. If blocks do not
// divide the channels, more channels follow the last one, with any values: what adds them up has
// weights of zero there, and finds zeros where others would make a difference.
struct Twin {
  ir::GraphVar var;
  std::string plain;  // NCHW or NHWC
  int64_t channels = 0;
  explicit operator bool() const { return static_cast<bool>(var); }
  int64_t block() const { return Number(var, 4); }
  int64_t padded_channels() const { return Number(var, 1) * block(); }
  bool IsPadded() const { return channels != padded_channels(); }
  size_t channels_at() const { return plain.find('C'); }
  // Does `axis`, which may count from the end, hold the channels?
  bool IsChannels(int64_t axis) const {
    return axis + (axis < 0 ? 4 : 0) == static_cast<int64_t>(channels_at());
  }
};

// The blocked twins of a function that is built.
class Twins {
 public:
  // `forms` has the twins of plain tensors. `lanes`: float32 elements of the target's vectors.
  Twins(Builder& builder, const Forms<Twin>& forms, int lanes)
      : b_(builder), forms_(forms), lanes_(lanes) {}

  // The twin of a plain tensor; false if there is none.
  Twin Of(const ir::GraphVar& plain) const { return forms_.Of(plain); }
  // The plain tensor of a blocked one.
  ir::GraphVar Plain(const Twin& twin, const std::string& name);
  // `var`, which has the order `plain`, in blocks of `block`.
  ir::GraphVar InBlocks(const ir::GraphVar& var, const std::string& plain, int64_t block);
  // `var` with zeros behind the `from` elements of a dimension, `to` in all.
  ir::GraphVar Padded(const ir::GraphVar& var, size_t dimension, int64_t from, int64_t to);
  // [C] -> [C / c, 1, 1, c].
  ir::GraphVar PerChannel(const ir::GraphVar& vector, const Twin& twin);

  // Blocks in which this machine computes well: two vectors, one, a half or a quarter.
  std::vector<int64_t> Blocks() const;
  // Vectors for the channels of one place, in blocks of `block`.
  int64_t VectorsOf(int64_t channels, int64_t block) const;
  // The block for `channels`: with the fewest vectors, also where the last block is not full; of
  // several the largest that divides them, else the largest. 0 if there are fewer channels than the
  // smallest block.
  int64_t BlockFor(int64_t channels) const;
  int lanes() const { return lanes_; }

 private:
  Builder& b_;
  const Forms<Twin>& forms_;
  const int lanes_;
};

}  // namespace lathe::graph
