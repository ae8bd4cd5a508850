// Statements as text in and text out.
#include "lower/loop_partition.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "arith/simplify_stmt.h"
#include "ir/intrinsic_names.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "ir/walk.h"

namespace lathe::lower {
namespace {

class LoopPartitionTest : public testing::Test {
 protected:
  ir::Var n = ir::MakeSizeVar("n"), m = ir::MakeSizeVar("m");
  ir::Buffer a = ir::MakeBuffer("A", DataType::Float(32), {ir::Expr(n)});
  ir::Buffer c = ir::MakeBuffer("C", DataType::Int(32), {ir::Expr(n)});
  std::vector<ir::NodeRef> free_{n, m, a, c};
  PassContext context_;

  ir::Stmt Parse(const std::string& text) { return ir::ParseStmt(text, "test", free_); }
  ir::Stmt Partition(const ir::Stmt& stmt) {
    const ir::Module module = ir::MakeModule({ir::MakeFunc("f", free_, stmt)});
    return LoopPartition(module, context_)->functions[0]->body;
  }
  void Check(const std::string& in, const std::string& out) {
    EXPECT_EQ(ir::ToText(arith::Simplify(Partition(Parse(in)))), ir::ToText(Parse(out))) << "of\n"
                                                                                         << in;
  }
  void Unchanged(const std::string& in) {
    const ir::Stmt before = Parse(in);
    EXPECT_TRUE(Partition(before).same_as(before)) << ir::ToText(Partition(before));
  }
};

TEST_F(LoopPartitionTest, MainPieceOfASymbolicSplitIsUnguarded) {
  Check(R"(
    for io in range((n + 15) // 16) {
      vectorized for ii in range(16) {
        if likely(io * 16 + ii < n) { A[io * 16 + ii] = 0.0 }
      }
    })",
        R"(
    for io in range(n // 16) {
      vectorized for ii in range(16) { A[io * 16 + ii] = 0.0 }
    }
    for io in range(n // 16, (n + 15) // 16) {
      vectorized for ii in range(16) {
        if likely(io * 16 + ii < n) { A[io * 16 + ii] = 0.0 }
      }
    })");
}

// If one guard is decided the other way, the simplifier finds that in the pieces.
TEST_F(LoopPartitionTest, GuardsOnBothSides) {
  Check(R"(
    for i in range(n) {
      if likely(i >= m) {
        if likely(i + 3 < n) { A[i] = 1.0 } else { A[i] = 2.0 }
      }
    })",
        R"(
    for i in range(min(m, n), extent=max(0, max(n - 3, 0) - min(m, n))) { A[i] = 1.0 }
    for i in range(max(max(n - 3, 0), min(m, n)), extent=n - max(max(n - 3, 0), min(m, n))) {
      if likely(i >= m) { A[i] = 2.0 }
    })");
}

TEST_F(LoopPartitionTest, ParallelLoopsStayOneLoop) {
  Check(R"(
    parallel for io in range((n + 15) // 16) {
      vectorized for ii in range(16) {
        if likely(io * 16 + ii < n) { A[io * 16 + ii] = 0.0 }
      }
    })",
        R"(
    parallel for io in range((n + 15) // 16) {
      if io < n // 16 {
        vectorized for ii in range(16) { A[io * 16 + ii] = 0.0 }
      } else {
        vectorized for ii in range(16) {
          if likely(io * 16 + ii < n) { A[io * 16 + ii] = 0.0 }
        }
      }
    })");
}

const char* const kConstantSerial = R"(
    for io in range(7) {
      for ii in range(16) {
        if likely(io * 16 + ii < 100) { A[io * 16 + ii] = 0.0 }
      }
    })";

TEST_F(LoopPartitionTest, ConstantLoopsOnlyWhenAsked) {
  Unchanged(kConstantSerial);
  context_.Set("partition.constant_loops", 1);
  EXPECT_FALSE(Partition(Parse(kConstantSerial)).same_as(Parse(kConstantSerial)));
}

TEST_F(LoopPartitionTest, ConstantLoopsWhoseGuardMasksVectors) {
  Check(R"(
    for io in range(7) {
      vectorized for ii in range(16) {
        if likely(io * 16 + ii < 100) { A[io * 16 + ii] = 0.0 }
      }
    })",
        R"(
    for io in range(6) {
      vectorized for ii in range(16) { A[io * 16 + ii] = 0.0 }
    }
    vectorized for ii in range(16) {
      if likely(ii < 4) { A[ii + 96] = 0.0 }
    })");
}

