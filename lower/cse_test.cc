// Functions as text in and text out.
#include "lower/cse.h"

#include <gtest/gtest.h>

#include <chrono>

#include "ir/intrinsic.h"
#include "ir/module.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "ir/walk.h"

namespace lathe::lower {
namespace {

using ir::Expr;
using ir::Int;

const char kHead[] =
    "func f(A: float32[64], B: float32[64], C: int32[64], n: int32, x: int32, p: handle) {\n";

void ExpectBecomes(const std::string& body, const std::string& expected) {
  const ir::Module before = ir::ParseModule(kHead + body + "}"), after = Cse(before, PassContext());
  EXPECT_EQ(ir::ToText(after), ir::ToText(ir::ParseModule(kHead + expected + "}")));
  EXPECT_TRUE(Cse(after, PassContext()).same_as(after)) << "again: " << ir::ToText(after);
}

void ExpectKept(const std::string& body) {
  const ir::Module before = ir::ParseModule(kHead + body + "}"), after = Cse(before, PassContext());
  EXPECT_TRUE(after.same_as(before)) << ir::ToText(after);
}

TEST(Cse, WithinOneExpression) {
  ExpectBecomes("C[0] = (n * x + 3) // (n * x + 3 + x)",
                "let cse0: int32 = n * x + 3; C[0] = cse0 // (cse0 + x)");
  // The whole common expression, not its parts.
  ExpectBecomes("C[0] = (n * x + 3) * (n * x + 3)",
                "let cse0: int32 = n * x + 3; C[0] = cse0 * cse0");
  // A part that is also used elsewhere.
  ExpectBecomes("C[0] = (n * x + 3) * (n * x + 3) + n * x",
                "let cse0: int32 = n * x; let cse1: int32 = cse0 + 3; C[0] = cse1 * cse1 + cse0");
}

TEST(Cse, AcrossStatementsAndIntoTheBlocksAfterwards) {
  ExpectBecomes(
      "A[n * x] = 1.0; for i in range(n) { B[n * x + i * i] = 2.0 }; B[0] = 3.0",
      "let cse0: int32 = n * x; A[cse0] = 1.0; for i in range(n) { B[cse0 + i * i] = 2.0 }"
      "; B[0] = 3.0");
  // At the innermost common place.
  ExpectBecomes("B[0] = 3.0; for i in range(n) { A[n * i] = 1.0; B[n * i] = 2.0 }",
                "B[0] = 3.0; for i in range(n) { let cse0: int32 = n * i; A[cse0] = 1.0; "
                "B[cse0] = 2.0 }");
}

TEST(Cse, TwoBlocksEachHaveTheirOwn) {
  ExpectBecomes(
      "for i in range(n) { A[n * x] = 1.0; B[n * x] = 2.0 }; "
      "for j in range(n) { A[n * x] = 1.0; B[n * x] = 2.0 }",
      "for i in range(n) { let cse0: int32 = n * x; A[cse0] = 1.0; B[cse0] = 2.0 }; "
      "for j in range(n) { let cse1: int32 = n * x; A[cse1] = 1.0; B[cse1] = 2.0 }");
}

TEST(Cse, NothingIsComputedThatWasNotBefore) {
  // Loops that may be empty, arms that may not be taken.
  ExpectKept("for i in range(n) { C[i] = n // x }; for j in range(n) { C[j + 1] = n // x }");
  ExpectKept("if x != 0 { C[0] = n // x }; C[1] = 0; if x != 0 { C[2] = n // x }");
  ExpectKept("if x > 0 { C[0] = n // x } else { C[1] = n // x }");
  ExpectKept("C[0] = if_then_else(x != 0, n // x + (n // x) * 2, 0)");
  ExpectKept("assert n < 3, \"too-large\", \"{0} {1}\", n // x, n // x");
  // Not before the assertion.
  ExpectBecomes("assert x != 0, \"zero\", \"zero\"; C[0] = n // x; C[1] = n // x",
                "assert x != 0, \"zero\", \"zero\"; let cse0: int32 = n // x; C[0] = cse0; "
                "C[1] = cse0");
  // A use that certainly runs decides. The guarded use after it reads the variable.
  ExpectBecomes("C[0] = n // x; if x != 0 { C[1] = n // x }",
                "let cse0: int32 = n // x; C[0] = cse0; if x != 0 { C[1] = cse0 }");
  ExpectBecomes("C[0] = if_then_else(x != 0, n // x, 0) + n // x",
                "let cse0: int32 = n // x; C[0] = if_then_else(x != 0, cse0, 0) + cse0");
}

TEST(Cse, LoadsKeepTheirPlaceAmongStores) {
  ExpectBecomes("C[0] = C[1] * C[1]; B[0] = A[3] + 1.0; B[1] = A[3] + 1.0",
                "let cse0: int32 = C[1]; C[0] = cse0 * cse0; let cse1: float32 = A[3] + 1.0; "
                "B[0] = cse1; B[1] = cse1");
  ExpectKept("A[3] = A[4] + 1.0; A[4] = A[4] + 1.0; A[3] = A[4] * 2.0");
  ExpectKept("B[0] = A[n]; A[x] = 0.0; B[1] = A[n]");
  ExpectKept("B[0] = A[n]; for i in range(n) { B[i] = A[n]; A[i] = 0.0 }");
  ExpectKept("B[0] = A[n]; evaluate call_extern<int32>(\"f\", A); B[1] = A[n]");
  ExpectKept("while C[0] + C[0] < 10 { C[0] = 4 }");
  // The same memory under two names.
  ExpectKept("decl_buffer V: float32[4] = address_of(A[4]); B[0] = A[n]; V[x] = 0.0; B[1] = A[n]");
  ExpectBecomes("decl_buffer V: float32[4] = p; B[0] = A[n]; V[x] = 0.0; B[1] = A[n]",
                "decl_buffer V: float32[4] = p; let cse0: float32 = A[n]; B[0] = cse0; V[x] = 0.0; "
                "B[1] = cse0");
}

TEST(Cse, WhatIsNotWorthAVariableOrMustStay) {
  ExpectKept("A[x + 1] = 1.0; B[x + 1] = 2.0");
  ExpectKept("A[x] = float32(1); B[x] = 2.0; C[0] = int32(int64(x)); C[1] = int32(int64(n))");
  ExpectKept("if likely(x < n) { A[0] = 1.0 }; if likely(x < n) { A[1] = 1.0 }");
  ExpectKept("A[ramp(x, 1, 8)] = broadcast(1.0, 8); B[ramp(x, 1, 8)] = broadcast(1.0, 8)");
  ExpectKept("C[0] = (let y: int32 = x * x in y * n + y) + (let z: int32 = x + n in z)");
  ExpectKept(
      "evaluate call_extern<int32>(\"f\", address_of(A[x])); "
      "evaluate call_extern<int32>(\"f\", address_of(A[x]))");
  // The address is not a value, but its index is.
  ExpectBecomes("evaluate call_extern<int32>(\"f\", address_of(A[x * n])); B[x * n] = 0.0",
                "let cse0: int32 = x * n; evaluate call_extern<int32>(\"f\", address_of(A[cse0])); "
                "B[cse0] = 0.0");
}

TEST(Cse, ExtentsOfThreadAxesStay) {
  ExpectKept(R"(thread("blockIdx.x") for b in range((n * 3 + 1) // 2) {
    C[b] = n * 3
  })");
}

TEST(Cse, VectorsAndIntrinsics) {
  ExpectBecomes(
      "A[ramp(x * n, 1, 4)] = exp(B[ramp(0, 1, 4)]); B[ramp(x * n, 1, 4)] = "
      "exp(B[ramp(0, 1, 4)]) + broadcast(1.0, 4)",
      "let cse0: float32x4 = exp(B[ramp(0, 1, 4)]); let cse1: int32 = x * n; "
      "A[ramp(cse1, 1, 4)] = cse0; B[ramp(cse1, 1, 4)] = cse0 + broadcast(1.0, 4)");
}

double Seconds(const ir::Module& module) {
  const auto start = std::chrono::steady_clock::now();
  const ir::Module after = Cse(module, PassContext());
  EXPECT_TRUE(after);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// A sum of `nodes / 4` products. Every second product is a repetition.
ir::Module LargeSum(int nodes) {
  const ir::Buffer out = ir::MakeBuffer("out", DataType::Int(32), {Int(4)});
  const ir::Var x = ir::MakeVar("x");
  Expr sum = Int(0);
  for (int i = 0; i < nodes / 4; ++i) {
    const Expr product = ir::MakeBinary(ir::NodeKind::kMul, x, Int(i / 2 + 2));
    sum = ir::MakeBinary(i % 3 == 0 ? ir::NodeKind::kSub : ir::NodeKind::kAdd, sum, product);
  }
  return ir::MakeModule({ir::MakeFunc("f", {out, x}, ir::MakeStore(out, sum, {Int(0)}))});
}

TEST(Cse, MillionNodesInSeconds) {
  const double small = Seconds(LargeSum(100'000)), large = Seconds(LargeSum(1'000'000));
  RecordProperty("seconds_100k", std::to_string(small));
  RecordProperty("seconds_1m", std::to_string(large));
  EXPECT_LT(large, 30) << small << " s for a tenth";
}

// A tree of 2^200 nodes made of 200 shared ones: once where it certainly runs, and once within an
// arm, where it must not be computed earlier.
TEST(Cse, SharedNodesCountOnce) {
  const ir::Buffer out = ir::MakeBuffer("out", DataType::Int(32), {Int(4)});
  const ir::Var x = ir::MakeVar("x");
  Expr e = x * x;
  for (int i = 0; i < 200; ++i) e = ir::MakeBinary(ir::NodeKind::kAdd, e, e);
  const auto store = [&](const Expr& value) {
    return ir::MakeModule({ir::MakeFunc("f", {out, x}, ir::MakeStore(out, value, {Int(0)}))});
  };
  int lets = 0;
  ir::ForEach<ir::LetStmt>(Cse(store(e), PassContext()), [&](const ir::LetStmt&) { ++lets; });
  EXPECT_EQ(lets, 200);
  const ir::Module guarded = store(ir::IfThenElse(Expr(x) < 3, e, Int(0)));
  EXPECT_TRUE(Cse(guarded, PassContext()).same_as(guarded));
}

}  // namespace
}  // namespace lathe::lower
