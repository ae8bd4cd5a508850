// Compiles statements and parameters.

#include "ir/interpreter/compile.h"
#include "ir/complete.h"
#include "ir/text/printer.h"

namespace lathe::ir::interp {

std::string NoteOf(const Node& node) {
  std::string text;
  try {
    text = ToText(node, {.max_bytes = 1 << 20});
  } catch (const Error&) {
    text = NodeKindName(node.node_kind());
  }
  if (text.size() > 1000) text = text.substr(0, 1000) + " ...";
  return text;
}

std::string ProblemOf(const Node& node) {
  std::string problem = MissingPart(node);
  return problem.empty() ? CheckNode(node) : problem;
}

void Compiler::VisitStmt(const Node* node, int) {
  if (node == nullptr)
    Malformed(*(stmt_ != nullptr ? stmt_ : code_->func), "a part of it is missing");
  stmt_ = node;
  if (std::string problem = ProblemOf(*node); !problem.empty()) Malformed(*node, problem);
  const bool threads = node->node_kind() == NodeKind::kFor && IsThreadLoop(*node);
  if (threads && region_ < 0) return OpenRegion(*node, false);
  const int begin = Here();
  if (region_ >= 0) SyncBefore(node);
  switch (node->node_kind()) {
    case NodeKind::kStore: {
      const auto& store = *static_cast<const Store*>(node);
      Push(&Compiler::FinishStore, node);
      Root(store.value, node);
      if (store.mask) Root(store.mask, node);
      for (size_t i = store.indices.size(); i-- > 0;) Root(store.indices[i], node);
      return;
    }
    case NodeKind::kFor: {
      const auto& loop = *static_cast<const For*>(node);
      Push(threads ? &Compiler::ThreadBegin : &Compiler::ForBegin, node);
      Root(loop.extent, node);
      return Root(loop.min, node);
    }
    case NodeKind::kWhile:
      Push(&Compiler::WhileTest, node, begin);
      return Root(static_cast<const While*>(node)->condition, node);
    case NodeKind::kIf:
      Push(&Compiler::IfThen, node);
      return Root(static_cast<const If*>(node)->condition, node);
    case NodeKind::kSeq: {
      const auto& stmts = static_cast<const Seq*>(node)->stmts;
      for (size_t i = stmts.size(); i-- > 0;) Push(&Compiler::VisitStmt, stmts[i].get());
      return;
    }
    case NodeKind::kEvaluate:
      Push(&Compiler::EvaluateEnd, node);
      return Root(static_cast<const Evaluate*>(node)->value, node);
    case NodeKind::kLetStmt:
      Push(&Compiler::LetStmtBind, node);
      return Root(static_cast<const LetStmt*>(node)->value, node);
    case NodeKind::kAssert:
      Push(&Compiler::AssertTest, node);
      return Root(static_cast<const Assert*>(node)->condition, node);
    case NodeKind::kRealize: {
      const auto& realize = *static_cast<const Realize*>(node);
      return VisitBuffer(node, *realize.buffer, &realize.bounds, Expr());
    }
    case NodeKind::kAllocate:
      return VisitBuffer(node, *static_cast<const Allocate*>(node)->buffer, nullptr, Expr());
    case NodeKind::kAllocConst:
      return VisitBuffer(node, *static_cast<const AllocConst*>(node)->buffer, nullptr, Expr());
    case NodeKind::kDeclBuffer: {
      const auto& decl = *static_cast<const DeclBuffer*>(node);
      return VisitBuffer(node, *decl.buffer, nullptr, decl.data);
    }
    case NodeKind::kPrefetch:
      return;  // a hint
    case NodeKind::kAttr: {
      const auto& attr = *static_cast<const Attr*>(node);
      if (InTurn(*node)) {
        in_turn_ = true;
        Push(&Compiler::TurnEnd, node, begin);
      }
      return Push(&Compiler::VisitStmt, attr.body.get());
    }
    default:
      Malformed(*node, "it is no statement");
  }
}

void Compiler::FinishStore(const Node* node, int) {
  const auto& store = *static_cast<const Store*>(node);
  const Operand value = Pop();
  const int access = MakeAccess(*store.buffer, store.indices.size(), static_cast<bool>(store.mask));
  Instr& instr = Emit(OpCode::kStore);
  instr.a = value.at;
  instr.lanes = value.lanes;
  instr.type = value.type.element_of();
  instr.index = access;
}

void Compiler::ForBegin(const Node* node, int) {
  const auto& loop = *static_cast<const For*>(node);
  stmt_ = node;
  const Operand extent = Pop(), min = Pop();
  const Operand var = NewOperand(loop.var->dtype);
  const int count = NewPlace(1);
  const int begin = Here();
  Instr& instr = Emit(OpCode::kForBegin, var);
  instr.a = min.at;
  instr.b = extent.at;
  instr.c = count;
  Define(loop.var.get(), var);
  code_->scopes.push_back({scope_, loop.var->name, var});
  scope_ = static_cast<int>(code_->scopes.size()) - 1;
  if (region_ >= 0) {
    const uint32_t axes = VariesAlong(loop.min) | VariesAlong(loop.extent);
    varies_[loop.var.get()] = axes;
    EnterWay(axes);
  }
  Push(&Compiler::ForEnd, node, begin);
  Push(&Compiler::VisitStmt, loop.body.get());
}

void Compiler::ForEnd(const Node* node, int begin) {
  stmt_ = node;
  LeaveWay();
  SyncAtEnd(begin);
  const Instr first = code_->instrs[static_cast<size_t>(begin)];
  Instr& next = Emit(OpCode::kForNext);
  next.dst = first.dst;
  next.c = first.c;
  next.type = first.type;
  next.index = begin + 1;
  code_->instrs[static_cast<size_t>(begin)].index = Here();
  scope_ = code_->scopes[static_cast<size_t>(scope_)].parent;
  Undefine(static_cast<const For*>(node)->var.get());
}

void Compiler::WhileTest(const Node* node, int begin) {
  while_tests_.push_back(Here());
  EnterWay(~0u);
  Emit(OpCode::kJumpIfFalse).a = Pop().at;
  Push(&Compiler::WhileEnd, node, begin);
  Push(&Compiler::VisitStmt, static_cast<const While*>(node)->body.get());
}

void Compiler::WhileEnd(const Node* node, int begin) {
  stmt_ = node;
  LeaveWay();
  SyncAtEnd(begin);
  Emit(OpCode::kJump).index = begin;
  code_->instrs[static_cast<size_t>(while_tests_.back())].index = Here();
  while_tests_.pop_back();
}

void Compiler::IfThen(const Node* node, int) {
  const int jump = Here();
  Emit(OpCode::kJumpIfFalse).a = Pop().at;
  if (region_ >= 0) EnterWay(VariesAlong(static_cast<const If*>(node)->condition));
  Push(&Compiler::IfElse, node, jump);
  Push(&Compiler::VisitStmt, static_cast<const If*>(node)->then_case.get());
}

void Compiler::IfElse(const Node* node, int jump) {
  const auto& branch = *static_cast<const If*>(node);
  stmt_ = node;
  if (!branch.else_case) {
    LeaveWay();
    code_->instrs[static_cast<size_t>(jump)].index = Here();
    return;
  }
  const int leave = Here();
  Emit(OpCode::kJump);
  code_->instrs[static_cast<size_t>(jump)].index = Here();
  Push(&Compiler::IfEnd, node, leave);
  Push(&Compiler::VisitStmt, branch.else_case.get());
}

void Compiler::IfEnd(const Node*, int jump) {
  LeaveWay();
  code_->instrs[static_cast<size_t>(jump)].index = Here();
}

void Compiler::EvaluateEnd(const Node*, int) { Pop(); }

void Compiler::LetStmtBind(const Node* node, int) {
  const auto& let = *static_cast<const LetStmt*>(node);
  Define(let.var.get(), Pop());
  if (region_ >= 0) varies_[let.var.get()] = VariesAlong(let.value);
  Push(&Compiler::LetStmtEnd, node);
  Push(&Compiler::VisitStmt, let.body.get());
}

void Compiler::LetStmtEnd(const Node* node, int) {
  Undefine(static_cast<const LetStmt*>(node)->var.get());
}

void Compiler::AssertTest(const Node* node, int) {
  // The values are computed only if the condition fails.
  const auto& check = *static_cast<const Assert*>(node);
  const Operand condition = Pop();
  const Operand failed = NewOperand(DataType::Bool());
  Emit(OpCode::kNot, failed).a = condition.at;
  const int jump = Here();
  Emit(OpCode::kJumpIfFalse).a = failed.at;
  Push(&Compiler::AssertEnd, node, jump);
  for (size_t i = check.values.size(); i-- > 0;) Root(check.values[i], node);
}

void Compiler::AssertEnd(const Node* node, int jump) {
  const auto& check = *static_cast<const Assert*>(node);
  AssertSite site;
  site.node = &check;
  site.values = PopList(check.values.size());
  Emit(OpCode::kAssertFail).index = static_cast<int>(code_->asserts.size());
  code_->asserts.push_back(std::move(site));
  code_->instrs[static_cast<size_t>(jump)].index = Here();
}

// Operands in the order data, mins, shape, strides, offset; then BufferBegin.
void Compiler::VisitBuffer(const Node* node, const BufferNode& buffer,
                           const std::vector<Range>* bounds, const Expr& data) {
  if (std::string problem = ProblemOf(buffer); !problem.empty()) Malformed(buffer, problem);
  Push(&Compiler::BufferBegin, node);
  if (bounds == nullptr) {
    if (buffer.elem_offset) Root(buffer.elem_offset, node);
    for (size_t i = buffer.strides.size(); i-- > 0;) Root(buffer.strides[i], node);
    for (size_t i = buffer.shape.size(); i-- > 0;) Root(buffer.shape[i], node);
  } else {
    for (size_t i = buffer.strides.size(); i-- > 0;) Root(buffer.strides[i], node);
    for (size_t i = bounds->size(); i-- > 0;) Root((*bounds)[i]->extent, node);
    for (size_t i = bounds->size(); i-- > 0;) Root((*bounds)[i]->min, node);
  }
  if (data) Root(data, node);
}

void Compiler::BufferBegin(const Node* node, int) {
  BufferEntry entry;
  const Stmt* body = nullptr;
  switch (node->node_kind()) {
    case NodeKind::kRealize: {
      const auto& realize = *static_cast<const Realize*>(node);
      entry.kind = BufferEntry::kRealize;
      entry.node = realize.buffer.get();
      entry.strides = PopList(realize.buffer->strides.size());
      entry.shape = PopList(realize.bounds.size());
      entry.mins = PopList(realize.bounds.size());
      body = &realize.body;
      break;
    }
    case NodeKind::kAllocate:
      entry.kind = BufferEntry::kAllocate;
      entry.node = static_cast<const Allocate*>(node)->buffer.get();
      body = &static_cast<const Allocate*>(node)->body;
      break;
    case NodeKind::kAllocConst:
      entry.kind = BufferEntry::kConstant;
      entry.node = static_cast<const AllocConst*>(node)->buffer.get();
      entry.constant = static_cast<const AllocConst*>(node)->index;
      body = &static_cast<const AllocConst*>(node)->body;
      break;
    default:
      entry.kind = BufferEntry::kView;
      entry.node = static_cast<const DeclBuffer*>(node)->buffer.get();
      body = &static_cast<const DeclBuffer*>(node)->body;
  }
  if (entry.kind != BufferEntry::kRealize) {
    if (entry.node->elem_offset) entry.offset = Pop();
    entry.strides = PopList(entry.node->strides.size());
    entry.shape = PopList(entry.node->shape.size());
  }
  stmt_ = node;
  const Var& data = entry.node->data;
  bool defines_data = true;
  if (entry.kind == BufferEntry::kView) {
    const Operand handle = Pop();
    entry.data = handle.at;
    // A view may use the variable that already names the memory.
    defines_data = !vars_.contains(data.get());
    if (defines_data) Define(data.get(), handle);
  } else {
    const Operand handle = NewOperand(DataType::Handle());
    entry.data = handle.at;
    Define(data.get(), handle);
  }
  const int slot = DefineBuffer(entry.node);
  entry.slot = slot;
  if (entry.kind == BufferEntry::kRealize || entry.kind == BufferEntry::kAllocate) {
    Place(&entry);
  }
  Emit(OpCode::kEnter).index = static_cast<int>(code_->buffers.size());
  code_->buffers.push_back(std::move(entry));
  Push(&Compiler::BufferEnd, node, defines_data ? slot : -1 - slot);
  Push(&Compiler::VisitStmt, body->get());
}

void Compiler::BufferEnd(const Node* node, int slot) {
  const bool defines_data = slot >= 0;
  if (!defines_data) slot = -1 - slot;
  const BufferNode* buffer = nullptr;
  switch (node->node_kind()) {
    case NodeKind::kRealize:
      buffer = static_cast<const Realize*>(node)->buffer.get();
      break;
    case NodeKind::kAllocate:
      buffer = static_cast<const Allocate*>(node)->buffer.get();
      break;
    case NodeKind::kAllocConst:
      buffer = static_cast<const AllocConst*>(node)->buffer.get();
      break;
    default:
      buffer = static_cast<const DeclBuffer*>(node)->buffer.get();
  }
  stmt_ = node;
  Emit(OpCode::kLeave).index = slot;
  slots_.erase(buffer);
  if (defines_data) Undefine(buffer->data.get());
}

// -- Parameters.

void Compiler::BindOrCheck(const Expr& expr, Binding binding, bool check, Operand* out) {
  const bool is_free_var = As<VarNode>(expr) != nullptr && !vars_.contains(expr.get());
  if (!check) {
    if (!is_free_var) return;
    *out = NewOperand(expr->dtype);
    Emit(OpCode::kBindShape, *out).index = static_cast<int>(code_->bindings.size());
    code_->bindings.push_back(binding);
    return Define(expr.get(), *out);
  }
  if (out->lanes != 0) return;  // bound above
  Root(expr, code_->func);
  Drain();
  *out = Pop();
  Instr& instr = Emit(OpCode::kCheckShape);
  instr.a = out->at;
  instr.type = out->type;
  instr.index = static_cast<int>(code_->bindings.size());
  code_->bindings.push_back(binding);
}

void Compiler::BindParams(const FuncNode& func) {
  if (std::string problem = ProblemOf(func); !problem.empty()) Malformed(func, problem);
  for (const NodeRef& param : func.params) {
    Parameter out;
    if (const auto* var = As<VarNode>(param)) {
      out.var = var;
      const Operand operand = NewOperand(var->dtype);
      out.place = operand.at;
      Define(var, operand);
    } else {
      out.buffer = As<BufferNode>(param);
      if (std::string problem = ProblemOf(*out.buffer); !problem.empty())
        Malformed(*out.buffer, problem);
      out.shape.resize(out.buffer->shape.size());
      out.strides.resize(out.buffer->strides.size());
      out.slot = DefineBuffer(out.buffer);
      const Operand handle = NewOperand(DataType::Handle());
      out.place = handle.at;
      Define(out.buffer->data.get(), handle);
    }
    code_->params.push_back(std::move(out));
  }
  // Every symbolic extent, stride and offset is bound where it first stands alone (S39). All other
  // expressions are checked against the bound values.
  for (const bool check : {false, true}) {
    for (size_t p = 0; p < code_->params.size(); ++p) {
      const BufferNode* buffer = code_->params[p].buffer;
      if (buffer == nullptr) continue;
      const int param = static_cast<int>(p);
      for (size_t d = 0; d < buffer->shape.size(); ++d) {
        BindOrCheck(buffer->shape[d], {Binding::kExtent, param, static_cast<int>(d)}, check,
                    &code_->params[p].shape[d]);
      }
      for (size_t d = 0; d < buffer->strides.size(); ++d) {
        BindOrCheck(buffer->strides[d], {Binding::kStride, param, static_cast<int>(d)}, check,
                    &code_->params[p].strides[d]);
      }
      if (buffer->elem_offset) {
        BindOrCheck(buffer->elem_offset, {Binding::kOffset, param, 0}, check,
                    &code_->params[p].offset);
      }
    }
  }
}

std::unique_ptr<Code> Compile(const FuncNode& func, const InterpretOptions& options) {
  return Compiler(func, options).Run();
}

}  // namespace lathe::ir::interp
