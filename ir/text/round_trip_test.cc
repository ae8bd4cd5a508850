// The parser must read what the printer prints, for random IR of every node kind.

#include <gtest/gtest.h>

#include <set>

#include "base/error.h"
#include "ir/random_ir.h"
#include "ir/structural.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "ir/walk.h"

namespace lathe::ir {
namespace {

template <class T, class F>
void ExpectRoundTrip(const Ref<const T>& node, F parse, uint64_t seed) {
  const std::string text = ToText(node);
  Ref<const T> again;
  try {
    again = parse(text);
  } catch (const Error& error) {
    FAIL() << "seed " << seed << "\n" << error.what() << "\n" << text;
  }
  // Extents that a parameter's shape defines count as free.
  ASSERT_TRUE(StructuralEqual(node, again, /*map_free=*/true))
      << "seed " << seed << ": " << StructuralDifference(node, again, true) << "\n"
      << text << "\n"
      << ToText(again);
  ASSERT_EQ(text, ToText(again)) << "seed " << seed;
}

TEST(TextRoundTrip, Modules) {
  for (uint64_t seed = 0; seed < 400; ++seed) {
    RandomIr random(seed);
    ExpectRoundTrip(
        random.RandomModule(), [](const std::string& text) { return ParseModule(text); }, seed);
    if (HasFatalFailure()) return;
  }
}

TEST(TextRoundTrip, Programs) {
  for (uint64_t seed = 0; seed < 400; ++seed) {
    RandomIr random(seed);
    ExpectRoundTrip(
        random.RandomProgram(), [](const std::string& text) { return ParseProgram(text); }, seed);
    if (HasFatalFailure()) return;
  }
}

TEST(TextRoundTrip, GraphModules) {
  for (uint64_t seed = 0; seed < 400; ++seed) {
    RandomIr random(seed);
    ExpectRoundTrip(
        random.RandomGraphModule(), [](const std::string& text) { return ParseGraphModule(text); },
        seed);
    if (HasFatalFailure()) return;
  }
}

// Prints every node of a module alone. What the node does not define is declared.
TEST(TextRoundTrip, EveryKindAlone) {
  std::set<NodeKind> seen;
  PrintOptions options;
  options.declare_free = true;
  auto check = [&](const Node& root, uint64_t seed) {
    PostOrder(root, [&](const Node& node) {
      const NodeKind kind = node.node_kind();
      if (HasFailure()) return;
      seen.insert(kind);
      const std::string text = ToText(node, options);
      try {
        const NodeRef again = IsStmt(kind)                  ? NodeRef(ParseStmt(text))
                              : kind == NodeKind::kStepNode ? NodeRef(ParseStep(text))
                                                            : ParseNode(text);
        ASSERT_TRUE(again) << text;
        ASSERT_EQ(again->node_kind(), kind) << text;
        ASSERT_TRUE(StructuralEqual(NodeRef(&node), again, /*map_free=*/true))
            << "seed " << seed << " " << NodeKindName(kind) << ": "
            << StructuralDifference(NodeRef(&node), again, true) << "\n"
            << text << ToText(again, options);
      } catch (const Error& error) {
        FAIL() << "seed " << seed << " " << NodeKindName(kind) << "\n"
               << error.what() << "\n"
               << text;
      }
    });
  };
  for (uint64_t seed = 0; seed < 30 && !HasFailure(); ++seed) {
    RandomIr random(seed);
    check(*random.RandomModule(), seed);
    check(*random.RandomGraphModule(), seed);
    const Program program = random.RandomProgram();
    check(*program, seed);
    for (const Op& op : program->ops) {
      if (const auto* compute = As<TensorComputeOp>(op)) check(*compute->intrin, seed);
    }
    for (const NodeRef& arg : program->args) check(*arg, seed);
  }
  for (NodeKind kind : AllNodeKinds()) {
    EXPECT_TRUE(seen.contains(kind)) << NodeKindName(kind) << " was never made";
  }
}

// Whatever a node's fields contain, printing does not crash and depends only on the node.
TEST(TextRoundTrip, MalformedNodesPrint) {
  for (NodeKind kind : AllNodeKinds()) {
    const Ref<Node> node = NewNode(kind);
    const std::string text = ToText(NodeRef(node));
    EXPECT_FALSE(text.empty() && kind != NodeKind::kSeq) << NodeKindName(kind);
    EXPECT_EQ(text, ToText(NodeRef(node)));
  }
}

}  // namespace
}  // namespace lathe::ir
