// Blocks of the dimensions of space that become channels or batches, and the reverse.
#include "arith/analyzer.h"
#include "graph/ops/families.h"
#include "graph/ops/layout.h"
#include "ir/text/printer.h"
#include "te/tags.h"

namespace lathe::graph::ops {
namespace {

AttrDef BlockSize() { return Required(Int("block_size", "the edge of a block", 1, 1, 1 << 15)); }
AttrDef ImageLayout() { return Choice("layout", "where the dimensions are", {"NCHW", "NHWC"}); }

// extent / by, without a rest.
Expr Divided(const TypeContext& c, const char* attr, const Expr& extent, int64_t by) {
  const DataType wide = DataType::Int(64);
  if (!c.Assume(SizeAssumption::Kind::kEqual,
                ir::FloorModulo(ir::MakeCast(wide, extent), ir::Int(by, wide)), ir::Int(0, wide),
                std::string("blocks of ") + c.op.name)) {
    c.FailAttr(attr, "does not divide an extent", "a divisor of " + ExtentText(extent),
               std::to_string(by));
  }
  return ir::FloorDivide(extent, by);
}

OpDef SpaceToDepth() {
  return {.name = "nn.space_to_depth",
          .doc =
              "Blocks of an image become channels (ONNX): for NCHW, [n, block^2 c, h / block, "
              "w / block] with y[n, (i block + j) c + k, y, x] = data[n, k, y block + i, x block "
              "+ j].",
          .inputs = {{"data", "the image"}},
          .attrs = {BlockSize(), ImageLayout()},
          .kind = OpKind::kInjective,
          .type = [](const TypeContext& c) -> TypeResult {
            c.NeedRank(0, 4, 4);
            const Layout layout(c.attrs.String("layout"));
            const int64_t block = c.attrs.Int("block_size");
            Shape out = c.shape(0);
            out[layout.At('C')] = out[layout.At('C')] * (block * block);
            for (const char letter : {'H', 'W'}) {
              Expr& extent = out[layout.At(letter)];
              extent = Divided(c, "block_size", extent, block);
            }
            return TensorOf(c.dtype(0), std::move(out));
          },
          .compute =
              [](const ComputeContext& c) {
                const Layout layout(c.attrs.String("layout"));
                const int64_t block = c.attrs.Int("block_size");
                return One(
                    c.shape(),
                    [&](const Indices& i) {
                      std::vector<Expr> at = AsExprs(i);
                      const Expr channel = at[layout.At('C')];
                      const Expr channels = c.in(0)->shape()[layout.At('C')];
                      const Expr within = ir::FloorDivide(channel, channels);
                      at[layout.At('C')] = ir::FloorModulo(channel, channels);
                      Expr& y = at[layout.At('H')];
                      y = y * block + ir::FloorDivide(within, block);
                      Expr& x = at[layout.At('W')];
                      x = x * block + ir::FloorModulo(within, block);
                      return At(c.in(0), at);
                    },
                    "y", te::kInjective);
              },
          .examples = {{{"T[n, 3, 4, 6]"}, {{"block_size", IntAttr(2)}}},
                       {{"T[n, 6, 3, m]"},
                        {{"block_size", IntAttr(3)}, {"layout", StringAttr("NHWC")}}}}};
}

OpDef DepthToSpace() {
  return {
      .name = "nn.depth_to_space",
      .doc =
          "Channels become blocks of an image (ONNX): for NCHW, [n, c / block^2, h block, w "
          "block]. "
          "A channel's number is (i block + j) c / block^2 + k in mode \"DCR\", and k block^2 + "
          "i block + j in mode \"CRD\", for place (i, j) of a block.",
      .inputs = {{"data", "the image"}},
      .attrs = {BlockSize(), ImageLayout(),
                Choice("mode", "the order of the channels", {"DCR", "CRD"})},
      .kind = OpKind::kInjective,
      .type = [](const TypeContext& c) -> TypeResult {
        c.NeedRank(0, 4, 4);
        const Layout layout(c.attrs.String("layout"));
        const int64_t block = c.attrs.Int("block_size");
        Shape out = c.shape(0);
        Expr& channels = out[layout.At('C')];
        channels = Divided(c, "block_size", channels, block * block);
        for (const char letter : {'H', 'W'}) {
          out[layout.At(letter)] = out[layout.At(letter)] * block;
        }
        return TensorOf(c.dtype(0), std::move(out));
      },
      .compute =
          [](const ComputeContext& c) {
            const Layout layout(c.attrs.String("layout"));
            const int64_t block = c.attrs.Int("block_size");
            const bool blocks_first = c.attrs.String("mode") == "DCR";
            return One(
                c.shape(),
                [&](const Indices& i) {
                  std::vector<Expr> at = AsExprs(i);
                  Expr &y = at[layout.At('H')], &x = at[layout.At('W')];
                  Expr& channel = at[layout.At('C')];
                  const Expr within = ir::FloorModulo(y, block) * block + ir::FloorModulo(x, block);
                  channel = blocks_first ? within * c.shape()[layout.At('C')] + channel
                                         : channel * (block * block) + within;
                  y = ir::FloorDivide(y, block);
                  x = ir::FloorDivide(x, block);
                  return At(c.in(0), at);
                },
                "y", te::kInjective);
          },
      .examples = {{{"T[n, 8, 2, 3]"}, {{"block_size", IntAttr(2)}}},
                   {{"T[n, 8, 2, 3]"}, {{"block_size", IntAttr(2)}, {"mode", StringAttr("CRD")}}},
                   {{"T[2, n, 3, 12]"},
                    {{"block_size", IntAttr(2)}, {"layout", StringAttr("NHWC")}}}}};
}

// The blocks' extents, one for each dimension of space; dimension 0 is the batch.
template <class Context>
std::vector<int64_t> BlockShape(const Context& c) {
  return c.attrs.Ints("block_shape");
}
int64_t ProductOf(const std::vector<int64_t>& values) {
  int64_t product = 1;
  for (const int64_t value : values) product *= value;
  return product;
}

void CheckBlocks(const TypeContext& c, const char* widths) {
  const size_t space = BlockShape(c).size();
  c.NeedRank(0, static_cast<int>(space) + 1, INT32_MAX);
  const size_t found = c.attrs.Ints(widths).size();
  if (found != 2 * space) {
    c.FailAttr(widths, "has the wrong number of entries", std::to_string(2 * space),
               std::to_string(found), "two for each entry of `block_shape`: [before, after, ...]");
  }
}

AttrDef Blocks() {
  return Required(Ints("block_shape", "the extents of a block, for dimensions 1, 2, ...", {}, 1));
}

OpDef SpaceToBatchNd() {
  return {
      .name = "nn.space_to_batch_nd",
      .doc =
          "Places of blocks become batches (TensorFlow): [n product(block_shape), (extent + before "
          "+ after) / block, ..., rest]. Batches of the first place of a block come first.",
      .inputs = {{"data", "[n, space..., rest...]", kNumbers}},
      .attrs = {Blocks(),
                Required(
                    Ints("paddings", "[before, after] for each entry of `block_shape`", {}, 0)),
                Number("pad_value", "what the padding has", 0)},
      .kind = OpKind::kInjective,
      .type = [](const TypeContext& c) -> TypeResult {
        CheckBlocks(c, "paddings");
        const std::vector<int64_t> block = BlockShape(c), pad = c.attrs.Ints("paddings");
        Shape out = c.shape(0);
        out[0] = out[0] * ProductOf(block);
        for (size_t d = 0; d < block.size(); ++d) {
          const Expr padded = out[d + 1] + ir::Int(pad[2 * d] + pad[2 * d + 1], DataType::Int(64));
          out[d + 1] = Divided(c, "block_shape", padded, block[d]);
        }
        return TensorOf(c.dtype(0), std::move(out));
      },
      .compute =
          [](const ComputeContext& c) {
            const Tensor& x = c.in(0);
            const std::vector<int64_t> block = BlockShape(c), pad = c.attrs.Ints("paddings");
            return One(
                c.shape(),
                [&](const Indices& i) {
                  std::vector<Expr> at = AsExprs(i), conditions;
                  Expr within = ir::FloorDivide(i[0], x->shape()[0]);
                  at[0] = ir::FloorModulo(i[0], x->shape()[0]);
                  for (size_t d = block.size(); d-- > 0;) {
                    const Expr place =
                        at[d + 1] * block[d] + ir::FloorModulo(within, block[d]) - pad[2 * d];
                    within = ir::FloorDivide(within, block[d]);
                    at[d + 1] = place;
                    if (pad[2 * d] > 0) conditions.push_back(place >= 0);
                    if (pad[2 * d + 1] > 0) conditions.push_back(place < x->shape()[d + 1]);
                  }
                  const Expr inside = ir::Conjunction(conditions);
                  if (!inside) return At(x, at);
                  const double value = c.attrs.Float("pad_value");
                  const Expr frame = c.dtype().is_float()
                                         ? Num(value, c.dtype())
                                         : Num(static_cast<int64_t>(value), c.dtype());
                  return ir::IfThenElse(inside, At(x, at), frame);
                },
                "y", te::kInjective);
          },
      .examples = {{{"T[n, 3, 4, 2]"},
                    {{"block_shape", IntsAttr({2, 3})}, {"paddings", IntsAttr({0, 1, 1, 1})}}},
                   {{"T[2, 4, n]"},
                    {{"block_shape", IntsAttr({2})},
                     {"paddings", IntsAttr({2, 0})},
                     {"pad_value", FloatAttr(3)}}},
                   {{"T[n, 4]"},
                    {{"block_shape", IntsAttr({2})}, {"paddings", IntsAttr({0, 0})}}}}};
}

OpDef BatchToSpaceNd() {
  return {
      .name = "nn.batch_to_space_nd",
      .doc =
          "Batches become places of blocks, the reverse of nn.space_to_batch_nd (TensorFlow): "
          "[n / product(block_shape), extent block - before - after, ..., rest].",
      .inputs = {{"data", "[n, space..., rest...]"}},
      .attrs = {Blocks(), Required(Ints("crops",
                                        "what is cut off: [before, after] for each entry of "
                                        "`block_shape`",
                                        {}, 0))},
      .kind = OpKind::kInjective,
      .type = [](const TypeContext& c) -> TypeResult {
        CheckBlocks(c, "crops");
        const std::vector<int64_t> block = BlockShape(c), crop = c.attrs.Ints("crops");
        Shape out = c.shape(0);
        out[0] = Divided(c, "block_shape", out[0], ProductOf(block));
        for (size_t d = 0; d < block.size(); ++d) {
          out[d + 1] = out[d + 1] * block[d] - (crop[2 * d] + crop[2 * d + 1]);
        }
        return TensorOf(c.dtype(0), std::move(out));
      },
      .compute =
          [](const ComputeContext& c) {
            const std::vector<int64_t> block = BlockShape(c), crop = c.attrs.Ints("crops");
            return One(
                c.shape(),
                [&](const Indices& i) {
                  std::vector<Expr> at = AsExprs(i);
                  Expr within = ir::Int(0);
                  for (size_t d = 0; d < block.size(); ++d) {
                    const Expr place = at[d + 1] + crop[2 * d];
                    within = within * block[d] + ir::FloorModulo(place, block[d]);
                    at[d + 1] = ir::FloorDivide(place, block[d]);
                  }
                  at[0] = within * c.shape()[0] + at[0];
                  return At(c.in(0), at);
                },
                "y", te::kInjective);
          },
      .examples = {{{"T[12, 3, 4, n]"},
                    {{"block_shape", IntsAttr({2, 3})}, {"crops", IntsAttr({0, 1, 2, 1})}}},
                   {{"T[4, n]"}, {{"block_shape", IntsAttr({2})}, {"crops", IntsAttr({0, 0})}}}}};
}

}  // namespace

std::vector<OpDef> BlocksOfSpace() {
  return {SpaceToDepth(), DepthToSpace(), SpaceToBatchNd(), BatchToSpaceNd()};
}

}  // namespace lathe::graph::ops
