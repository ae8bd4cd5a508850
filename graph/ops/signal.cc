// Windows and Fourier transforms.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "graph/builder.h"
#include "graph/ops/define.h"
#include "graph/ops/families.h"
#include "te/tags.h"

namespace lathe::graph::ops {
namespace {

namespace fn = ir::intrinsic;

bool IsFloatType(DataType dtype) { return dtype.is_float() && dtype.bits() >= 16; }

// a - b cos(2 pi i / n) + c cos(4 pi i / n), for n = size, or size - 1 if it is not periodic.
OpDef Window(std::string name, std::string doc, double a, double b, double cc) {
  return {
      .name = std::move(name),
      .doc = std::move(doc),
      .inputs = {},
      .attrs = {Extents("size", "the number of elements"),
                Flag("periodic", "n = size; else n = size - 1, and the window is symmetric", true),
                ElementType("dtype", "the element type of the result", "float32")},
      .kind = OpKind::kInjective,
      .type = [](const TypeContext& c) -> TypeResult {
        const std::vector<Expr> size = c.attrs.Shape("size");
        if (size.size() != 1) {
          c.FailAttr("size", "has the wrong number of entries", "1", std::to_string(size.size()));
        }
        if (!IsFloatType(c.attrs.Type("dtype"))) {
          c.FailAttr("dtype", "is no floating type", "float16, bfloat16, float32 or float64",
                     c.attrs.String("dtype"));
        }
        return TensorOf(c.attrs.Type("dtype"), size);
      },
      .compute =
          [a, b, cc](const ComputeContext& c) {
            const DataType type = DataType::Float(c.dtype().bits() == 64 ? 64 : 32);
            return One(
                c.shape(),
                [&](const Indices& i) {
                  const Expr size = c.shape()[0];
                  // A window of one element is 1.
                  const Expr n =
                      ir::MakeMax(c.attrs.Bool("periodic") ? size : size - 1, Num(1, size->dtype));
                  const Expr angle = ir::MakeCast(type, i[0]) * Num(2 * std::numbers::pi, type) /
                                     ir::MakeCast(type, n);
                  Expr y = Num(a, type) - Num(b, type) * Fn(fn::kCos, {angle});
                  if (cc != 0) y = y + Num(cc, type) * Fn(fn::kCos, {angle * Num(2, type)});
                  const Expr is_one = ir::Equal(size, Num(1, size->dtype));
                  return ir::MakeCast(c.dtype(), ir::MakeSelect(is_one, Num(1, type), y));
                },
                "y");
          },
      .examples = {{{}, {{"size", IntAttr(8)}}},
                   {{},
                    {{"size", IntAttr(9)},
                     {"periodic", BoolAttr(false)},
                     {"dtype", StringAttr("float64")}}},
                   {{}, {{"size", IntAttr(1)}, {"periodic", BoolAttr(false)}}}}};
}

OpDef Dft() {
  return {
      .name = "dft",
      .doc =
          "The discrete Fourier transform along one dimension (ONNX): y[k] = sum over t of x[t] "
          "e^(-2 pi i k t / n), by its definition: n^2 products. The last dimension has the real "
          "and the imaginary part.",
      .inputs = {{"data", "[..., 1] for real and [..., 2] for complex numbers", kFloats}},
      .attrs = {Int("axis", "the dimension of time", 1),
                Flag("inverse", "e^(+...), divided by n?", false),
                Flag("onesided", "only the first floor(n / 2) + 1 elements?", false)},
      .kind = OpKind::kReduction,
      .type = [](const TypeContext& c) -> TypeResult {
        c.NeedRank(0, 2, INT32_MAX);
        const auto axis = static_cast<size_t>(AxisOf(c, "axis", c.rank(0)));
        Shape out = c.shape(0);
        if (axis + 1 == out.size()) {
          c.FailAttr("axis", "names the dimension of the parts", "a dimension before the last one",
                     std::to_string(axis));
        }
        if (!ir::IsOne(out.back()) && !ir::IsConstInt(out.back(), 2)) {
          c.FailArgument(0, "has no complex numbers in the last dimension", "1 or 2",
                         "another extent");
        }
        out.back() = ir::Int(2, DataType::Int(64));
        if (c.attrs.Bool("onesided")) out[axis] = ir::FloorDivide(out[axis], 2) + 1;
        return TensorOf(c.dtype(0), std::move(out));
      },
      .compute =
          [](const ComputeContext& c) {
            const Tensor& x = c.in(0);
            const auto axis = static_cast<size_t>(AxisOf(c, "axis", x->ndim()));
            const bool inverse = c.attrs.Bool("inverse"), complex = !ir::IsOne(x->shape().back());
            const Expr n = x->shape()[axis];
            const DataType type = DataType::Float(c.dtype().bits() == 64 ? 64 : 32);
            const DataType wide = DataType::Int(64);
            const ir::IterVar t = te::ReduceAxis(Num(0, n->dtype), n, "t");
            const Tensor sum = te::Compute(
                c.shape(),
                [&](const Indices& i) {
                  std::vector<Expr> at = AsExprs(i);
                  at[axis] = t->var;
                  const auto part = [&](int number) {
                    at.back() = ir::Int(number);
                    return ir::MakeCast(type, At(x, at));
                  };
                  // k t mod n keeps the angle small.
                  const Expr turns =
                      ir::FloorModulo(ir::MakeCast(wide, i[axis]) * ir::MakeCast(wide, t->var),
                                      ir::MakeCast(wide, n));
                  const double turn = (inverse ? 2 : -2) * std::numbers::pi;
                  const Expr angle =
                      ir::MakeCast(type, turns) * Num(turn, type) / ir::MakeCast(type, n);
                  const Expr cos = Fn(fn::kCos, {angle}), sin = Fn(fn::kSin, {angle});
                  Expr real = part(0) * cos, imaginary = part(0) * sin;
                  if (complex) {
                    real = real - part(1) * sin;
                    imaginary = imaginary + part(1) * cos;
                  }
                  const Expr is_real = ir::Equal(i.back(), Num(0, i.back()->dtype));
                  return te::Sum(ir::MakeSelect(is_real, real, imaginary), {t});
                },
                "sum");
            return One(
                c.shape(),
                [&](const Indices& i) {
                  const Expr y = At(sum, AsExprs(i));
                  return ir::MakeCast(c.dtype(), inverse ? y / ir::MakeCast(type, n) : y);
                },
                "y");
          },
      .examples = {{{"T[n, 8, 2]"}},
                   {{"float32[2, n, 1]"}, {{"onesided", BoolAttr(true)}}},
                   {{"float32[n, 2, 2]"}, {{"axis", IntAttr(0)}, {"inverse", BoolAttr(true)}}}}};
}

OpDef Idft() {
  return {
      .name = "idft",
      .doc =
          "The inverse of dft: x[t] = 1/n sum over k of y[k] e^(2 pi i k t / n). A composition: "
          "dft with `inverse`.",
      .inputs = {{"data", "[..., 1] for real and [..., 2] for complex numbers", kFloats}},
      .attrs = {Int("axis", "the dimension of frequencies", 1)},
      .kind = OpKind::kReduction,
      .type = [](const TypeContext& c) -> TypeResult {
        return TypeOfCall(GetOp("dft"), c.types,
                          {{"axis", IntAttr(c.attrs.Int("axis"))}, {"inverse", BoolAttr(true)}});
      },
      .expand = [](Builder& b, const std::vector<GraphVar>& args, const Attrs& attrs) -> GraphVar {
        return b.Call("dft", args,
                      {{"axis", IntAttr(attrs.Int("axis"))}, {"inverse", BoolAttr(true)}});
      },
      .examples = {{{"T[n, 8, 2]"}}, {{"float32[6, n, 2]"}, {{"axis", IntAttr(0)}}}}};
}

// -- Frames of a signal.

// The attributes of stft with their defaults.
struct Frames {
  template <class Context>
  explicit Frames(const Context& c)
      : size(c.attrs.Int("n_fft")),
        hop(c.attrs.Int("hop_length")),
        window(c.attrs.Int("win_length")),
        rows(c.attrs.Bool("onesided") ? size / 2 + 1 : size) {
    if (hop == 0) hop = std::max<int64_t>(size / 4, 1);
    if (window == 0) window = size;
  }
  int64_t size, hop, window, rows;
};

TypeResult StftType(const TypeContext& c) {
  c.NeedRank(0, 1, 2);
  const Frames frames(c);
  if (frames.window > frames.size) {
    c.FailAttr("win_length", "is longer than a frame", "at most " + std::to_string(frames.size),
               std::to_string(frames.window));
  }
  if (c.size() == 2) {
    c.NeedRank(1, 1, 1);
    c.NeedExtent(1, 0, ir::Int(frames.window, DataType::Int(64)), "`win_length`");
  }
  const DataType wide = DataType::Int(64);
  Shape out = c.shape(0);
  const Expr length = out.back();
  if (!c.Assume(SizeAssumption::Kind::kAtMost, ir::Int(frames.size, wide), length,
                "a frame of stft")) {
    c.FailArgument(0, "is shorter than a frame", "at least " + std::to_string(frames.size),
                   ExtentText(length));
  }
  out.back() = ir::Int(frames.rows, wide);
  out.push_back(ir::FloorDivide(length - frames.size, ir::Int(frames.hop, wide)) + 1);
  out.push_back(ir::Int(2, wide));
  return TensorOf(c.dtype(0), std::move(out));
}

Results ComputeStft(const ComputeContext& c) {
  const Frames frames(c);
  const Tensor& x = c.in(0);
  const DataType type = DataType::Float(c.dtype().bits() == 64 ? 64 : 32);
  const int64_t before = (frames.size - frames.window) / 2;
  const ir::IterVar w = te::ReduceAxis(ir::Int(0), ir::Int(frames.window), "w");
  const Tensor sum = te::Compute(
      c.shape(),
      [&](const Indices& i) {
        const bool batched = x->ndim() == 2;
        const Expr row = i[batched ? 1 : 0], frame = i[batched ? 2 : 1], part = i.back();
        const Expr t = w->var + ir::Int(before);
        std::vector<Expr> at{frame * frames.hop + t};
        if (batched) at.insert(at.begin(), i[0]);
        Expr element = ir::MakeCast(type, At(x, at));
        if (c.size() == 2) element = element * ir::MakeCast(type, At(c.in(1), {w->var}));
        // row t mod n keeps the angle small.
        const DataType wide = DataType::Int(64);
        const Expr turns = ir::FloorModulo(ir::MakeCast(wide, row) * ir::MakeCast(wide, t),
                                           Num(frames.size, wide));
        const Expr angle = ir::MakeCast(type, turns) *
                           Num(-2 * std::numbers::pi / static_cast<double>(frames.size), type);
        const Expr is_real = ir::Equal(part, Num(0, part->dtype));
        return te::Sum(
            element * ir::MakeSelect(is_real, Fn(fn::kCos, {angle}), Fn(fn::kSin, {angle})), {w});
      },
      "sum");
  const double factor =
      c.attrs.Bool("normalized") ? 1 / std::sqrt(static_cast<double>(frames.size)) : 1;
  return One(
      c.shape(),
      [&](const Indices& i) {
        const Expr y = At(sum, AsExprs(i));
        return ir::MakeCast(c.dtype(), factor == 1 ? y : y * Num(factor, type));
      },
      "y");
}

OpDef Stft() {
  return {
      .name = "stft",
      .doc =
          "The Fourier transforms of the frames of a real signal (Relay, PyTorch): y[k, m] = sum "
          "over t of window[t] x[m hop_length + t] e^(-2 pi i k t / n_fft), as [batch, k, m, 2] "
          "with the real and the imaginary part. A window that is shorter than a frame is in its "
          "middle.",
      .inputs = {{"data", "the signal, [length] or [batch, length]", kFloats},
                 {"window", "[win_length]; ones if it is left out", kFloats, 0}},
      .attrs = {Required(Int("n_fft", "the length of a frame", 1, 1, 1 << 20)),
                Int("hop_length", "the distance of frames; 0: n_fft / 4", 0, 0),
                Int("win_length", "the length of the window; 0: n_fft", 0, 0),
                Flag("normalized", "is the result divided by sqrt(n_fft)?", false),
                Flag("onesided", "only the first floor(n_fft / 2) + 1 frequencies?", true)},
      .kind = OpKind::kReduction,
      .optional_inputs = 1,
      .type = StftType,
      .compute = ComputeStft,
      .examples = {{{"T[n, 20]", "T[8]"}, {{"n_fft", IntAttr(8)}}},
                   {{"float32[20]"}, {{"n_fft", IntAttr(6)}, {"onesided", BoolAttr(false)}}},
                   {{"float32[2, 20]", "float32[5]"},
                    {{"n_fft", IntAttr(8)},
                     {"hop_length", IntAttr(3)},
                     {"win_length", IntAttr(5)},
                     {"normalized", BoolAttr(true)}}}}};
}

}  // namespace

std::vector<OpDef> Signal() {
  return {
      Window("hann_window", "The window of Hann, [size]: 0.5 - 0.5 cos(2 pi i / n).", 0.5, 0.5, 0),
      // ONNX has these coefficients, PyTorch and NumPy 0.54 and 0.46.
      Window("hamming_window",
             "The window of Hamming as ONNX has it, [size]: 25/46 - 21/46 cos(2 pi i / n).",
             25.0 / 46, 21.0 / 46, 0),
      Window("blackman_window",
             "The window of Blackman, [size]: 0.42 - 0.5 cos(2 pi i / n) + 0.08 cos(4 pi i / "
             "n).",
             0.42, 0.5, 0.08),
      Dft(), Idft(), Stft()};
}

}  // namespace lathe::graph::ops