TEST_F(LoopPartitionTest, WhatReadsMemoryOrDependsOnTheBodyStays) {
  Unchanged("for i in range(n) { if likely(i < C[0]) { A[i] = 0.0 } }");
  Unchanged("for i in range(n) { if i < m { A[i] = 0.0 } }");
  Unchanged("for i in range(n) { for j in range(C[i]) { if likely(i + j < m) { A[i] = 0.0 } } }");
}

// A frame around rows and columns: the pragma of the inner loop had no effect, as nine pieces were
// too many.
TEST_F(LoopPartitionTest, TheHintHoldsForNestedLoops) {
  const ir::Stmt out = Partition(Parse(R"(
    for y in range(58) with {loop_partition_hint = 1} {
      for x in range(58) with {loop_partition_hint = 1} {
        if likely(y >= 1) { if likely(y < 57) { if likely(x >= 1) { if likely(x < 57) { A[y * 58 + x] = 0.0 } } } }
      }
    })"));
  int guards = 0, stores = 0;
  ir::PreOrder(
      out,
      [&](const ir::Node& node) {
        stores += node.node_kind() == ir::NodeKind::kStore;
        const auto* call = ir::As<ir::Call>(&node);
        guards += call != nullptr && call->op == ir::intrinsic::kLikely;
        return true;
      },
      ir::Sharing::kEachUse);
  EXPECT_EQ(stores, 9);
  EXPECT_LT(guards, 4 * 9);  // the innermost piece has none
}

// Each hint that cuts nothing is a note that names loop, stage and reason; others are none.
TEST_F(LoopPartitionTest, HintsWithoutEffectAreNoted) {
  auto notes = [&](const std::string& in) {
    std::vector<std::string> out;
    context_.note = [&](const Diagnostic& note) {
      EXPECT_EQ(note.name, "hint-without-effect");
      out.push_back(note.message);
    };
    Partition(Parse(in));
    return out;
  };
  const std::string hint = " with {loop_partition_hint = 1} ";
  const std::string at = "`loop_partition_hint` at loop `i` of stage `A` has no effect: ";
  using Notes = std::vector<std::string>;
  EXPECT_EQ(notes("for i in range(n)" + hint + "{ if likely(i < m) { A[i] = 0.0 } }"), Notes());
  EXPECT_EQ(notes("for i in range(n) { A[i] = 0.0 }"), Notes());
  EXPECT_EQ(notes("for i in range(n) with {loop_partition_hint = 0} { A[i] = 0.0 }"), Notes());
  const std::string none = at +
                           "no guard in it holds for a range of its iterations that is known "
                           "before it";
  EXPECT_EQ(notes("for i in range(n)" + hint + "{ A[i] = 0.0 }"), Notes{none});
  EXPECT_EQ(notes("for i in range(n)" + hint + "{ if likely(i < C[0]) { A[i] = 0.0 } }"),
            Notes{none});
  EXPECT_EQ(notes("unrolled for i in range(4)" + hint + "{ if likely(i < m) { A[i] = 0.0 } }"),
            Notes{at + "only serial and parallel loops are cut"});
  EXPECT_EQ(notes("for i in range(2)" + hint +
                  "{ for j in range(14) { if likely(i * 14 + j >= 1) { if likely(i * 14 + j < 27) "
                  "{ A[i] = 0.0 } } } }"),
            Notes{at + "each iteration has a guard that may fail"});
  // The main piece of the outer loop has no guards left, the others have.
  EXPECT_EQ(notes("for y in range(n)" + hint + "{ for i in range(n)" + hint +
                  "{ if likely(y + i < m) { A[i] = 0.0 } } }"),
            Notes());
}

// Four nested guards: the number of copies is limited.
TEST_F(LoopPartitionTest, NestedCutsAreBounded) {
  const ir::Stmt out = Partition(Parse(R"(
    for a in range(n) { for b in range(n) { for c in range(n) { for d in range(n) {
      if likely(a < m - 1) { if likely(b < m - 2) { if likely(c < m - 3) { if likely(d < m - 4) { A[a] = 0.0 } } } }
    } } } })"));
  int stores = 0;
  ir::PreOrder(
      out,
      [&](const ir::Node& node) {
        stores += node.node_kind() == ir::NodeKind::kStore;
        return true;
      },
      ir::Sharing::kEachUse);
  EXPECT_GT(stores, 1);
  EXPECT_LE(stores, kMaxPartitionCopies);
}

}  // namespace
}  // namespace lathe::lower
