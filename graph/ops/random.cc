// Random numbers that depend on a key and a place only.
//
// Philox 4x32-10 [Salmon, Moraes, Dror, Shaw, 2011: Parallel random numbers: as easy as 1, 2, 3]:
// element i of a result, in row-major order, is made of the four words of block (i mod 2^32,
// i / 2^32, 0, 0) under the key (key mod 2^32, key / 2^32). So results are the same on every
// machine, with any schedule, and as long as the key is.
#include <array>
#include <numbers>

#include "graph/ops/define.h"
#include "graph/ops/families.h"
#include "graph/ops/loops.h"
#include "te/tags.h"

namespace lathe::graph::ops {
namespace {

namespace fn = ir::intrinsic;

constexpr DataType Word() { return DataType::UInt(32); }
constexpr DataType Wide() { return DataType::UInt(64); }

Expr WordOf(const Expr& wide) { return ir::MakeCast(Word(), wide); }
Expr HighWordOf(const Expr& wide) { return WordOf(Fn(fn::kShiftRight, {wide, Num(32, Wide())})); }
Expr Xor(const Expr& a, const Expr& b) { return Fn(fn::kBitwiseXor, {a, b}); }

// The words of the block number `at` under `key`, both of 64 bits.
std::array<Expr, 4> Block(const Expr& key, const Expr& at) {
  const auto constant = [](int64_t value) { return Num(value, Word()); };
  const auto product = [](const Expr& word, int64_t by) {
    return ir::MakeCast(Wide(), word) * Num(by, Wide());
  };
  std::array<Expr, 4> c{WordOf(at), HighWordOf(at), constant(0), constant(0)};
  std::array<Expr, 2> k{WordOf(key), HighWordOf(key)};
  for (int round = 0; round < 10; ++round) {
    const Expr a = product(c[0], 0xD2511F53), b = product(c[2], 0xCD9E8D57);
    c = {Xor(Xor(HighWordOf(b), c[1]), k[0]), WordOf(b), Xor(Xor(HighWordOf(a), c[3]), k[1]),
         WordOf(a)};
    k = {k[0] + constant(0x9E3779B9), k[1] + constant(0xBB67AE85)};
  }
  return c;
}

std::array<Expr, 4> BlockAt(const Tensor& key, const Indices& i, const te::Shape& shape) {
  Expr flat = Num(0, Wide());
  for (size_t d = 0; d < i.size(); ++d) {
    flat = flat * ir::MakeCast(Wide(), shape[d]) + ir::MakeCast(Wide(), i[d]);
  }
  return Block(ir::MakeCast(Wide(), At(key, {})), flat);
}

// The type that floats are computed in.
DataType ComputedIn(DataType dtype) { return DataType::Float(dtype.bits() == 64 ? 64 : 32); }

// A multiple of 2^-d in [0, 1), for the d digits of the type: every value is exact.
Expr Unit(const Expr& word, const Expr& next_word, DataType dtype) {
  if (dtype.bits() == 64) {
    const Expr bits =
        Fn(fn::kBitwiseOr, {Fn(fn::kShiftLeft, {ir::MakeCast(Wide(), word), Num(32, Wide())}),
                            ir::MakeCast(Wide(), next_word)});
    return ir::MakeCast(dtype, Fn(fn::kShiftRight, {bits, Num(11, Wide())})) * Num(0x1p-53, dtype);
  }
  const int digits = dtype.bits() == 32 ? 24 : dtype.is_bfloat16() ? 8 : 11;
  const DataType type = ComputedIn(dtype);
  return ir::MakeCast(type, Fn(fn::kShiftRight, {word, Num(32 - digits, Word())})) *
         Num(1.0 / static_cast<double>(int64_t{1} << digits), type);
}

OpInput Key() { return {"key", "the key, []: equal keys give equal numbers", kIntegers}; }

DataType NeedFloat(const TypeContext& c) {
  const DataType dtype = c.attrs.Type("dtype");
  if (!dtype.is_float() || dtype.bits() < 16) {
    c.FailAttr("dtype", "is no floating type", "float16, bfloat16, float32 or float64",
               c.attrs.String("dtype"));
  }
  return dtype;
}

// Numbers of a distribution; `number` makes one of a block.
OpDef Distribution(std::string name, std::string doc, std::vector<AttrDef> attrs,
                   std::function<Expr(const ComputeContext&, const std::array<Expr, 4>&)> number) {
  attrs.insert(attrs.begin(), {Extents("shape", "the shape of the result"),
                               ElementType("dtype", "the element type", "float32")});
  return {.name = std::move(name),
          .doc = std::move(doc),
          .inputs = {Key()},
          .attrs = std::move(attrs),
          .kind = OpKind::kOpaque,
          .type = [](const TypeContext& c) -> TypeResult {
            c.NeedRank(0, 0, 0);
            return TensorOf(NeedFloat(c), c.attrs.Shape("shape"));
          },
          .compute =
              [number = std::move(number)](const ComputeContext& c) {
                return One(
                    c.shape(),
                    [&](const Indices& i) {
                      return ir::MakeCast(c.dtype(), number(c, BlockAt(c.in(0), i, c.shape())));
                    },
                    "y");
              },
          .examples = {{{"T[] in 0:99"}, {{"shape", IntsAttr({3, 40})}}}}};
}

OpDef Uniform() {
  OpDef op = Distribution(
      "random.uniform",
      "Numbers of [low, high), each of as many digits as the type has: low + (high - low) u, for "
      "the first words u of Philox 4x32-10.",
      {Number("low", "the least number", 0), Number("high", "the bound", 1)},
      [](const ComputeContext& c, const std::array<Expr, 4>& words) {
        const double low = c.attrs.Float("low"), high = c.attrs.Float("high");
        const DataType type = ComputedIn(c.dtype());
        return Unit(words[0], words[1], c.dtype()) * Num(high - low, type) + Num(low, type);
      });
  for (const char* dtype : {"float64", "float16", "bfloat16"}) {
    op.examples.push_back({{"int64[] in 0:99"},
                           {{"shape", IntsAttr({31})},
                            {"dtype", StringAttr(dtype)},
                            {"low", FloatAttr(-2)},
                            {"high", FloatAttr(2)}}});
  }
  return op;
}

OpDef Normal() {
  OpDef op = Distribution(
      "random.normal",
      "Normally distributed numbers, by the method of Box and Muller: mean + scale sqrt(-2 ln(1 - "
      "u)) cos(2 pi v), for words u and v of Philox 4x32-10.",
      {Number("mean", "the mean", 0), Number("scale", "the standard deviation", 1)},
      [](const ComputeContext& c, const std::array<Expr, 4>& words) {
        const DataType type = ComputedIn(c.dtype());
        const Expr u = Unit(words[0], words[1], type), v = Unit(words[2], words[3], type);
        const Expr radius = Fn(fn::kSqrt, {Fn(fn::kLog, {Num(1, type) - u}) * Num(-2, type)});
        const Expr angle = v * Num(2 * std::numbers::pi, type);
        return radius * Fn(fn::kCos, {angle}) * Num(c.attrs.Float("scale"), type) +
               Num(c.attrs.Float("mean"), type);
      });
  for (const char* dtype : {"float64", "float16"}) {
    op.examples.push_back({{"int64[] in 0:99"},
                           {{"shape", IntsAttr({31})},
                            {"dtype", StringAttr(dtype)},
                            {"mean", FloatAttr(3)},
                            {"scale", FloatAttr(0.5)}}});
  }
  return op;
}

OpDef RandInt() {
  return {
      .name = "random.randint",
      .doc =
          "Whole numbers of [low, high): low + floor(u (high - low) / 2^32), for the first words u "
          "of Philox 4x32-10.",
      .inputs = {Key()},
      .attrs = {Extents("shape", "the shape of the result"),
                ElementType("dtype", "the element type", "int32"),
                Required(Int("low", "the least number", 0)),
                Required(Int("high", "the bound; at most 2^32 above", 0))},
      .kind = OpKind::kOpaque,
      .type = [](const TypeContext& c) -> TypeResult {
        c.NeedRank(0, 0, 0);
        const DataType dtype = c.attrs.Type("dtype");
        if (!dtype.is_integral() || dtype.is_bool()) {
          c.FailAttr("dtype", "is no integer type", "an integer type", c.attrs.String("dtype"));
        }
        const int64_t low = c.attrs.Int("low"), high = c.attrs.Int("high");
        // As unsigned numbers: the difference may be beyond 64 bits.
        const uint64_t count = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
        if (high <= low || count > uint64_t{1} << 32) {
          c.FailAttr("high", "is no bound for `low`",
                     "above " + std::to_string(low) + ", by at most 2^32", std::to_string(high));
        }
        return TensorOf(dtype, c.attrs.Shape("shape"));
      },
      .compute =
          [](const ComputeContext& c) {
            const int64_t low = c.attrs.Int("low"), count = c.attrs.Int("high") - low;
            return One(
                c.shape(),
                [&](const Indices& i) {
                  const Expr word = BlockAt(c.in(0), i, c.shape())[0];
                  const Expr product = ir::MakeCast(Wide(), word) * Num(count, Wide());
                  const Expr above = Fn(fn::kShiftRight, {product, Num(32, Wide())});
                  const DataType type = DataType::Int(64);
                  return ir::MakeCast(c.dtype(), ir::MakeCast(type, above) + Num(low, type));
                },
                "y");
          },
      .examples = {{{"T[] in 0:99"},
                    {{"shape", IntsAttr({3, 40})}, {"low", IntAttr(-3)}, {"high", IntAttr(4)}}},
                   {{"int64[] in 0:99"},
                    {{"shape", IntsAttr({31})},
                     {"dtype", StringAttr("uint8")},
                     {"low", IntAttr(0)},
                     {"high", IntAttr(256)}}},
                   {{"int64[] in 0:99"},
                    {{"shape", IntsAttr({31})},
                     {"dtype", StringAttr("int64")},
                     {"low", IntAttr(-(int64_t{1} << 31))},
                     {"high", IntAttr(int64_t{1} << 31)}}}}};
}

OpDef Bernoulli() {
  return {
      .name = "random.bernoulli",
      .doc =
          "1 with the probability that `data` says, else 0, element by element: u < data, for the "
          "first words u / 2^32 of Philox 4x32-10. The shape of `data`.",
      .inputs = {Key(), {"data", "probabilities", kFloats}},
      .attrs = {ElementType("dtype", "the element type of the result; \"\": that of `data`")},
      .kind = OpKind::kOpaque,
      .type = [](const TypeContext& c) -> TypeResult {
        c.NeedRank(0, 0, 0);
        const DataType dtype = c.attrs.Type("dtype");
        return TensorOf(dtype.is_void() ? c.dtype(1) : dtype, c.shape(1));
      },
      .compute =
          [](const ComputeContext& c) {
            return One(
                c.shape(),
                [&](const Indices& i) {
                  // In 64 bits, so that a probability of 1 is always above u.
                  const DataType type = DataType::Float(64);
                  const Expr u = ir::MakeCast(type, BlockAt(c.in(0), i, c.shape())[0]);
                  const Expr p = ir::MakeCast(type, At(c.in(1), AsExprs(i)));
                  return ir::MakeCast(c.dtype(), u < p * Num(0x1p32, type));
                },
                "y");
          },
      .examples = {{{"int64[] in 0:99", "T[n, 9] in 0:1"}},
                   {{"uint32[] in 0:99", "float32[n, 9] in 0:1"}, {{"dtype", StringAttr("bool")}}},
                   {{"int64[] in 0:99", "float32[n] in 1:1"}, {{"dtype", StringAttr("int8")}}}}};
}

// The sums of the first 1, 2, ... probabilities of each row, in order, so that they are the same on
// every machine. Negative probabilities count as 0.
Tensor RunningSums(const Tensor& data) {
  const DataType type = DataType::Float(64);
  te::Shape rows(data->shape().begin(), data->shape().end() - 1);
  const Expr classes = data->shape().back();
  return OneExtern(
      data->shape(), type, {data},
      [&](const std::vector<Buffer>& in, const Buffer& out) {
        return ForEach(rows, [&](const std::vector<Expr>& row) {
          return ForRange(Num(0, classes->dtype), classes, "k", [&](const Expr& k) {
            std::vector<Expr> at = row, before = row;
            at.push_back(k);
            before.push_back(k - Num(1, k->dtype));
            const Expr p = ir::MakeMax(ir::MakeCast(type, LoadAt(in[0], at)), Num(0, type));
            const Expr sum =
                ir::IfThenElse(k < Num(1, k->dtype), Num(0, type), LoadAt(out, before));
            return StoreAt(out, sum + p, at);
          });
        });
      },
      "sums")[0];
}

Results ComputeMultinomial(const ComputeContext& c) {
  const DataType type = DataType::Float(64);
  const Tensor sums = RunningSums(c.in(1));
  const Expr classes = c.in(1)->shape().back();
  const ir::IterVar k = te::ReduceAxis(Num(0, classes->dtype), classes, "k");
  const Tensor below = te::Compute(
      c.shape(),
      [&](const Indices& i) {
        std::vector<Expr> at = AsExprs(i), last = AsExprs(i);
        at.back() = k->var;
        last.back() = classes - Num(1, classes->dtype);
        const Expr u = ir::MakeCast(type, BlockAt(c.in(0), i, c.shape())[0]) * Num(0x1p-32, type);
        const Expr is_below = At(sums, at) <= u * At(sums, last);
        return te::Sum(ir::MakeCast(DataType::Int(32), is_below), {k});
      },
      "below");
  return One(
      c.shape(),
      [&](const Indices& i) {
        // Without any probability it is the last class.
        const Expr last = ir::MakeCast(DataType::Int(32), classes - Num(1, classes->dtype));
        return ir::MakeCast(c.dtype(), ir::MakeMin(At(below, AsExprs(i)), last));
      },
      "y");
}

OpDef Multinomial() {
  return {
      .name = "random.multinomial",
      .doc =
          "Classes, drawn with their probabilities, which need not sum to 1; negative ones count "
          "as 0: [..., num_samples]. A sample is the first class whose running sum is above u "
          "times the sum of all, for the first words u / 2^32 of Philox 4x32-10.",
      .inputs = {Key(), {"data", "probabilities [..., classes]", kFloats}},
      .attrs = {Int("num_samples", "how many are drawn for each row", 1, 1),
                ElementType("dtype", "the element type of the result, an integer", "int32")},
      .kind = OpKind::kOpaque,
      .type = [](const TypeContext& c) -> TypeResult {
        c.NeedRank(0, 0, 0);
        c.NeedRank(1, 1, INT32_MAX);
        const DataType dtype = c.attrs.Type("dtype");
        if (!dtype.is_int() && !dtype.is_uint()) {
          c.FailAttr("dtype", "is no integer type", "int32 or int64", c.attrs.String("dtype"));
        }
        Shape out = c.shape(1);
        out.back() = ir::Int(c.attrs.Int("num_samples"), DataType::Int(64));
        return TensorOf(dtype, std::move(out));
      },
      .compute = ComputeMultinomial,
      .examples = {{{"int64[] in 0:99", "T[n, 7] in 0:1"}, {{"num_samples", IntAttr(9)}}},
                   {{"int32[] in 0:99", "float32[7] in -1:1"},
                    {{"num_samples", IntAttr(20)}, {"dtype", StringAttr("int64")}}}}};
}

}  // namespace

std::vector<OpDef> Random() { return {Uniform(), Normal(), RandInt(), Bernoulli(), Multinomial()}; }

}  // namespace lathe::graph::ops
