#include "lower/device/barrier_errors.h"

#include "absl/strings/str_join.h"
#include "base/error.h"
#include "ir/text/printer.h"

namespace lathe::lower {
namespace {

std::string ConditionOrLoop(const ir::Node& cause) {
  return cause.node_kind() == ir::NodeKind::kIf ? "a condition" : "a loop";
}

// "a store of `C[i, 0]`".
std::string Described(const ThreadAccess& access) {
  std::string place = access.buffer->name;
  if (!access.vague && !access.indices.empty()) {
    std::vector<std::string> indices;
    for (const ir::Expr& index : access.indices) indices.push_back(ir::ToText(index));
    place += "[" + absl::StrJoin(indices, ", ") + "]";
  }
  return std::string(access.write ? "a store of `" : "a read of `") + place + "`" +
         (access.vague ? " at a place that is not known" : "");
}

}  // namespace

void RefuseDivergentThreads(const ir::Node& cause, const ir::BufferNode* buffer) {
  throw Error(Diagnostic{
      .name = "barrier-divergent",
      .message = buffer == nullptr
                     ? std::string("a barrier stands where not all threads of a block arrive")
                     : "threads must meet between accesses of `" + buffer->name +
                           "`, where not all threads of a block arrive",
      .expected = "barriers outside conditions and loops that differ between threads",
      .found = "one within " + ConditionOrLoop(cause) +
               " that depends on the thread's index or on memory",
      .help = "attach the stage that fills the buffer to a loop outside, or split loops so that "
              "their ranges are the same for all threads"});
}

void RefuseDivergentBlocks(const ir::Node& cause, const ir::BufferNode& buffer) {
  throw Error(Diagnostic{
      .name = "barrier-divergent",
      .message = "blocks must meet between accesses of `" + buffer.name +
                 "`, where not all of them arrive",
      .expected = "elements that one block alone touches, or a place that all blocks come to",
      .found = "one within " + ConditionOrLoop(cause) + " that depends on the block's index",
      .help = "compute the stage that fills the buffer in a kernel of its own"});
}

void RefuseGridBarrier(const ThreadAccess& earlier, const ThreadAccess& later,
                       const std::vector<std::string>& blocks) {
  const std::string& name = later.buffer->name;
  throw Error(
      Diagnostic{.name = "barrier-grid",
                 .message = "all blocks must meet between accesses of `" + name +
                            "`, and the device has no barrier over all blocks",
                 .expected = "elements of `" + name + "` that provably one block alone touches",
                 .found = Described(earlier) + ", then " + Described(later) +
                          ", where the blocks are those of " + absl::StrJoin(blocks, ", "),
                 .help = "keep what a block accumulates in its own memory (cache_write with scope "
                         "\"local\" or \"shared\"), or compute the stage that fills `" +
                         name + "` in a kernel of its own"});
}

}  // namespace lathe::lower
