// Programs on types that a target lacks, compared with the unchanged programs in the interpreter:
// every pattern of every type. The address sanitizer gets a part of the values: it would take
// minutes for all of them, and looks for other bugs.
#include "lower/legalize_dtypes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "base/address_sanitizer.h"
#include "base/error.h"
#include "base/float_formats.h"
#include "ir/interpreter/interpreter.h"
#include "ir/intrinsic.h"
#include "ir/module.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "ir/walk.h"
#include "lower/pipeline.h"
#include "lower/small_floats.h"
#include "tests/check/check_passes.h"

namespace lathe::lower {
namespace {

using ir::InterpTensor;

const DataType kF32 = DataType::Float(32);

std::vector<DataType> SmallFloats() {
  std::vector<DataType> out;
  for (const char* name :
       {"float16", "bfloat16", "float8_e3m4", "float8_e4m3", "float8_e4m3b11fnuz", "float8_e4m3fn",
        "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz"}) {
    DataType type;
    EXPECT_TRUE(DataType::Parse(name, &type)) << name;
    out.push_back(type);
  }
  return out;
}

// A target that lacks the types of `lacking` and, unless `converts`, conversions of them too.
PassContext Without(std::vector<DataType> lacking, bool converts = false) {
  PassContext context;
  context.supports = [lacking, converts](std::string_view operation, DataType dtype) {
    for (const DataType type : lacking) {
      if (dtype == type) return operation == "cast" && converts;
    }
    return true;
  };
  context.verify = true;
  return context;
}

ir::Module Legal(const ir::Module& module, const PassContext& context) {
  const Pass pass = {"legalize_dtypes", "", LegalizeDtypes, ir::Stage::kTile};
  return RunPasses(module, {&pass, 1}, context);
}

// Counts the values and memory accesses of the type.
int Uses(const ir::Module& module, DataType type) {
  int uses = 0;
  ir::PostOrder(module->functions[0]->body, [&](const ir::Node& node) {
    if (ir::IsExpr(&node))
      uses += static_cast<const ir::ExprNode&>(node).dtype.element_of() == type;
  });
  return uses;
}

std::vector<uint8_t> AllPatterns(DataType type) {
  const size_t width = static_cast<size_t>(type.bytes()), count = size_t{1} << type.bits();
  std::vector<uint8_t> out(width * count);
  for (size_t i = 0; i < count; ++i) std::memcpy(&out[i * width], &i, width);
  return out;
}

// Returns the bits of a value of the type. All NaNs give the same result.
uint64_t Canonical(const uint8_t* at, DataType type) {
  uint64_t bits = 0;
  std::memcpy(&bits, at, static_cast<size_t>(type.bytes()));
  return type.is_float() && std::isnan(DecodeFloat(bits, type)) ? ~uint64_t{0} : bits;
}

void ExpectSame(const std::vector<uint8_t>& expected, const std::vector<uint8_t>& found,
                DataType type, const std::string& what) {
  const auto width = static_cast<size_t>(type.bytes());
  for (size_t i = 0; i < expected.size(); i += width) {
    ASSERT_EQ(Canonical(&expected[i], type), Canonical(&found[i], type))
        << what << ", element " << i / width;
  }
}

void RunWith(const ir::Module& module,
             std::vector<std::pair<std::vector<uint8_t>*, DataType>> args) {
  std::vector<ir::InterpValue> values;
  for (auto& [bytes, type] : args) {
    values.emplace_back(InterpTensor::Of(bytes->data(), type,
                                         {static_cast<int64_t>(bytes->size()) / type.bytes()}));
  }
  ir::Interpret(module, module->functions[0]->name, values);
}

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

TEST(SmallFloats, EveryPatternIsDecoded) {
  for (const DataType type : SmallFloats()) {
    std::vector<uint8_t> in = AllPatterns(type);
    const size_t count = size_t{1} << type.bits();
    std::vector<uint8_t> expected(count * 4), found(count * 4);
    const ir::Module module = ir::ParseModule(Replaced(
        "func f(A: T[n: size], C: float32[n]) { for i in range(n) { C[i] = float32(A[i]) } }", "T",
        type.ToString()));
    RunWith(module, {{&in, type}, {&expected, kF32}});
    const ir::Module legal = Legal(module, Without({type}));
    EXPECT_EQ(Uses(legal, type), 0) << ir::ToText(legal);
    RunWith(legal, {{&in, type}, {&found, kF32}});
    ExpectSame(expected, found, kF32, type.ToString());
    const ir::Module converted = Legal(module, Without({type}, true));
    RunWith(converted, {{&in, type}, {&found, kF32}});
    ExpectSame(expected, found, kF32, type.ToString() + " by casts");
  }
}

// Values equal to, between and next to all values of the type, from float32 and from float64.
TEST(SmallFloats, RoundedOnceToNearestEven) {
  for (const DataType type : SmallFloats()) {
    std::vector<double> values = {0.0,       -0.0, 1e300, -1e300, 1e-300, HUGE_VAL,
                                  -HUGE_VAL, NAN,  3e38,  1e-45,  1.5e-45};
    const size_t count = size_t{1} << type.bits();
    for (size_t i = 0; i < count; i += kAddressSanitizer && type.bits() > 8 ? 61 : 1) {
      const double value = DecodeFloat(i, type), next = DecodeFloat((i + 1) % count, type);
      values.push_back(value);
      if (!std::isfinite(value) || !std::isfinite(next)) continue;
      const double middle = (value + next) / 2;
      for (const double at :
           {middle, std::nextafter(middle, 1e9), std::nextafter(middle, -1e9),
            static_cast<double>(std::nextafter(static_cast<float>(middle), 1e9f)),
            static_cast<double>(std::nextafter(static_cast<float>(middle), -1e9f))})
        values.push_back(at);
    }
    const double largest = std::abs(DecodeFloat(EncodeFloat(1e5, type), type));
    for (double step = 0.9; step < 1.2; step += 0.001) values.push_back(largest * step);
    for (const DataType from : {kF32, DataType::Float(64)}) {
      std::vector<uint8_t> in(values.size() * static_cast<size_t>(from.bytes()));
      for (size_t i = 0; i < values.size(); ++i) {
        const uint64_t bits = EncodeFloat(values[i], from);
        std::memcpy(&in[i * static_cast<size_t>(from.bytes())], &bits,
                    static_cast<size_t>(from.bytes()));
      }
      std::vector<uint8_t> expected(values.size() * static_cast<size_t>(type.bytes())),
          found(expected.size());
      const ir::Module module = ir::ParseModule(Replaced(
          Replaced("func f(A: FROM[n: size], C: T[n]) { for i in range(n) { C[i] = T(A[i]) } }",
                   "FROM", from.ToString()),
          "T", type.ToString()));
      RunWith(module, {{&in, from}, {&expected, type}});
      const ir::Module legal = Legal(module, Without({type}));
      EXPECT_EQ(Uses(legal, type), 0);
      RunWith(legal, {{&in, from}, {&found, type}});
      ExpectSame(expected, found, type, from.ToString() + " to " + type.ToString());
    }
  }
}

// A load or an operation may become expressions that define names. If it is shared, each use gets
// its own copy. If the copies would be too large, that is an error.
TEST(Legalize, WhatIsSharedIsDefinedForEachUse) {
  DataType type;
  ASSERT_TRUE(DataType::Parse("bfloat16", &type));
  const ir::Buffer a = ir::MakeBuffer("A", type, {ir::Int(1)}),
                   c = ir::MakeBuffer("C", type, {ir::Int(1)});
  const auto module = [&](int levels) {
    ir::Expr value = ir::MakeLoad(a, {ir::Int(0)});
    for (int level = 0; level < levels; ++level) value = value * value + value;
    return ir::MakeModule({ir::MakeFunc("f", {a, c}, ir::MakeStore(c, value, {ir::Int(0)}))});
  };
  std::vector<uint8_t> one = {0xc0, 0x3f}, expected(2), found(2);  // 1.5
  RunWith(module(2), {{&one, type}, {&expected, type}});
  RunWith(Legal(module(2), Without({type})), {{&one, type}, {&found, type}});
  EXPECT_EQ(found, expected);
  try {
    Legal(module(30), Without({type}));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.name(), "tree-too-large") << error.what();
  }
}

// Every operation, each rounded once: all pairs of 8-bit values, many pairs of 16-bit values.
TEST(Legalize, SmallFloatArithmeticIsTheInterpreters) {
  std::mt19937_64 random(5);
  for (const DataType type : SmallFloats()) {
    const auto width = static_cast<size_t>(type.bytes());
    std::vector<uint8_t> a, b;
    const size_t count = type.bits() == 8 ? size_t{1} << 16 : size_t{1} << 14;
    // Every third pair of bytes; each byte is met with a third of the others.
    for (size_t i = 0; i < count; i += kAddressSanitizer ? 61 : 3) {
      const uint64_t x = type.bits() == 8 ? i & 255 : random(),
                     y = type.bits() == 8 ? i >> 8 : random();
      a.insert(a.end(), reinterpret_cast<const uint8_t*>(&x),
               reinterpret_cast<const uint8_t*>(&x) + width);
      b.insert(b.end(), reinterpret_cast<const uint8_t*>(&y),
               reinterpret_cast<const uint8_t*>(&y) + width);
    }
    int done = 0;
    for (const char* op :
         {"A[i] + B[i]", "A[i] - B[i]", "A[i] * B[i]", "A[i] / B[i]", "min(A[i], B[i])",
          "max(A[i], B[i])", "select(A[i] < B[i], A[i] * B[i] + A[i], T(0.5))",
          "if_then_else(A[i] == B[i], sqrt(A[i]), abs(B[i]))",
          "T(int32(floor(min(max(A[i], T(0.0)), T(9.0)))))",
          "let x: T = A[i] - T(1.0) in x * x - B[i]"}) {
      const ir::Module module = ir::ParseModule(Replaced(
          Replaced("func f(A: T[n: size], B: T[n], C: T[n]) { for i in range(n) { C[i] = OP } }",
                   "OP", op),
          "T", type.ToString()));
      // Functions composed of the four operations need fewer cases.
      if (++done == 5) {
        std::vector<uint8_t> fewer_a, fewer_b;
        for (size_t i = 0; i + width <= a.size(); i += 13 * width) {
          for (size_t k = 0; k < width; ++k)
            fewer_a.push_back(a[i + k]), fewer_b.push_back(b[i + k]);
        }
        a = fewer_a, b = fewer_b;
      }
      std::vector<uint8_t> expected(a.size()), found(a.size());
      RunWith(module, {{&a, type}, {&b, type}, {&expected, type}});
      for (const bool converts : {false, true}) {
        const ir::Module legal = Legal(module, Without({type}, converts));
        if (!converts) EXPECT_EQ(Uses(legal, type), 0) << ir::ToText(legal);
        RunWith(legal, {{&a, type}, {&b, type}, {&found, type}});
        ExpectSame(expected, found, type, type.ToString() + ": " + op);
      }
    }
  }
}

TEST(Legalize, SubByteIntegersAreTheInterpreters) {
  for (const char* name : {"int4", "uint4", "uint1", "int2", "uint2"}) {
    DataType type;
    ASSERT_TRUE(DataType::Parse(name, &type));
    const int64_t values = int64_t{1} << type.bits();
    std::vector<uint8_t> a, b;
    for (int64_t i = 0; i < values * values; ++i) {
      a.push_back(static_cast<uint8_t>(i % values));
      b.push_back(static_cast<uint8_t>(i / values));
    }
    for (const char* op :
         {"A[i] + B[i]", "A[i] - B[i]", "A[i] * B[i]",
          "if_then_else(B[i] != T(0), A[i] // B[i], T(1))",
          "if_then_else(B[i] != T(0), truncmod(A[i], B[i]), T(1))", "max(A[i], B[i]) * T(1)",
          "bitwise_xor(A[i], bitwise_not(B[i]))", "select(A[i] < B[i], A[i] + A[i] + A[i], B[i])",
          "T(int32(A[i]) * 100)", "T(float32(A[i]) * 0.5)"}) {
      const ir::Module module = ir::ParseModule(Replaced(
          Replaced("func f(A: T[n: size], B: T[n], C: T[n]) { for i in range(n) { C[i] = OP } }",
                   "OP", op),
          "T", name));
      std::vector<uint8_t> expected(a.size()), found(a.size());
      RunWith(module, {{&a, type}, {&b, type}, {&expected, type}});
      const ir::Module legal = Legal(module, Without({type}));
      EXPECT_EQ(Uses(legal, type), 0) << ir::ToText(legal);
      RunWith(legal, {{&a, type}, {&b, type}, {&found, type}});
      EXPECT_EQ(expected, found) << name << ": " << op << "\n" << ir::ToText(legal);
    }
  }
}

// A function's own memory, scalars, lets and several statements, then the rest of the pipeline.
TEST(Legalize, WholeProgramsThroughThePipeline) {
  for (const char* name : {"float16", "bfloat16", "float8_e4m3fn", "int4", "uint4"}) {
    DataType type;
    ASSERT_TRUE(DataType::Parse(name, &type));
    // The upper half of an int4's byte is padding, which need not be kept.
    const std::string out = type.is_float() ? name : "float32";
    const std::string text = R"(
func f(A: @T[n: size, 8], C: @OUT[n, 8], D: float32[n]) {
  allocate S: @T[8]
  for i in range(n) {
    vectorized for j in range(8) { S[j] = A[i, j] * A[i, 7 - j] }
    let first: @T = S[0] + A[i, 1]
    D[i] = float32(first)
    parallel for j in range(8) { C[i, j] = @OUT(if_then_else(j > 2, S[j] + first, first)) }
  }
})";
    const ir::Module module = ir::ParseModule(Replaced(Replaced(text, "@OUT", out), "@T", name));
    for (const bool converts : {false, true}) {
      if (converts && !type.is_float()) continue;
      try {
        const ir::Module legal =
            CheckPasses(module, TargetPasses(), {5}, 3, Without({type}, converts));
        CheckPasses(legal, FlatPasses(), {5}, 3, {});
      } catch (const Error& error) {
        FAIL() << error.what();
      }
    }
  }
}

