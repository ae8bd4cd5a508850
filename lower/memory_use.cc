#include "lower/memory_use.h"

#include <algorithm>
#include <unordered_map>

#include "base/error.h"
#include "ir/constants.h"
#include "ir/walk.h"

namespace lathe::lower {
namespace {

using namespace ir;  // NOLINT: the nodes' names, in this file only

int64_t RoundUp(int64_t bytes, int64_t alignment) {
  return (bytes + alignment - 1) / alignment * alignment;
}

void CheckAlignment(int64_t alignment) {
  if (alignment >= 1) return;
  throw Error(Diagnostic{.name = "memory-alignment",
                         .message = "memory cannot be aligned to " + std::to_string(alignment),
                         .expected = "1 or more bytes"});
}

class Peak final : public Visitor {
 public:
  // For all scopes if `scope` is null.
  explicit Peak(int64_t alignment, const std::string_view* scope = nullptr)
      : Visitor(Sharing::kPerRoot), alignment_(alignment), scope_(scope) {}
  int64_t most() const { return most_; }

 protected:
  bool Enter(const Node& node) override {
    if (const auto* allocate = As<Allocate>(&node); allocate != nullptr && Counts(*allocate)) {
      live_ += BytesOf(*allocate->buffer);
      most_ = std::max(most_, live_);
    }
    return true;
  }
  void Leave(const Node& node) override {
    if (const auto* allocate = As<Allocate>(&node); allocate != nullptr && Counts(*allocate))
      live_ -= BytesOf(*allocate->buffer);
  }

 private:
  bool Counts(const Allocate& allocate) const {
    return scope_ == nullptr || allocate.buffer->scope == *scope_;
  }
  int64_t BytesOf(const BufferNode& buffer) const {
    int64_t bytes = buffer.dtype.bytes();
    for (const Expr& extent : buffer.shape) {
      const int64_t* constant = AsConstInt(extent);
      if (constant == nullptr || __builtin_mul_overflow(bytes, *constant, &bytes)) {
        throw Error(Diagnostic{.name = "memory-size-symbolic",
                               .message = "buffer `" + buffer.name + "` has no constant size",
                               .expected = "constant extents, or the function for one size"});
      }
    }
    return RoundUp(bytes, alignment_);
  }

  int64_t alignment_;
  const std::string_view* scope_;
  int64_t live_ = 0, most_ = 0;
};

// Tracks the statements from the outermost to the current one, and for each buffer those that
// contain all its uses so far.
class Ancestors final : public Visitor {
 public:
  Ancestors() : Visitor(Sharing::kPerRoot) {}

  std::vector<std::pair<Buffer, Stmt>> Take() {
    std::vector<std::pair<Buffer, Stmt>> out;
    for (const BufferNode* buffer : order_)
      out.emplace_back(Buffer(buffer), Stmt(common_.at(buffer).back()));
    return out;
  }

 protected:
  bool Enter(const Node& node) override {
    if (IsStmt(&node)) path_.push_back(static_cast<const StmtNode*>(&node));
    if (const auto* store = As<Store>(&node)) Use(store->buffer.get());
    if (const auto* load = As<Load>(&node)) {
      if (const auto* buffer = As<BufferNode>(load->source)) Use(buffer);
    }
    return true;
  }
  void Leave(const Node& node) override {
    if (IsStmt(&node)) path_.pop_back();
  }

 private:
  void Use(const BufferNode* buffer) {
    auto [it, is_new] = common_.try_emplace(buffer, path_);
    if (is_new) {
      order_.push_back(buffer);
      return;
    }
    std::vector<const StmtNode*>& common = it->second;
    const size_t shortest = std::min(common.size(), path_.size());
    size_t same = 0;
    while (same < shortest && common[same] == path_[same]) ++same;
    common.resize(same);
  }

  std::vector<const StmtNode*> path_;
  std::unordered_map<const BufferNode*, std::vector<const StmtNode*>> common_;
  std::vector<const BufferNode*> order_;
};

}  // namespace

int64_t WorkspaceBytes(const Func& func, int64_t alignment) {
  CheckAlignment(alignment);
  Peak peak(alignment);
  peak.Visit(func->body);
  return peak.most();
}

int64_t ScopeBytes(const Func& func, std::string_view scope, int64_t alignment) {
  CheckAlignment(alignment);
  Peak peak(alignment, &scope);
  peak.Visit(func->body);
  return peak.most();
}

int64_t ConstantBytes(const Func& func, int64_t alignment) {
  CheckAlignment(alignment);
  int64_t bytes = 0;
  for (const ConstantRef& constant : ConstantsIn(func->attrs))
    bytes += RoundUp(static_cast<int64_t>(constant->data->size()), alignment);
  return bytes;
}

std::vector<std::pair<Buffer, Stmt>> AccessAncestors(const Func& func) {
  Ancestors ancestors;
  ancestors.Visit(func->body);
  return ancestors.Take();
}

}  // namespace lathe::lower
