// Regions of interest, and overlaps of boxes.
#include "graph/ops/families.h"
#include "graph/ops/layout.h"
#include "graph/ops/sampling.h"

namespace lathe::graph::ops {
namespace {

namespace fn = ir::intrinsic;

using Buffers = std::vector<te::Buffer>;

ir::Stmt Loop(const ir::Var& var, const Expr& extent, ir::Stmt body,
              ir::ForKind kind = ir::ForKind::kSerial) {
  return ir::MakeFor(var, Num(0, var->dtype), ir::MakeCast(var->dtype, extent), kind,
                     std::move(body));
}

Expr Clamp(const Expr& x, const Expr& low, const Expr& high) {
  return ir::MakeMax(ir::MakeMin(x, high), low);
}

TypeResult RoiType(const TypeContext& c) {
  c.NeedRank(0, 4, 4);
  c.NeedRank(1, 2, 2);
  c.NeedExtent(1, 1, ir::Int(5, DataType::Int(64)), "the image, x1, y1, x2, y2");
  const Shape size = c.attrs.Shape("pooled_size");
  if (size.size() != 2) {
    c.FailAttr("pooled_size", "has the wrong number of entries", "2", std::to_string(size.size()));
  }
  const Layout layout(c.attrs.String("layout"));
  Shape out = c.shape(0);
  out[layout.At('N')] = c.shape(1)[0];
  out[layout.At('H')] = size[0];
  out[layout.At('W')] = size[1];
  return TensorOf(c.dtype(0), std::move(out));
}

std::vector<OpInput> RoiInputs() {
  return {{"data", "images, in `layout`", kFloats},
          {"rois", "(image, x1, y1, x2, y2) of each region [k, 5]", kFloats}};
}
AttrDef PooledSize() { return Required(Extents("pooled_size", "height and width of the results")); }
AttrDef SpatialScale() {
  return Required(Number("spatial_scale", "elements of `data` per unit of the regions", 1));
}
AttrDef RoiLayout() { return Choice("layout", "the dimensions of `data`", {"NCHW", "NHWC"}); }

// -- Means of regions.

// One region, in elements of the image: where it begins and how large its cells are. `read` gives
// an entry of its row.
struct Region {
  Region(const ComputeContext& c, DataType type, const std::function<Expr(int64_t)>& read) {
    const Layout layout(c.attrs.String("layout"));
    const bool aligned = c.attrs.Bool("aligned");
    const Expr scale = Num(c.attrs.Float("spatial_scale"), type);
    const Expr offset = Num(aligned ? 0.5 : 0, type);
    image = ir::MakeCast(DataType::Int(32), read(0));
    for (const int64_t d : {0, 1}) {
      const Expr from = ir::MakeCast(type, read(2 - d)) * scale - offset;
      Expr size = ir::MakeCast(type, read(4 - d)) * scale - offset - from;
      if (!aligned) size = ir::MakeMax(size, Num(1, type));
      first.push_back(from);
      cell.push_back(size / ir::MakeCast(type, c.shape()[layout.At("HW"[d])]));
    }
  }
  Expr image;
  std::vector<Expr> first, cell;  // of height and width
};

// Sample `k` of `count` in cell `i` along one dimension.
Expr SampleAt(const Region& region, size_t d, const Expr& i, const Expr& k, const Expr& count) {
  const DataType type = region.cell[d]->dtype;
  const Expr part = (ir::MakeCast(type, k) + Num(0.5, type)) / ir::MakeCast(type, count);
  return region.first[d] + (ir::MakeCast(type, i) + part) * region.cell[d];
}

// The greatest of the products of elements and weights, for all pairs of taps of two dimensions.
Expr GreatestOfTaps(const std::vector<std::vector<Tap>>& taps, DataType type,
                    const std::function<Expr(const std::vector<Expr>&)>& read) {
  Expr greatest;
  for (const Tap& y : taps[0]) {
    for (const Tap& x : taps[1]) {
      const Expr term = SumOfTaps({{y}, {x}}, type, read);
      greatest = greatest ? ir::MakeMax(greatest, term) : term;
    }
  }
  return greatest;
}

// The image at the place (y, x), as Mask R-CNN reads it: what is more than one element outside is
// 0, and what is outside by less is the border.
Expr ReadImage(const ComputeContext& c, const std::vector<Expr>& place,
               const std::function<Expr(const std::vector<Expr>&)>& read) {
  const Layout layout(c.attrs.String("layout"));
  const DataType type = place[0]->dtype;
  std::vector<std::vector<Tap>> taps;
  std::vector<Expr> inside;
  for (const size_t d : {0, 1}) {
    const Expr extent = c.in(0)->shape()[layout.At("HW"[d])];
    const Expr n = ir::MakeCast(type, extent);
    inside.push_back(ir::LogicalAnd(Num(-1, type) <= place[d], place[d] <= n));
    taps.push_back(LinearTaps(Clamp(place[d], Num(0, type), n - Num(1, type)), extent));
  }
  const bool is_corner = c.attrs.String("mode") == "max_corner";
  const Expr sample = (is_corner ? GreatestOfTaps : SumOfTaps)(taps, type, read);
  return ir::MakeSelect(ir::Conjunction(inside), sample, Num(0, type));
}

// A fixed number of samples: a reduction.
Results AlignFixed(const ComputeContext& c, DataType type, int64_t samples, bool is_mean) {
  const Layout layout(c.attrs.String("layout"));
  const Tensor &data = c.in(0), &rois = c.in(1);
  const Expr count = ir::Int(samples);
  const std::vector<ir::IterVar> k{te::ReduceAxis(ir::Int(0), count, "sy"),
                                   te::ReduceAxis(ir::Int(0), count, "sx")};
  const Tensor reduced = te::Compute(
      c.shape(),
      [&](const Indices& i) {
        const Region region(c, type, [&](int64_t at) { return At(rois, {i[0], ir::Int(at)}); });
        std::vector<Expr> place;
        for (const size_t d : {0, 1}) {
          place.push_back(SampleAt(region, d, i[layout.At("HW"[d])], k[d]->var, count));
        }
        const Expr value = ReadImage(c, place, [&](const std::vector<Expr>& at) {
          return At(data, layout.Arrange<Expr>([&](char letter) -> Expr {
            if (letter == 'N') return region.image;
            if (letter == 'C') return i[layout.At('C')];
            return at[letter == 'H' ? 0 : 1];
          }));
        });
        return is_mean ? te::Sum(value, k) : te::Max(value, k);
      },
      "samples");
  return One(
      c.shape(),
      [&](const Indices& i) {
        const Expr value = At(reduced, AsExprs(i));
        return ir::MakeCast(c.dtype(), is_mean ? value / Num(samples * samples, type) : value);
      },
      "regions");
}

// As many samples as a region has elements: loops whose ends are computed.
Results AlignAdaptive(const ComputeContext& c, DataType type, bool is_mean) {
  const Layout layout(c.attrs.String("layout"));
  const te::Shape& out = c.shape();
  const Tensor reduced = te::Extern(
      {out}, {type}, {c.in(0), c.in(1)},
      [&](const Buffers& from, const Buffers& to) {
        const ir::Var r = ir::MakeVar("r");
        const auto loops = layout.Arrange<ir::Var>(
            [&](char letter) { return letter == 'N' ? r : ir::MakeVar(std::string(1, letter)); });
        const std::vector<Expr> element(loops.begin(), loops.end());
        const Region region(
            c, type, [&](int64_t at) { return ir::MakeLoad(from[1], {Expr(r), ir::Int(at)}); });
        const std::vector<ir::Var> k{ir::MakeVar("sy"), ir::MakeVar("sx")};
        const std::vector<ir::Var> counts{ir::MakeVar("ny"), ir::MakeVar("nx")};
        std::vector<Expr> place;
        for (const size_t d : {0, 1}) {
          place.push_back(SampleAt(region, d, element[layout.At("HW"[d])], k[d], counts[d]));
        }
        const Expr value = ReadImage(c, place, [&](const std::vector<Expr>& at) {
          return ir::MakeLoad(from[0], layout.Arrange<Expr>([&](char letter) -> Expr {
            if (letter == 'N') return region.image;
            if (letter == 'C') return element[layout.At('C')];
            return at[letter == 'H' ? 0 : 1];
          }));
        });
        const Expr so_far = ir::MakeLoad(to[0], element);
        const auto store = [&](const Expr& x) { return ir::MakeStore(to[0], x, element); };
        const Expr total = ir::MakeMax(counts[0] * Expr(counts[1]), ir::Int(1));
        const Expr first = is_mean ? Num(0, type) : te::MinValue(type);
        // A region without samples is 0.
        const Expr last = is_mean
                              ? so_far / ir::MakeCast(type, total)
                              : ir::MakeSelect(ir::Equal(counts[0] * Expr(counts[1]), ir::Int(0)),
                                               Num(0, type), so_far);
        ir::Stmt body =
            ir::MakeSeq({store(first),
                         Loop(k[0], counts[0],
                              Loop(k[1], counts[1],
                                   store(is_mean ? so_far + value : ir::MakeMax(so_far, value)))),
                         store(last)});
        for (size_t d = element.size(); d-- > 1;) body = Loop(loops[d], out[d], body);
        for (const size_t d : {1, 0}) {
          const Expr cells = Fn(fn::kCeil, {region.cell[d]});
          body = ir::MakeLetStmt(
              counts[d],
              ir::MakeCast(DataType::Int(32), Clamp(cells, Num(0, type), Num(1 << 15, type))),
              body);
        }
        return Loop(r, out[0], body, ir::ForKind::kParallel);
      },
      "regions")[0];
  if (type == c.dtype()) return {reduced};
  return One(
      c.shape(), [&](const Indices& i) { return ir::MakeCast(c.dtype(), At(reduced, AsExprs(i))); },
      "y");
}

OpDef RoiAlign() {
  return {
      .name = "vision.roi_align",
      .doc =
          "Regions of images, each as a grid of cells; a cell is the mean or the greatest of "
          "samples "
          "at real places [He et al., 2017, Mask R-CNN].",
      .inputs = RoiInputs(),
      .attrs = {PooledSize(), SpatialScale(),
                Int("sample_ratio",
                    "samples of a cell in each dimension; 0 or less: the cell's extent, rounded up",
                    -1),
                RoiLayout(),
                Choice("mode",
                       "the mean or the greatest of the samples, or the greatest of the elements "
                       "around them times their weights [ONNX's max]",
                       {"avg", "max", "max_corner"}),
                Flag("aligned",
                     "are places moved by half an element, and regions smaller than 1 kept "
                     "[ONNX's half_pixel]?",
                     false)},
      .type = RoiType,
      .compute =
          [](const ComputeContext& c) {
            const DataType type = PlaceType(c.dtype());
            const int64_t samples = c.attrs.Int("sample_ratio");
            const bool is_mean = c.attrs.String("mode") == "avg";
            return samples > 0 ? AlignFixed(c, type, samples, is_mean)
                               : AlignAdaptive(c, type, is_mean);
          },
      .examples = {
          {{"T[7, 3, 6, 7]", "float32[n, 5] in 0:6"},
           {{"pooled_size", ShapeAttr({ir::Int(2), ir::Int(3)})},
            {"spatial_scale", FloatAttr(0.9)},
            {"sample_ratio", IntAttr(2)}}},
          {{"float32[7, 3, 6, 7]", "float32[n, 5] in 0:6"},
           {{"pooled_size", ShapeAttr({ir::Int(2), ir::Int(2)})}, {"spatial_scale", FloatAttr(1)}}},
          {{"float32[7, 6, n, 2]", "float32[3, 5] in 0:6"},
           {{"pooled_size", ShapeAttr({ir::Int(3), ir::Int(2)})},
            {"spatial_scale", FloatAttr(1.5)},
            {"layout", StringAttr("NHWC")},
            {"mode", StringAttr("max")},
            {"aligned", BoolAttr(true)}}},
          {{"T[2, 3, 6, 7]", "float32[n, 5] in 0:1"},
           {{"pooled_size", ShapeAttr({ir::Int(2), ir::Int(2)})},
            {"spatial_scale", FloatAttr(3)},
            {"sample_ratio", IntAttr(2)},
            {"mode", StringAttr("max_corner")}}}}};
}

// -- The greatest elements of regions.

Results ComputeRoiPool(const ComputeContext& c) {
  const Layout layout(c.attrs.String("layout"));
  const te::Shape &out = c.shape(), &in = c.in(0)->shape();
  const DataType type = PlaceType(c.in(1)->dtype());
  return te::Extern(
      {out}, {c.dtype()}, {c.in(0), c.in(1)},
      [&](const Buffers& from, const Buffers& to) {
        const ir::Var r = ir::MakeVar("r");
        const auto loops = layout.Arrange<ir::Var>(
            [&](char letter) { return letter == 'N' ? r : ir::MakeVar(std::string(1, letter)); });
        const std::vector<Expr> element(loops.begin(), loops.end());
        const auto entry = [&](int64_t at) {
          return ir::MakeCast(type, ir::MakeLoad(from[1], {Expr(r), ir::Int(at)}));
        };
        // Corners are rounded to elements; places far away are moved to where they mean the same.
        const auto corner = [&](int64_t at) {
          const Expr x = Fn(fn::kRound, {entry(at) * Num(c.attrs.Float("spatial_scale"), type)});
          return ir::MakeCast(DataType::Int(32),
                              Clamp(x, Num(-(1 << 14), type), Num(1 << 14, type)));
        };
        std::vector<ir::Var> begin, end, k;
        std::vector<std::pair<ir::Var, Expr>> lets;
        for (const int64_t d : {0, 1}) {
          const std::string name(1, "yx"[d]);
          const ir::Var first = ir::MakeVar("first_" + name), size = ir::MakeVar("size_" + name);
          lets.emplace_back(first, corner(2 - d));
          lets.emplace_back(size, ir::MakeMax(corner(4 - d) - first + 1, ir::Int(1)));
          const size_t at = layout.At("HW"[d]);
          const auto bounded = [&](const Expr& x) { return Clamp(x + first, ir::Int(0), in[at]); };
          begin.push_back(ir::MakeVar("begin_" + name));
          lets.emplace_back(begin.back(), bounded(ir::FloorDivide(element[at] * size, out[at])));
          end.push_back(ir::MakeVar("end_" + name));
          lets.emplace_back(end.back(), bounded(ir::CeilDivide((element[at] + 1) * size, out[at])));
          k.push_back(ir::MakeVar(name));
        }
        const Expr is_empty = ir::LogicalOr(end[0] <= begin[0], end[1] <= begin[1]);
        const Expr so_far = ir::MakeLoad(to[0], element);
        const Expr value = ir::MakeLoad(from[0], layout.Arrange<Expr>([&](char letter) -> Expr {
          if (letter == 'N') return ir::MakeCast(DataType::Int(32), entry(0));
          if (letter == 'C') return element[layout.At('C')];
          const size_t d = letter == 'H' ? 0 : 1;
          return begin[d] + Expr(k[d]);
        }));
        ir::Stmt body = ir::MakeSeq(
            {ir::MakeStore(to[0],
                           ir::MakeSelect(is_empty, Num(0, c.dtype()), te::MinValue(c.dtype())),
                           element),
             Loop(k[0], end[0] - Expr(begin[0]),
                  Loop(k[1], end[1] - Expr(begin[1]),
                       ir::MakeStore(to[0], ir::MakeMax(so_far, value), element)))});
        while (!lets.empty()) {
          body = ir::MakeLetStmt(lets.back().first, lets.back().second, body);
          lets.pop_back();
        }
        for (size_t d = element.size(); d-- > 1;) body = Loop(loops[d], out[d], body);
        return Loop(r, out[0], body, ir::ForKind::kParallel);
      },
      "regions");
}

OpDef RoiPool() {
  return {
      .name = "vision.roi_pool",
      .doc =
          "Regions of images, each as a grid of cells; a cell is the greatest of its elements, 0 "
          "if it has none. Corners are rounded to elements, and cell i of m begins at floor(i "
          "size / m) and ends at ceil((i + 1) size / m) [Girshick, 2015, Fast R-CNN].",
      .inputs = RoiInputs(),
      .attrs = {PooledSize(), SpatialScale(), RoiLayout()},
      .type = RoiType,
      .compute = ComputeRoiPool,
      .examples = {
          {{"T[1, 3, 6, 7]", "float32[n, 5] in 0:0.9"},
           {{"pooled_size", ShapeAttr({ir::Int(2), ir::Int(3)})}, {"spatial_scale", FloatAttr(7)}}},
          {{"float32[7, 6, n, 2]", "float32[3, 5] in 0:6"},
           {{"pooled_size", ShapeAttr({ir::Int(3), ir::Int(2)})},
            {"spatial_scale", FloatAttr(1.3)},
            {"layout", StringAttr("NHWC")}}}}};
}

OpDef BoxIou() {
  return {
      .name = "vision.box_iou",
      .doc =
          "For each pair of boxes the area of the intersection over that of the union "
          "[torchvision's box_iou]; two boxes without area have 0.",
      .inputs = {{"boxes1", "(x1, y1, x2, y2) of each box [n, 4]", kFloats},
                 {"boxes2", "the same [m, 4]", kFloats, 0}},
      .kind = OpKind::kBroadcast,
      .type = [](const TypeContext& c) -> TypeResult {
        for (const size_t i : {0, 1}) {
          c.NeedRank(i, 2, 2);
          c.NeedExtent(i, 1, ir::Int(4, DataType::Int(64)), "the corners of a box");
        }
        return TensorOf(c.dtype(0), {c.shape(0)[0], c.shape(1)[0]});
      },
      .compute =
          [](const ComputeContext& c) {
            const DataType type = PlaceType(c.dtype());
            return One(
                c.shape(),
                [&](const Indices& i) {
                  const auto corner = [&](size_t box, int64_t k) {
                    return ir::MakeCast(type, At(c.in(box), {i[box], ir::Int(k)}));
                  };
                  const auto area = [&](size_t box) {
                    return (corner(box, 2) - corner(box, 0)) * (corner(box, 3) - corner(box, 1));
                  };
                  Expr common;
                  for (const int64_t k : {0, 1}) {
                    const Expr side = ir::MakeMax(ir::MakeMin(corner(0, k + 2), corner(1, k + 2)) -
                                                      ir::MakeMax(corner(0, k), corner(1, k)),
                                                  Num(0, type));
                    common = common ? common * side : side;
                  }
                  const Expr both = area(0) + area(1) - common, none = Num(0, type);
                  const Expr is_empty = both <= none;
                  return ir::MakeCast(
                      c.dtype(),
                      ir::MakeSelect(is_empty, none,
                                     common / ir::MakeSelect(is_empty, Num(1, type), both)));
                },
                "iou");
          },
      .examples = {{{"T[n, 4] in 0:4", "T[3, 4] in 3:9"}}}};
}

}  // namespace

std::vector<OpDef> Vision() { return {RoiAlign(), RoiPool(), BoxIou()}; }

}  // namespace lathe::graph::ops
