#include "plugins/host/intrinsics.h"

#include <numeric>

#include "base/error.h"
#include "gtest/gtest.h"
#include "ir/text/parser.h"
#include "ir/verifier.h"

namespace lathe::plugins {
namespace {

constexpr const char* kDma = R"(given var n: size
given var m: size
func body(to: float32[n], from: float32[m], rows: int32, stride: int32) {
  for r in range(rows) {
    for c in range(4) {
      to[r * 4 + c] = from[r * stride + c]
    }
  }
})";

target::TargetSchema Schema(std::vector<target::Intrinsic> intrinsics) {
  target::TargetSchema schema;
  schema.kind = "acme";
  schema.machine.intrinsics = std::move(intrinsics);
  return schema;
}

std::string NameOf(const std::vector<target::Intrinsic>& intrinsics) {
  try {
    RegisterIntrinsics(Schema(intrinsics), "acme 1.0");
  } catch (const Error& error) {
    return error.name();
  }
  return "";
}

TEST(ManifestIntrinsics, CallsRunTheirReferenceBodies) {
  ASSERT_EQ(NameOf({{"acme.dma", "write", kDma, "copies rows of four"}}), "");
  ASSERT_EQ(NameOf({{"acme.dma", "write", kDma, "copies rows of four"}}), "");  // registered once
  const ir::Intrinsic& entry = ir::GetIntrinsic("acme.dma");
  EXPECT_EQ(entry.args.size(), 4u);
  EXPECT_EQ(entry.args[0], ir::ArgKind::kHandle);
  EXPECT_EQ(entry.args[2], ir::ArgKind::kInteger);
  EXPECT_EQ(entry.effect, ir::CallEffect::kWrites);
  const ir::Module module = ir::ParseModule(R"(func f(A: float32[8, 8], B: float32[4, 4]) {
  evaluate acme.dma<void>(access_ptr(B, 0, 16, 2), address_of(A[2, 1]), 4, 8)
})");
  ir::VerifyModule(module, ir::Stage::kTile);
  float a[64], b[16] = {};
  std::iota(a, a + 64, 0.0f);
  const std::vector<ir::InterpValue> args = {ir::InterpTensor::Of(a, DataType::Float(32), {8, 8}),
                                             ir::InterpTensor::Of(b, DataType::Float(32), {4, 4})};
  ir::InterpretOptions options;
  options.call_extern = ReferenceBodies();
  ir::Interpret(module, "f", args, options);
  for (int i = 0; i < 16; ++i) EXPECT_EQ(b[i], a[(2 + i / 4) * 8 + 1 + i % 4]) << i;
}

TEST(ManifestIntrinsics, MemoryThatEndsTooEarly) {
  ASSERT_EQ(
      NameOf({{"acme.zero16", "write",
               "func body(to: float32[16]) {\n for i in range(16) {\n to[i] = 0.0\n }\n}", ""}}),
      "");
  const ir::Module module = ir::ParseModule(R"(func f(A: float32[20]) {
  evaluate acme.zero16<void>(address_of(A[5]))
})");
  float a[20];
  const std::vector<ir::InterpValue> args = {ir::InterpTensor::Of(a, DataType::Float(32), {20})};
  ir::InterpretOptions options;
  options.call_extern = ReferenceBodies();
  try {
    ir::Interpret(module, "f", args, options);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.name(), "interpret-out-of-bounds") << error.what();
  }
}

TEST(ManifestIntrinsics, ValuesComeBack) {
  ASSERT_EQ(NameOf({{"acme.sum", "pure", R"(func body(a: int32, b: int32) -> int32 {
  evaluate return<void>(a * 10 + b)
})",
                     ""}}),
            "");
  const ir::Module module = ir::ParseModule(R"(func f(A: int32[1]) {
  A[0] = acme.sum<int32>(4, 2)
})");
  int32_t a = 0;
  const std::vector<ir::InterpValue> args = {ir::InterpTensor::Of(&a, DataType::Int(32), {1})};
  ir::InterpretOptions options;
  options.call_extern = ReferenceBodies();
  ir::Interpret(module, "f", args, options);
  EXPECT_EQ(a, 42);
}

TEST(ManifestIntrinsics, WhatDoesNotFit) {
  EXPECT_EQ(NameOf({{"acme.two", "write", "func a() {\n}\nfunc b() {\n}", ""}}),
            "manifest-intrinsic");
  EXPECT_EQ(NameOf({{"acme.flat", "write", "func a(x: float32[4, 4]) {\n}", ""}}),
            "manifest-intrinsic");
  EXPECT_NE(NameOf({{"acme.text", "write", "func a(", ""}}), "");
  ASSERT_EQ(NameOf({{"acme.none", "opaque", "", ""}}), "");
  EXPECT_EQ(NameOf({{"acme.none", "opaque", "func a() {\n}", ""}}), "manifest-intrinsic");
}

}  // namespace
}  // namespace lathe::plugins