TEST(Legalize, ScalarsAreRoundedAtEntry) {
  const ir::Module module =
      ir::ParseModule("func f(C: float32[1], x: bfloat16) { C[0] = float32(x) }");
  const ir::Module legal = Legal(module, Without({DataType::BFloat16()}));
  float out = 0;
  ir::Interpret(legal, "f",
                std::vector<ir::InterpValue>{InterpTensor::Of(&out, kF32, {1}),
                                             ir::InterpValue::Float(1.00390625)});
  EXPECT_EQ(out, 1.0f);
}

TEST(Legalize, VectorsOfConditionsStayLoops) {
  const ir::Module module = ir::ParseModule(R"(
func f(A: float32[16], C: float32[16]) {
  vectorized for i in range(8) { C[i] = A[i] * 2.0 }
  vectorized for i in range(8) { C[i + 8] = select(A[i] > 0.0, A[i], 1.0) }
})");
  const ir::Module legal = Legal(module, Without({DataType::Bool()}));
  std::vector<ir::ForKind> kinds;
  ir::ForEach<ir::For>(legal, [&](const ir::For& loop) { kinds.push_back(loop.for_kind); });
  EXPECT_EQ(kinds, (std::vector<ir::ForKind>{ir::ForKind::kVectorized, ir::ForKind::kSerial}));
}

