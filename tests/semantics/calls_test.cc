// The calling convention: S30-S39. Each wrong call gives a clear error with what was expected and
// what was found. In other compilers most of these are crashes or wrong results.
#include "base/error.h"
#include "gtest/gtest.h"
#include "ir/interpreter/interpreter.h"
#include "ir/text/parser.h"
#include "lower/pipeline.h"

namespace lathe::semantics {
namespace {

using ir::InterpTensor;
using ir::InterpValue;

constexpr const char* kCopy =
    "given var n: size\n"
    "func f(A: float32[n], B: float32[n]) { for i in range(n) { B[i] = A[i] } }";

// A function over A and B, with buffers declared as in `params`.
std::string Declared(const std::string& params) {
  return "func f(" + params + ") { for i in range(4) { B[i] = A[i] } }";
}

class Call : public testing::Test {
 protected:
  // Calls the first function of `text` in its packed form; "none", or the diagnostic.
  std::string operator()(const std::string& text, const std::vector<InterpValue>& values) {
    try {
      ir::Interpret(lower::RunPasses(ir::ParseModule(text), lower::AllPasses(), {}), "f", values);
    } catch (const Error& error) {
      const Diagnostic& d = error.diagnostic();
      return d.name + ": " + d.message + d.expected + d.found;
    }
    return "none";
  }
  InterpTensor A(std::vector<int64_t> shape = {4}) {
    return InterpTensor::Of(a_, DataType::Float(32), std::move(shape));
  }
  InterpTensor B(std::vector<int64_t> shape = {4}) {
    return InterpTensor::Of(b_, DataType::Float(32), std::move(shape));
  }
  static void ExpectError(const std::string& found, const std::string& name,
                          const std::string& says) {
    EXPECT_TRUE(found.starts_with(name + ":")) << found;
    EXPECT_NE(found.find(says), std::string::npos) << found;
  }

