#include "ir/binary.h"

#include <gtest/gtest.h>

#include <random>

#include "base/error.h"
#include "ir/random_ir.h"
#include "ir/structural.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "ir/walk.h"

namespace lathe::ir {
namespace {

std::string ErrorOf(std::string_view bytes, const DecodeLimits& limits = {}) {
  try {
    DecodeNode(bytes, limits);
  } catch (const Error& error) {
    return error.name();
  }
  return "";
}

// Converts "8c 4c" to bytes.
std::string Hex(std::string_view text) {
  std::string out;
  for (size_t i = 0; i + 1 < text.size(); i += 3) {
    out += static_cast<char>(std::stoi(std::string(text.substr(i, 2)), nullptr, 16));
  }
  return out;
}

std::string ToHex(std::string_view bytes) {
  std::string out;
  for (unsigned char c : bytes) {
    constexpr char kDigits[] = "0123456789abcdef";
    if (!out.empty()) out += ' ';
    out += kDigits[c >> 4];
    out += kDigits[c & 15];
  }
  return out;
}

TEST(Binary, RandomModulesComeBack) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    RandomIr random(seed);
    const Module module = random.RandomModule();
    EncodeOptions all;
    all.keep_private = true;
    const std::string bytes = EncodeModule(module, all);
    const Module again = DecodeModule(bytes);
    ASSERT_TRUE(StructuralEqual(module, again, /*map_free=*/true))
        << seed << ": " << StructuralDifference(module, again, true);
    ASSERT_EQ(ToText(module), ToText(again)) << seed;
    ASSERT_EQ(bytes, EncodeModule(again, all)) << seed;
  }
}

TEST(Binary, ARaiseComesBackWithItsValues) {
  const Module module = ParseModule(R"(
func f(x: float16, n: int64) {
  if n < 3i64 { raise("too-small", "{0} is below {1}\nfound: {2:kind}", n, x, 64) }
})");
  const Module again = DecodeModule(EncodeModule(module));
  EXPECT_TRUE(StructuralEqual(module, again, /*map_free=*/true));
  EXPECT_TRUE(StructuralEqual(module, ParseModule(ToText(again)), /*map_free=*/true));
  EXPECT_EQ(EncodeModule(ParseModule(ToText(again))), EncodeModule(module));
}

TEST(Binary, RandomProgramsComeBack) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    RandomIr random(seed);
    const Program program = random.RandomProgram();
    EncodeOptions all;
    all.keep_private = true;
    const std::string bytes = EncodeNode(program, all);
    const NodeRef again = DecodeNode(bytes);
    ASSERT_TRUE(StructuralEqual(program, again, true))
        << seed << ": " << StructuralDifference(program, again, true);
    ASSERT_EQ(bytes, EncodeNode(again, all)) << seed;
  }
}

TEST(Binary, RandomGraphsComeBack) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    RandomIr random(seed);
    const GraphModule module = random.RandomGraphModule();
    EncodeOptions all;
    all.keep_private = true;
    const std::string bytes = EncodeNode(module, all);
    const NodeRef again = DecodeNode(bytes);
    ASSERT_TRUE(StructuralEqual(module, again))
        << seed << ": " << StructuralDifference(module, again);
    ASSERT_EQ(ToText(module), ToText(again)) << seed;
    ASSERT_EQ(bytes, EncodeNode(again, all)) << seed;
  }
}

// A round trip through text loses all sharing. The bytes must not change.
TEST(Binary, BytesDoNotDependOnSharing) {
  const Var i = MakeVar("i");
  const Expr shared = MakeBinary(NodeKind::kMul, i, Int(3));
  const Expr once = MakeBinary(NodeKind::kAdd, shared, shared);
  const Expr twice = MakeBinary(NodeKind::kAdd, MakeBinary(NodeKind::kMul, i, Int(3)),
                                MakeBinary(NodeKind::kMul, i, Int(3)));
  EXPECT_EQ(EncodeNode(once), EncodeNode(twice));
}

TEST(Binary, IdentityMatters) {
  const Var i = MakeVar("i"), j = MakeVar("i");
  EXPECT_NE(EncodeNode(MakeBinary(NodeKind::kAdd, i, j)),
            EncodeNode(MakeBinary(NodeKind::kAdd, i, i)));
  const NodeRef again = DecodeNode(EncodeNode(MakeBinary(NodeKind::kAdd, i, i)));
  EXPECT_TRUE(As<Add>(again)->a.same_as(As<Add>(again)->b));
}

TEST(Binary, ExpressionsSharedFortyTimesStayLinear) {
  Expr e = MakeVar("x");
  for (int i = 0; i < 40; ++i) e = MakeBinary(NodeKind::kAdd, e, e);
  const std::string bytes = EncodeNode(e);
  EXPECT_LT(bytes.size(), 400u);
  EXPECT_EQ(ErrorOf(bytes), "binary-limit");  // 2^40 nodes as a tree
  DecodeLimits limits;
  limits.max_tree_size = uint64_t{1} << 50;
  EXPECT_EQ(EncodeNode(DecodeNode(bytes, limits)), bytes);
}

