// Statements as text. Statements that hold for the rest of a block (let, allocate, attr, ...) have
// no braces if they are the last of the block: the lines after "let x: int32 = ..." are its body.

#include "ir/text/printer_impl.h"

namespace lathe::ir::internal {

using syntax::QuoteName;
using syntax::QuoteString;

namespace {

// True if the body of such a statement is the rest of the block.
bool HoldsForRest(NodeKind kind) {
  switch (kind) {
    case NodeKind::kLetStmt:
    case NodeKind::kRealize:
    case NodeKind::kAllocate:
    case NodeKind::kAllocConst:
    case NodeKind::kDeclBuffer:
    case NodeKind::kAttr:
      return true;
    default:
      return false;
  }
}

}  // namespace

void Printer::PrintStmts(const Node* node) {
  const auto* seq = As<Seq>(node);
  if (seq == nullptr || seq->stmts.size() == 1) {
    Put(What::kNewline);
    Put(What::kStmt, node, 1);
    return;
  }
  for (size_t i = 0; i < seq->stmts.size(); ++i) {
    Put(What::kNewline);
    Put(What::kStmt, seq->stmts[i].get(), i + 1 == seq->stmts.size());
  }
}

void Printer::PrintFor(const For& loop) {
  const bool thread = loop.for_kind == ForKind::kThread;
  if (loop.for_kind != ForKind::kSerial || !loop.thread_tag.empty()) {
    Text(For::kForKindNames[static_cast<size_t>(loop.for_kind)]);
    if (thread) Text("(" + QuoteString(loop.thread_tag) + ")");
    Text(" ");
  }
  Text("for ");
  Put(What::kDefine, loop.var.get(), 1);
  Text(" in ");
  Bounds(loop.min, loop.extent);
  With(loop.annotations);
  Text(" ");
  Put(What::kBlock, loop.body.get());
}

void Printer::PrintStmt(const Node* node, bool last) {
  if (node == nullptr) {
    out_ += "null";
    return;
  }
  if (!IsStmt(node) || !IsSound(*node)) return Generic(*node);
  const NodeKind kind = node->node_kind();
  if (HoldsForRest(kind) && !last) {
    Put(What::kBlock, node);
    return;
  }
  Put(What::kOpenScope);
  switch (kind) {
    case NodeKind::kStore: {
      const auto& store = static_cast<const Store&>(*node);
      PrintAccess(store.buffer.get(), store.indices, store.mask);
      Text(" = ");
      Expression(store.value.get());
      break;
    }
    case NodeKind::kFor:
      PrintFor(static_cast<const For&>(*node));
      break;
    case NodeKind::kWhile: {
      const auto& loop = static_cast<const While&>(*node);
      Text("while ");
      Expression(loop.condition.get());
      Text(" ");
      Put(What::kBlock, loop.body.get());
      break;
    }
    case NodeKind::kIf: {
      const auto& branch = static_cast<const If&>(*node);
      Text("if ");
      Expression(branch.condition.get());
      Text(" ");
      Put(What::kBlock, branch.then_case.get());
      if (branch.else_case) {
        Text(" else ");
        const auto* chained = As<If>(branch.else_case);
        Put(chained != nullptr && IsSound(*chained) ? What::kStmt : What::kBlock,
            branch.else_case.get());
      }
      break;
    }
    case NodeKind::kSeq:
      Text("seq {");
      Put(What::kIndent);
      for (const Stmt& stmt : static_cast<const Seq&>(*node).stmts) {
        Put(What::kNewline);
        Put(What::kStmt, stmt.get(), 0);
      }
      Put(What::kDedent);
      Put(What::kNewline);
      Text("}");
      break;
    case NodeKind::kEvaluate: {
      const auto& evaluate = static_cast<const Evaluate&>(*node);
      const auto* call = As<Call>(evaluate.value);
      if (call != nullptr && IsSound(*call)) {
        PrintCall(*call, true);
      } else {
        Text("evaluate ");
        Expression(evaluate.value.get());
      }
      break;
    }
    case NodeKind::kLetStmt: {
      const auto& let = static_cast<const LetStmt&>(*node);
      Text("let ");
      Put(What::kDefine, let.var.get());
      Text(" = ");
      Expression(let.value.get());
      Put(What::kStmts, let.body.get());
      break;
    }
    case NodeKind::kAssert: {
      const auto& assertion = static_cast<const Assert&>(*node);
      Text("assert ");
      Expression(assertion.condition.get());
      Text(", " + QuoteString(assertion.name) + ", " + QuoteString(assertion.message));
      for (const Expr& value : assertion.values) {
        Text(", ");
        Expression(value.get());
      }
      break;
    }
    case NodeKind::kRealize: {
      const auto& realize = static_cast<const Realize&>(*node);
      Text("realize ");
      Put(What::kDefine, realize.buffer.get());
      Text(" bounds [");
      Expressions(realize.bounds);
      Text("]");
      Put(What::kStmts, realize.body.get());
      break;
    }
    case NodeKind::kAllocate: {
      const auto& allocate = static_cast<const Allocate&>(*node);
      Text("allocate ");
      Put(What::kDefine, allocate.buffer.get());
      With(allocate.annotations);
      Put(What::kStmts, allocate.body.get());
      break;
    }
    case NodeKind::kAllocConst: {
      const auto& allocate = static_cast<const AllocConst&>(*node);
      Text("allocate_const ");
      Put(What::kDefine, allocate.buffer.get());
      Text(" index " + std::to_string(allocate.index));
      Put(What::kStmts, allocate.body.get());
      break;
    }
    case NodeKind::kDeclBuffer: {
      const auto& decl = static_cast<const DeclBuffer&>(*node);
      Text("decl_buffer ");
      Put(What::kDefine, decl.buffer.get());
      Text(" = ");
      Expression(decl.data.get());
      Put(What::kStmts, decl.body.get());
      break;
    }
    case NodeKind::kPrefetch: {
      const auto& prefetch = static_cast<const Prefetch&>(*node);
      Text("prefetch ");
      Put(What::kValue, prefetch.buffer.get());
      Text(" bounds [");
      Expressions(prefetch.bounds);
      Text("]");
      break;
    }
    case NodeKind::kAttr: {
      const auto& attr = static_cast<const Attr&>(*node);
      Text("attr " + QuoteString(attr.key));
      if (attr.node) {
        Text(" of ");
        Put(What::kValue, attr.node.get());
      }
      Text(" = ");
      Expression(attr.value.get());
      Put(What::kStmts, attr.body.get());
      break;
    }
    default:
      Generic(*node);
      break;
  }
  Put(What::kCloseScope);
}

}  // namespace lathe::ir::internal
