#include "lower/cse_numbers.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/poll.h"
#include "ir/intrinsic.h"
#include "ir/intrinsic_names.h"

namespace lathe::lower {

using namespace ir;  // NOLINT: the nodes' names, in this file only

namespace {

bool IsLeaf(const ExprNode& node) {
  switch (node.node_kind()) {
    case NodeKind::kIntImm:
    case NodeKind::kFloatImm:
    case NodeKind::kStringImm:
    case NodeKind::kVarNode:
      return true;
    default:
      return false;
  }
}

// A condition with this many nodes, counting shared ones at every use, is worth a variable.
constexpr size_t kLargeCondition = 1000;

bool IsConstant(const ExprNode& node) { return IsLeaf(node) && As<VarNode>(&node) == nullptr; }

}  // namespace

size_t ValueNumbers::KeyHash::operator()(const std::vector<uint64_t>& key) const {
  uint64_t hash = 0x9e3779b97f4a7c15u;
  for (const uint64_t word : key) {
    hash = (hash ^ word) * 0xff51afd7ed558ccdu;
    hash ^= hash >> 32;
  }
  return hash;
}

uint64_t ValueNumbers::Intern(const std::string& text) {
  return texts_.emplace(text, texts_.size()).first->second;
}

bool ValueNumbers::TakeEffect() { return std::exchange(effect_, false); }

// -- Memory.

const Node* ValueNumbers::Memory(const Node* handle) {
  auto it = memory_.find(handle);
  while (it != memory_.end()) {
    handle = it->second;
    it = memory_.find(handle);
  }
  return handle;
}

void ValueNumbers::Wrote(const Buffer& buffer) { writes_[Memory(buffer->data.get())] = ++stores_; }

void ValueNumbers::Derive(const Var& handle, const Expr& from) {
  // Addresses that are loaded from memory are not tracked: the arguments of a function do not alias
  // (S42).
  std::vector<const ExprNode*> pending{from.get()};
  while (!pending.empty()) {
    const ExprNode* node = pending.back();
    pending.pop_back();
    const Node* source = nullptr;
    if (node->node_kind() == NodeKind::kVarNode && node->dtype.is_handle()) source = node;
    if (const auto* load = As<Load>(node)) {
      if (const auto* buffer = As<BufferNode>(load->source)) source = buffer->data.get();
    }
    if (source != nullptr) {
      const Node* a = Memory(handle.get());
      const Node* b = Memory(source);
      if (a != b) memory_[a] = b;
      continue;
    }
    if (const auto* call = As<Call>(node)) {
      if (call->op == intrinsic::kAccessPtr) {
        if (const auto* buffer = As<BufferNode>(call->args[0])) {
          const Node* a = Memory(handle.get());
          const Node* b = Memory(buffer->data.get());
          if (a != b) memory_[a] = b;
        }
        continue;
      }
      if (call->op != intrinsic::kAddressOf && call->op != intrinsic::kIfThenElse &&
          call->op != intrinsic::kReinterpret)
        continue;
    }
    for (const ExprNode* child : OperandsOf(*node)) pending.push_back(child);
  }
}

// -- Numbers.

bool ValueNumbers::KeyOf(const ExprNode& node, const std::vector<Id>& children,
                         std::vector<uint64_t>* key) {
  const DLDataType type = node.dtype.dl();
  key->push_back(static_cast<uint64_t>(node.node_kind()) | uint64_t{type.code} << 8 |
                 uint64_t{type.bits} << 16 | uint64_t{type.lanes} << 24);
  switch (node.node_kind()) {
    case NodeKind::kIntImm:
      key->push_back(static_cast<uint64_t>(static_cast<const IntImm&>(node).value));
      return true;
    case NodeKind::kFloatImm:
      key->push_back(std::bit_cast<uint64_t>(static_cast<const FloatImm&>(node).value));
      return true;
    case NodeKind::kStringImm:
      key->push_back(Intern(static_cast<const StringImm&>(node).value));
      return true;
    case NodeKind::kVarNode:
      key->push_back(reinterpret_cast<uintptr_t>(&node));
      return true;
    case NodeKind::kLoad: {
      const auto* buffer = As<BufferNode>(static_cast<const Load&>(node).source);
      if (buffer == nullptr) return false;
      key->push_back(reinterpret_cast<uintptr_t>(buffer));
      key->push_back(state_);
      const auto written = writes_.find(Memory(buffer->data.get()));
      key->push_back(written == writes_.end() ? 0 : written->second);
      break;
    }
    case NodeKind::kCall: {
      const auto& call = static_cast<const Call&>(node);
      if (EffectOf(call) != CallEffect::kPure || !call.attrs.empty()) return false;
      if (children.size() != call.args.size()) return false;  // buffers among them
      key->push_back(Intern(call.op));
      break;
    }
    case NodeKind::kCast:
    case NodeKind::kNot:
    case NodeKind::kSelect:
    case NodeKind::kRamp:
    case NodeKind::kBroadcast:
    case NodeKind::kShuffle:
      break;
    default:
      if (!BinaryOperands(&node)) return false;
  }
  key->insert(key->end(), children.begin(), children.end());
  return true;
}

bool ValueNumbers::IsWorth(const ExprNode& node, size_t tree) const {
  const DataType type = node.dtype;
  // Conditions stay where passes look for guards, except those that are too large to write out;
  // ramps and broadcasts describe how memory is accessed.
  const bool large = type.is_bool() && tree >= kLargeCondition;
  if (!(type.is_integral() || type.is_float() || large) || type.is_scalable()) return false;
  const OperandList operands = OperandsOf(node);
  switch (node.node_kind()) {
    case NodeKind::kRamp:
    case NodeKind::kBroadcast:
    case NodeKind::kShuffle:
      return false;
    case NodeKind::kAdd:
    case NodeKind::kSub:
      // Address computation does this for free.
      return !(IsLeaf(*operands[0]) && IsLeaf(*operands[1]) &&
               (IsConstant(*operands[0]) || IsConstant(*operands[1])));
    case NodeKind::kCast:
      return !(IsLeaf(*operands[0]) && type.is_integral() && operands[0]->dtype.is_integral());
    case NodeKind::kCall:
      return !operands.empty();
    default:
      return !operands.empty();
  }
}

ValueNumbers::Id ValueNumbers::Make(const ExprNode& node, const std::vector<Id>& children,
                                    bool is_place) {
  Value value;
  const auto* call = As<Call>(&node);
  const bool is_load = node.node_kind() == NodeKind::kLoad;
  for (const Id child : children) {
    value.local = value.local || values_[child].local;
    value.volatile_ = value.volatile_ || values_[child].volatile_;
  }
  size_t tree = 1;
  for (const Id child : children) tree = std::min(tree + values_[child].tree, kLargeCondition);
  std::vector<uint64_t> key;
  const bool shared = !is_place && KeyOf(node, children, &key);
  if (shared) {
    const auto [at, is_new] = by_key_.emplace(std::move(key), static_cast<Id>(values_.size()));
    if (!is_new) return at->second;
  }
  if (call != nullptr) {
    effect_ = effect_ || EffectOf(*call) >= CallEffect::kWrites;
    value.has_arms = call->op == intrinsic::kIfThenElse;
  }
  value.local = value.local || local_vars_.count(&node) != 0;
  value.volatile_ = value.volatile_ || is_load || !shared;
  value.worthy = shared && !value.local && IsWorth(node, tree);
  value.tree = static_cast<uint32_t>(tree);
  value.expr = Expr(&node);
  value.first_child = static_cast<uint32_t>(children_.size());
  value.num_children = static_cast<uint32_t>(children.size());
  children_.insert(children_.end(), children.begin(), children.end());
  values_.push_back(std::move(value));
  return static_cast<Id>(values_.size() - 1);
}

const ValueNumbers::Id* ValueNumbers::Remembered(const Node* node) const {
  if (const auto at = stable_.find(node); at != stable_.end()) return &at->second;
  const auto at = present_.find(node);
  return at == present_.end() ? nullptr : &at->second;
}

ValueNumbers::Id ValueNumbers::Number(const Expr& root) {
  if (present_state_ != state_ + stores_) present_.clear();
  present_state_ = state_ + stores_;
  struct Frame {
    const ExprNode* node;
    bool is_place;  // an address: the element's value is not read
    OperandList operands;
    std::vector<Id> ids;
  };
  std::vector<Frame> stack;
  Id done = 0;
  // True if the node has its number already, in `done`.
  auto start = [&](const ExprNode* node, bool is_place) {
    if (const Id* known = is_place ? nullptr : Remembered(node)) {
      done = *known;
      return true;
    }
    if (const auto* let = As<Let>(node)) local_vars_.insert(let->var.get());
    stack.push_back({node, is_place, OperandsOf(*node), {}});
    return false;
  };
  bool finished = start(root.get(), false);
  while (!stack.empty()) {
    Poll();
    Frame& frame = stack.back();
    if (std::exchange(finished, false)) frame.ids.push_back(done);
    if (frame.ids.size() < frame.operands.size()) {
      const auto* call = As<Call>(frame.node);
      finished = start(frame.operands[frame.ids.size()],
                       call != nullptr && call->op == intrinsic::kAddressOf);
      continue;
    }
    done = Make(*frame.node, frame.ids, frame.is_place);
    if (!frame.is_place) (values_[done].volatile_ ? present_ : stable_)[frame.node] = done;
    stack.pop_back();
    finished = true;
  }
  return done;
}

}  // namespace lathe::lower