TEST(Binary, DeepNodesDoNotRecurse) {
  Expr e = MakeVar("x");
  for (int i = 0; i < 90000; ++i) e = MakeBinary(NodeKind::kAdd, e, Int(i));
  EXPECT_TRUE(DecodeNode(EncodeNode(e)));
  for (int i = 0; i < 20000; ++i) e = MakeBinary(NodeKind::kAdd, e, Int(i));
  EXPECT_EQ(ErrorOf(EncodeNode(e)), "binary-limit");
}

TEST(Binary, SpansAndPrivateAnnotationsAreStrippedByDefault) {
  const Stmt loop = ParseStmt("for i in range(4) with {_note = 1, keep = 2} {}");
  const NodeRef stripped = DecodeNode(EncodeNode(loop));
  EXPECT_EQ(As<For>(stripped)->annotations.size(), 1u);
  EXPECT_EQ(stripped->span.line, 0u);
  EncodeOptions all{.keep_spans = true, .keep_private = true};
  const NodeRef whole = DecodeNode(EncodeNode(loop, all));
  EXPECT_EQ(As<For>(whole)->annotations.size(), 2u);
  EXPECT_EQ(whole->span.line, 1u);
  EXPECT_EQ(As<For>(whole)->extent->span.column, 16u);
}

// The page docs/contract.md explains these bytes one by one.
TEST(Binary, GoldenBytes) {
  const Var x = MakeVar("x");
  const std::string bytes = EncodeNode(MakeBinary(NodeKind::kAdd, x, Int(-2)));
  EXPECT_EQ(ToHex(bytes),
            "8c 4c 61 74 68 65 49 52 01 01 00 "  // magic, version 1, level 1, no flags
            "01 01 78 "                          // one string: "x"
            "01 00 20 01 00 "                    // one type: int32
            "03 "                                // three nodes
            "04 00 01 00 "                       // Var: type 0, name 1, not a size
            "01 00 03 "                          // IntImm: type 0, -2
            "06 00 01 02");                      // Add: type 0, nodes 1 and 2
  EXPECT_EQ(ToText(DecodeNode(bytes)), "x + -2");
}

TEST(BinaryErrors, EachHasItsName) {
  const std::string good =
      Hex("8c 4c 61 74 68 65 49 52 01 01 00 01 01 78 01 00 20 01 00 03 04 00 01 00 01 00 03 06 00 "
          "01 02 ");
  ASSERT_EQ(ErrorOf(good), "");
  auto with = [&](size_t at, char byte) {
    std::string bad = good;
    bad[at] = byte;
    return ErrorOf(bad);
  };
  EXPECT_EQ(ErrorOf(""), "binary-magic");
  EXPECT_EQ(with(0, 0), "binary-magic");
  EXPECT_EQ(with(8, 2), "binary-version");
  EXPECT_EQ(with(9, 9), "binary-version");
  EXPECT_EQ(with(10, 2), "binary-malformed");   // unknown flag
  EXPECT_EQ(with(15, 77), "binary-malformed");  // no such type
  EXPECT_EQ(with(20, char(200)), "binary-unknown-kind");
  EXPECT_EQ(with(22, 5), "binary-malformed");    // string out of range
  EXPECT_EQ(with(23, 2), "binary-malformed");    // truth value
  EXPECT_EQ(with(29, 3), "binary-malformed");    // refers to itself
  EXPECT_EQ(with(29, 2), "binary-malformed");    // leaves the Var unused
  EXPECT_EQ(with(27, 17), "binary-ill-formed");  // LT cannot have type int32
  EXPECT_EQ(ErrorOf(good + '\0'), "binary-malformed");
  for (size_t size = 8; size < good.size(); ++size) {
    EXPECT_EQ(ErrorOf(good.substr(0, size)), "binary-truncated") << size;
  }
  DecodeLimits limits;
  limits.max_nodes = 2;
  EXPECT_EQ(ErrorOf(good, limits), "binary-limit");
  limits = {.max_bytes = 10};
  EXPECT_EQ(ErrorOf(good, limits), "binary-limit");
  try {
    DecodeModule(good);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.name(), "binary-malformed");
  }
  try {
    EncodeNode(NewNode(NodeKind::kAdd));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.name(), "binary-null");
  }
}

TEST(BinaryErrors, TextOutOfProportionIsRefused) {
  std::vector<Stmt> stmts;
  for (int i = 0; i < 20000; ++i) stmts.push_back(MakeEvaluate(MakeVar(std::string(1000, 'x'))));
  EXPECT_EQ(ErrorOf(EncodeNode(MakeSeq(stmts))), "binary-limit");
}

// Flipped bytes cause nothing worse than an Error.
TEST(BinaryErrors, DamagedBytes) {
  std::mt19937 engine(1);
  for (uint64_t seed = 0; seed < 20; ++seed) {
    RandomIr random(seed);
    const NodeRef node =
        seed % 2 == 0 ? NodeRef(random.RandomModule()) : NodeRef(random.RandomProgram());
    const std::string good = EncodeNode(node);  // the node keeps its constants alive
    for (int i = 0; i < 300; ++i) {
      std::string bad = good;
      for (int k = 0; k < 2; ++k) bad[engine() % bad.size()] = static_cast<char>(engine());
      const std::string name = ErrorOf(bad);
      EXPECT_TRUE(name.empty() || name.starts_with("binary-") || name == "constant-not-here")
          << name;
    }
  }
}

}  // namespace
}  // namespace lathe::ir