TEST(Legalize, WhatTheTargetHasIsLeftAlone) {
  const ir::Module module = ir::ParseModule(
      "func f(A: float16[4], C: float16[4]) { for i in range(4) { C[i] = A[i] * A[i] } }");
  EXPECT_TRUE(Legal(module, PassContext()).same_as(module));
  EXPECT_TRUE(Legal(module, Without({DataType::BFloat16()})).same_as(module));
}

TEST(Legalize, WhatHasNoWiderFormIsRefused) {
  const auto refusal = [](const char* text, const char* name) {
    DataType type;
    EXPECT_TRUE(DataType::Parse(name, &type));
    try {
      Legal(ir::ParseModule(text), Without({type}));
      return std::string("no error");
    } catch (const Error& error) {
      return error.name();
    }
  };
  EXPECT_EQ(refusal("func f(A: float8_e8m0fnu[4], C: float32[4]) { C[0] = float32(A[0]) }",
                    "float8_e8m0fnu"),
            "legalize-unsupported");
  EXPECT_EQ(
      refusal("func f(A: float16[4], C: float32[4]) { C[0] = call_extern<float32>(\"g\", A[0]) }",
              "float16"),
      "legalize-unsupported");
  EXPECT_EQ(refusal("func f(A: uint4[4], C: uint4[4]) { C[0] = popcount(A[0]) }", "uint4"),
            "legalize-unsupported");
}

}  // namespace
}  // namespace lathe::lower