  alignas(64) float a_[64] = {1, 2, 3, 4, 5, 6, 7, 8};
  alignas(64) float b_[64] = {};
};

TEST_F(Call, S30_ExtentsBeyond32BitsAreRefused) {
  InterpTensor wide = A({(int64_t{1} << 32) + 4});
  wide.strides = {0};
  ExpectError((*this)(kCopy, {wide, B()}), "call-argument-range", "4294967300");
}

TEST_F(Call, S31_NullStridesMeanCompactAndUnitExtentsHaveAnyStride) {
  const std::string f =
      "func f(A: float32[1, 4], B: float32[4]) { for i in range(4) { B[i] = A[0, i] } }";
  EXPECT_EQ((*this)(f, {A({1, 4}), B()}), "none");
  InterpTensor odd = A({1, 4});
  odd.strides = {77, 1};
  EXPECT_EQ((*this)(f, {odd, B()}), "none");
  odd.strides = {4, 2};
  ExpectError((*this)(f, {odd, B()}), "call-argument-strides", "`A`");
}

TEST_F(Call, S31_DeclaredStridesDoNotCountWhereNoStepIsMade) {
  const std::string f =
      "given var n: size\ngiven var s: int32\n"
      "func f(A: float32[n, 2](strides=[16, 1]), B: float32[n, 2](strides=[s, 1])) "
      "{ for i in range(n) { for j in range(2) { B[i, j] = A[i, j] } } }";
  auto view = [](InterpTensor tensor, int64_t stride) {
    tensor.strides = {stride, 1};
    return tensor;
  };
  EXPECT_EQ((*this)(f, {view(A({1, 2}), 77), view(B({1, 2}), -1)}), "none");
  EXPECT_EQ(b_[1], 2);
  EXPECT_EQ((*this)(f, {view(A({0, 2}), 77), view(B({0, 2}), int64_t{1} << 40)}), "none");
  EXPECT_EQ((*this)(f, {view(A({3, 2}), 16), view(B({3, 2}), 5)}), "none");
  ExpectError((*this)(f, {view(A({3, 2}), 15), view(B({3, 2}), 5)}), "call-argument-strides",
              "stride 0 of argument 0 (`A`)");
  // Not taken for another number by its low 32 bits.
  ExpectError((*this)(f, {view(A({3, 2}), 16), view(B({3, 2}), (int64_t{1} << 32) + 2)}),
              "call-argument-range", "4294967298");
  ExpectError((*this)(f, {view(A({3, 2}), 16), view(B({3, 2}), -2)}), "call-argument-strides",
              "is negative");
}

TEST_F(Call, S31_ElementsOfAnOutputHaveAPlaceOfTheirOwn) {
  const std::string f =
      "given var n: size\ngiven var m: size\ngiven var s: int64\ngiven var t: int64\n"
      "given var u: int64\ngiven var v: int64\n"
      "func f(A: float32[n, m](strides=[s, t]), B: float32[n, m](strides=[u, v])) "
      "{ for i in range(n) { for j in range(m) { B[i, j] = A[i, j] } } }";
  auto call = [&](int64_t n, int64_t m, int64_t u, int64_t v) {
    InterpTensor from = A({n, m}), to = B({n, m});
    from.strides = {0, 0};  // inputs may be broadcast
    to.strides = {u, v};
    return (*this)(f, {from, to});
  };
  EXPECT_EQ(call(2, 3, 3, 1), "none");
  EXPECT_EQ(call(2, 3, 1, 2), "none");  // transposed
  EXPECT_EQ(call(1, 3, 0, 1), "none");  // the stride of one row does not count
  EXPECT_EQ(call(0, 3, 0, 0), "none");
  for (const auto& [u, v] : {std::pair(0, 1), {3, 0}, {1, 1}, {2, 1}, {0, 0}}) {
    ExpectError(call(2, 3, u, v), "call-argument-strides", "argument 1 (`B`)");
    ExpectError(call(2, 3, u, v), "call-argument-strides", "share memory");
  }
}

TEST_F(Call, S32_BroadcastBuffersHaveStrideZero) {
  const std::string f =
      "given var n: size\nfunc f(A: float32[n, 4](strides=[0i64, 1i64]), B: float32[4]) "
      "{ for i in range(4) { B[i] = A[n - 1, i] } }";
  InterpTensor rows = A({3, 4});
  rows.strides = {0, 1};
  EXPECT_EQ((*this)(f, {rows, B()}), "none");
  EXPECT_EQ(b_[3], 4);
  rows.strides = {4, 1};
  ExpectError((*this)(f, {rows, B()}), "call-argument-strides", "stride 0");
}

TEST_F(Call, S33_OffsetsAreWholeElementsAndMultiplesOfTheFactor) {
  const std::string f =
      "given var o: int64\n" + Declared("A: float32[4](offset=o, offset_factor=4), B: float32[4]");
  InterpTensor view = A();
  view.byte_offset = 16;
  EXPECT_EQ((*this)(f, {view, B()}), "none");
  EXPECT_EQ(b_[0], 5);
  view.byte_offset = 8;
  ExpectError((*this)(f, {view, B()}), "call-argument-offset", "multiple");
  view.byte_offset = 2;
  ExpectError((*this)(f, {view, B()}), "call-argument-offset", "divisible");
}

TEST_F(Call, S34_OnlyADeclaredAlignmentIsAsserted) {
  EXPECT_EQ((*this)(Declared("A: float32[4], B: float32[4]"),
                    {InterpTensor::Of(a_ + 1, DataType::Float(32), {4}), B()}),
            "none");
  InterpTensor view = A();
  view.byte_offset = 4;
  ExpectError((*this)(Declared("A: float32[4](align=64), B: float32[4]"), {view, B()}),
              "call-argument-alignment", "`A`");
}

TEST_F(Call, S35_EveryMisfitNamesTheArgument) {
  ExpectError((*this)(kCopy, {A()}), "call-argument-count", "2");
  ExpectError((*this)(kCopy, {A(), InterpValue::String("x")}), "call-argument-kind", "`B`");
  ExpectError((*this)(kCopy, {A(), InterpValue::String("x")}), "call-argument-kind",
              "found: a string");
  ExpectError((*this)(kCopy, {A(), B({2, 2})}), "call-argument-rank", "argument 1 (`B`)");
  ExpectError((*this)(kCopy, {A(), B({5})}), "call-argument-shape", "5");
  InterpTensor other = B();
  other.dtype = DataType::Int(32);
  ExpectError((*this)(kCopy, {A(), other}), "call-argument-dtype", "found: int32");
  InterpTensor spread = B();
  spread.strides = {2};
  ExpectError((*this)(kCopy, {A(), spread}), "call-argument-strides", "2");
}

TEST_F(Call, S36_ANullTensorIsAnErrorNotARead) {
  InterpValue null;
  null.kind = LATHE_VALUE_DLTENSOR;
  ExpectError((*this)(kCopy, {null, B()}), "call-argument-null", "`A`");
  ExpectError((*this)(kCopy, {InterpValue(), B()}), "call-argument-null", "`A`");
}

// A known fault of other compilers: bool was accepted as int8, and 4-bit integers as 8-bit ones.
TEST_F(Call, S37_NoTypeEscapesTheCheck) {
  for (const char* declared : {"bool", "int4", "int16", "uint8", "bfloat16", "float16"}) {
    const std::string f = std::string("func f(A: ") + declared +
                          "[4], B: float32[4]) { for i in range(4) { B[i] = float32(A[i]) } }";
    InterpTensor other = A();
    other.dtype = std::string(declared) == "bool" ? DataType::Int(8) : DataType::Bool();
    ExpectError((*this)(f, {other, B()}), "call-argument-dtype", declared);
  }
}

TEST_F(Call, S38_AllTensorsAreOnOneDevice) {
  InterpTensor elsewhere = B();
  elsewhere.device = {kDLCUDA, 0};
  ExpectError((*this)(kCopy, {A(), elsewhere}), "call-argument-device", "`B`");
  elsewhere.device = {kDLCPU, 1};
  ExpectError((*this)(kCopy, {A(), elsewhere}), "call-argument-device", "`B`");
}

TEST_F(Call, S39_ARepeatedSizeIsBoundOnceThenAsserted) {
  EXPECT_EQ((*this)(kCopy, {A({3}), B({3})}), "none");
  const std::string found = (*this)(kCopy, {A({4}), B({3})});
  ExpectError(found, "call-argument-shape", "`B`");
  // All checks come before the body.
  EXPECT_EQ(b_[3], 0);
}

// Data may be null if there are no elements.
TEST_F(Call, S50_EmptyTensorsNeedNoMemory) {
  EXPECT_EQ((*this)(kCopy, {InterpTensor::Of(nullptr, DataType::Float(32), {0}),
                            InterpTensor::Of(nullptr, DataType::Float(32), {0})}),
            "none");
  ExpectError((*this)(kCopy, {InterpTensor::Of(nullptr, DataType::Float(32), {4}), B()}),
              "call-argument-null", "`A`");
}

}  // namespace
}  // namespace lathe::semantics
