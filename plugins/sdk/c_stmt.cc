// Statements: loops, branches, definitions, memory.
#include <algorithm>

#include "base/error.h"
#include "ir/names.h"
#include "ir/walk.h"
#include "plugins/sdk/c_emitter.h"

namespace lathe::sdk::internal {

using ir::As;
using ir::NodeKind;

namespace {

// The alignment of the widest vectors; arrays of fewer bytes get less.
constexpr int64_t kMostAlignment = 64;

int64_t ConstantSize(const ir::BufferNode& buffer) {
  int64_t count = buffer.dtype.lanes();
  for (const ir::Expr& extent : buffer.shape) {
    const int64_t* value = ir::AsConstInt(extent);
    if (value == nullptr) return -1;
    count *= *value;
  }
  return count;
}

}  // namespace

void CEmitter::Define(const ir::VarNode& var, CValue value) {
  if (host_ && var.dtype.is_handle()) return DefineHandle(var, std::move(value));
  if (var.dtype.is_handle()) {
    LATHE_CHECK(value.is_place) << "a handle that is no address";
    vars_[&var] = std::move(value);
    return;
  }
  Materialise(&value);
  const DataType part = PartOf(var.dtype);
  const std::string name = NewName(var.name);
  for (size_t i = 0; i < value.parts.size(); ++i) {
    const std::string own =
        value.parts.size() == 1 ? name : NewName(name + "_" + std::to_string(i));
    out_.Add("const " + d_.Type(part) + " " + own + " = " + Bare(value.parts[i]) + ";");
    value.parts[i] = own;
  }
  value.depth = 0;
  value.type = var.dtype;
  vars_[&var] = std::move(value);
}

// Called before each child of a statement or of a Let.
void CEmitter::BeginBody(const ir::Edge& edge) {
  switch (edge.parent->node_kind()) {
    case NodeKind::kFor:
      if (edge.Is("body")) BeginFor(static_cast<const ir::For&>(*edge.parent));
      break;
    case NodeKind::kIf:
      if (edge.Is("then_case")) out_.Open("if (" + Bare(Scalar(Pop())) + ") {");
      if (edge.Is("else_case")) out_.Close("} else {"), out_.Reopen();
      break;
    case NodeKind::kLetStmt:
      if (edge.Is("body")) {
        const auto& let = static_cast<const ir::LetStmt&>(*edge.parent);
        definitions_[let.var.get()] = let.value;
        Define(*let.var, Pop());
      }
      break;
    case NodeKind::kLet:
      if (edge.Is("body")) {
        const auto& let = static_cast<const ir::Let&>(*edge.parent);
        definitions_[let.var.get()] = let.value;
        Define(*let.var, Pop());
      }
      break;
    case NodeKind::kAllocate:
      if (edge.Is("body")) BeginAllocate(static_cast<const ir::Allocate&>(*edge.parent));
      break;
    case NodeKind::kAllocConst:
      if (edge.Is("body")) BeginConstant(static_cast<const ir::AllocConst&>(*edge.parent));
      break;
    case NodeKind::kDeclBuffer:
      if (edge.Is("body")) BeginView(static_cast<const ir::DeclBuffer&>(*edge.parent));
      break;
    default:
      break;
  }
}

void CEmitter::BeginFor(const ir::For& loop) {
  CValue extent = Pop(), min = Pop();
  const std::string type = d_.Type(loop.var->dtype);
  const int64_t* first = ir::AsConstInt(loop.min);
  if (first != nullptr && *first >= 0) nonnegative_.insert(loop.var.get());
  const std::string name = NewName(loop.var->name);
  vars_[loop.var.get()] = {.type = loop.var->dtype, .parts = {name}};
  if (loop.for_kind == ir::ForKind::kThread) {
    // An axis of one thread. Compilers warn of variables that nothing reads.
    if (!ir::UsesVar(loop.body, loop.var)) return;
    std::string at = "(" + type + ")" + d_.ThreadIndex(loop.thread_tag);
    if (first == nullptr || *first != 0) at = Scalar(std::move(min)) + " + " + at;
    out_.Add("const " + type + " " + name + " = " + at + ";");
    return;
  }
  if (loop.for_kind != ir::ForKind::kSerial)
    NotFlat("a loop is neither serial nor bound to a thread axis");
  Name(&min);
  Name(&extent);
  const std::string begin = Scalar(std::move(min)), count = Scalar(std::move(extent));
  const std::string end = first != nullptr && *first == 0 ? count : begin + " + " + count;
  if (const auto unroll = loop.annotations.find(ir::annotation::kUnroll);
      unroll != loop.annotations.end()) {
    if (const std::string pragma = d_.UnrollPragma(); !pragma.empty()) out_.Add(pragma);
  }
  out_.Open("for (" + type + " " + name + " = " + begin + "; " + name + " < " + end + "; ++" +
            name + ") {");
}

void CEmitter::BeginAllocate(const ir::Allocate& allocate) {
  const ir::BufferNode& buffer = *allocate.buffer;
  const std::string scope = ir::ScopeOf(buffer);
  Memory memory{.element = buffer.dtype.element_of(), .scope = scope};
  if (const auto found = shared_.find(&buffer); found != shared_.end()) {
    memory.name = found->second.name;
    memory.alignment = found->second.alignment;
    memory.scope = ir::memory_scope::kShared;
  } else {
    const int64_t count = ConstantSize(buffer);
    if (count < 0)
      CDialect::Unsupported("array whose size is not a constant, such as `" + buffer.name + "`",
                            "give the stage a constant extent, or put it in shared memory");
    memory.name = NewName(buffer.name);
    memory.alignment = ArrayAlignment(buffer, count);
    out_.Add(d_.Array(scope, memory.element, memory.name, std::max<int64_t>(count, 1),
                      memory.alignment));
  }
  memory_[buffer.data.get()] = std::move(memory);
}

int64_t CEmitter::ArrayAlignment(const ir::BufferNode& buffer, int64_t count) const {
  const int64_t element = buffer.dtype.element_of().bytes();
  int64_t alignment = element;
  while (alignment < kMostAlignment && alignment < count * element) alignment *= 2;
  return std::max(alignment, buffer.alignment);
}

void CEmitter::BeginConstant(const ir::AllocConst& constant) {
  const DataType element = constant.buffer->dtype.element_of();
  memory_[constant.buffer->data.get()] = {.name = helpers_.Constant(constant.index),
                                          .element = helpers_.ConstantElement(element),
                                          .scope = ir::memory_scope::kConstant,
                                          .alignment = element.bytes()};
}

void CEmitter::BeginView(const ir::DeclBuffer& view) {
  CValue data = Pop();
  const ir::BufferNode& buffer = *view.buffer;
  const auto root = roots_.find(buffer.data.get());
  const ir::Node* parameter = root == roots_.end() ? nullptr : root->second;
  // If a view covers the whole memory with the same type, it needs no name of its own.
  const Memory* whole = nullptr;
  if (As<ir::VarNode>(view.data) != nullptr) {
    const auto found = memory_.find(view.data.get());
    if (found != memory_.end()) whole = &found->second;
  }
  Memory memory;
  if (whole != nullptr) {
    memory = *whole;
  } else {
    LATHE_CHECK(data.is_place || host_) << "the view `" << buffer.name << "` is of no address";
    memory = {.name = "", .scope = data.scope, .alignment = data.alignment, .parameter = parameter};
  }
  if (!memory.is_image && (whole == nullptr || whole->element != buffer.dtype.element_of())) {
    const DataType element = buffer.dtype.element_of();
    const bool constant = memory.scope == ir::memory_scope::kConstant ||
                          (parameter != nullptr && written_.count(parameter) == 0);
    const std::string type = d_.Pointer(memory.scope, element, constant);
    const std::string name = NewName(buffer.name);
    out_.Add(type + " " + name + " = (" + type + ")" + data.parts.at(0) + ";");
    memory.name = name;
    memory.element = element;
  }
  memory.alignment = std::max(memory.alignment, buffer.alignment);
  memory_[buffer.data.get()] = std::move(memory);
}

void CEmitter::LeaveStmt(const ir::Node& node) {
  switch (node.node_kind()) {
    case NodeKind::kStore:
      return EmitStore(static_cast<const ir::Store&>(node));
    case NodeKind::kFor:
      if (static_cast<const ir::For&>(node).for_kind != ir::ForKind::kThread) out_.Close();
      return;
    case NodeKind::kIf:
    case NodeKind::kWhile:
      return out_.Close();
    case NodeKind::kEvaluate: {
      const auto& evaluate = static_cast<const ir::Evaluate&>(node);
      // Calls with effects have become statements already; the remaining value has none.
      if (!evaluate.value->dtype.is_void()) Pop();
      return;
    }
    case NodeKind::kSeq:
    case NodeKind::kLetStmt:
    case NodeKind::kAllocate:
    case NodeKind::kAllocConst:
    case NodeKind::kDeclBuffer:
    case NodeKind::kAttr:
    case NodeKind::kPrefetch:
      return;
    default:
      NotFlat(std::string("a ") + ir::NodeKindName(node.node_kind()) + " is not lowered");
  }
}

}  // namespace lathe::sdk::internal
