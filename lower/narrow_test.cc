// Functions as text in and text out.
#include "lower/narrow.h"

#include <gtest/gtest.h>

#include "ir/module.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"

namespace lathe::lower {
namespace {

const char kHead[] =
    "func f(A: float32[99999], C: int64[99999], I: int32[9], n: size, w: size int64, b: uint8) {\n";

void ExpectBecomes(const std::string& body, const std::string& expected) {
  const ir::Module before = ir::ParseModule(kHead + body + "}"),
                   after = Narrow(before, PassContext());
  EXPECT_EQ(ir::ToText(after), ir::ToText(ir::ParseModule(kHead + expected + "}")));
  EXPECT_TRUE(Narrow(after, PassContext()).same_as(after)) << "again: " << ir::ToText(after);
}

void ExpectKept(const std::string& body) {
  const ir::Module before = ir::ParseModule(kHead + body + "}"),
                   after = Narrow(before, PassContext());
  EXPECT_TRUE(after.same_as(before)) << ir::ToText(after);
}

TEST(Narrow, IndicesWhoseLoopsAreConstant) {
  ExpectBecomes(
      "for i in range(100) { for j in range(64) { A[int64(i) * 64i64 + int64(j)] = 1.0 } }",
      "for i in range(100) { for j in range(64) { A[i * 64 + j] = 1.0 } }");
  ExpectBecomes("for i in range(100) { A[ramp(int64(i) * 8i64, 1i64, 8)] = broadcast(1.0, 8) }",
                "for i in range(100) { A[ramp(i * 8, 1, 8)] = broadcast(1.0, 8) }");
  ExpectBecomes("for i in range(9) { C[int64(I[int64(i) + 0i64]) // 16i64] = 1 }",
                "for i in range(9) { C[I[i + 0] // 16] = 1 }");
  ExpectBecomes("C[int64(b) * 3i64 - 1i64] = 2", "C[int32(b) * 3 - 1] = 2");
}

// S29: an index that may exceed 2^31 stays wide, with every expression around it.
TEST(Narrow, S29_OnlyWhereTheWholeFits) {
  // 65536 * 65535 + 65535
  ExpectKept(
      "for i in range(65536) { for j in range(65536) { A[int64(i) * 65536i64 + int64(j)] = "
      "1.0 } }");
  // Only the last lane exceeds it.
  ExpectKept("for i in range(268435456) { A[ramp(int64(i) * 8i64, 2i64, 8)] = broadcast(1.0, 8) }");
  ExpectBecomes(
      "for i in range(268435456) { A[ramp(int64(i) * 8i64, 1i64, 8)] = broadcast(1.0, 8) }",
      "for i in range(268435456) { A[ramp(i * 8, 1, 8)] = broadcast(1.0, 8) }");
  // The quotient fits, but the product before it does not.
  ExpectKept("for i in range(65536) { A[int64(i) * 65536i64 // 65536i64] = 1.0 }");
  ExpectKept("for i in range(65536) { A[(int64(i) * 65536i64) % 8i64 + 1i64] = 1.0 }");
  // A variable is bounded by its type: n * 2 may not fit, n alone does.
  ExpectKept("A[int64(n) * 2i64] = 1.0");
  ExpectKept("for i in range(n) { A[int64(i) * int64(n)] = 1.0 }");
  ExpectBecomes("A[int64(n) // 2i64] = 1.0", "A[n // 2] = 1.0");
  // int64 variables and data.
  ExpectKept("A[w] = 1.0; A[C[0]] = 2.0; A[w % 2147483649i64] = 3.0");
  ExpectKept("for i in range(9) { C[i] = int64(i) * 3i64 }");
  ExpectBecomes("let k: int64 = w % 100i64; A[k * 8i64] = 1.0",
                "let k: int64 = w % 100i64; A[int32(k) * 8] = 1.0");
}

TEST(Narrow, ComparisonsAndCasts) {
  ExpectBecomes("for i in range(9) { if int64(i) * 8i64 < int64(n) { A[i] = 1.0 } }",
                "for i in range(9) { if i * 8 < n { A[i] = 1.0 } }");
  ExpectKept("for i in range(9) { if int64(i) * 8i64 < w { A[i] = 1.0 } }");
  ExpectBecomes("for i in range(9) { A[int32(int64(i) * 8i64)] = 1.0 }",
                "for i in range(9) { A[i * 8] = 1.0 }");
  // Truncated on purpose.
  ExpectKept("for i in range(n) { A[int32(int64(i) * 8i64)] = 1.0 }");
}

}  // namespace
}  // namespace lathe::lower
