// Intrinsics of threads: barriers, warps, atomics, asynchronous copies. They are legal at every
// stage, and may be used in the bodies of extern operations and tensor intrinsics. The interpreter
// computes them (ir/interpreter/threads.h, docs/design/threads.md).
//
//   barrier(scope)   All threads of the scope arrive before one of them goes on. Then they see what
//                    the others wrote before. Scopes: "warp", "shared" (the block), "global" (all
//                    blocks of the kernel, which must then fit on the device at the same time).
//   warp_shuffle*(mask, value, x, width)
//                    Exchanges `value` among the lanes of a warp whose bits are set in `mask`. All
//                    of these lanes must make this call, and the caller must be one of them. The
//                    warp is divided into segments of `width` lanes. A lane reads from its own
//                    segment: from lane x of it, or from its own lane minus x (up), plus x (down),
//                    or xor x. If minus x or plus x leaves the segment, the result is the lane's
//                    own value. warp_shuffle takes x modulo the width; for warp_shuffle_xor, x must
//                    be less than the width.
//   warp_active_mask()
//                    The lanes of the warp that make this call together, one bit each.
//   atomic_*(place, value)
//                    Reads and writes one element, with no other thread in between. The result is
//                    the old value. Orders no other memory accesses (relaxed). `place` is a Load
//                    of the element.
//   async_copy(to, from, count)
//                    Begins to copy `count` consecutive elements; `to` and `from` are Loads of the
//                    first one. Until the copy is complete, the source must not change, and the
//                    target must not be read or written.
//   async_commit()   Makes a group of the copies that this thread began since its last commit.
//   async_wait(n)    Waits until at most the n newest groups of this thread are incomplete. Other
//                    threads see the copied elements after a later barrier.

#include <utility>

#include "ir/intrinsic_names.h"
#include "ir/intrinsic_table.h"
#include "ir/names.h"

namespace lathe::ir {
namespace {

using K = ArgKind;
using Args = std::vector<NodeRef>;

DataType ArgType(const Args& args, size_t i) { return RefExpr(args[i])->dtype; }

Intrinsic Make(std::string name, CallEffect effect, std::vector<ArgKind> args, ResultRule rule,
               std::string (*check)(const Args&, DataType), const char* doc) {
  Intrinsic entry;
  entry.name = std::move(name);
  entry.effect = effect;
  entry.args = std::move(args);
  entry.result_rule = rule;
  if (check != nullptr) entry.check = check;
  entry.doc = doc;
  return entry;
}

std::string CheckScope(const Args& args, DataType) {
  const std::string& scope = As<StringImm>(args[0])->value;
  if (scope == memory_scope::kWarp || scope == memory_scope::kShared ||
      scope == memory_scope::kGlobal)
    return "";
  return "a barrier's scope is \"warp\", \"shared\" or \"global\", not \"" + scope + "\"";
}

// The mask has one bit per lane; a warp has 32 or 64 lanes.
std::string CheckMaskType(DataType type) {
  if (type == DataType::UInt(32) || type == DataType::UInt(64)) return "";
  return "a mask of lanes is uint32 or uint64, not " + type.ToString();
}

std::string CheckActiveMask(const Args&, DataType type) { return CheckMaskType(type); }

std::string CheckShuffle(const Args& args, DataType) {
  if (std::string problem = CheckMaskType(ArgType(args, 0)); !problem.empty()) return problem;
  const auto* width = As<IntImm>(args[3]);
  if (width == nullptr || width->value < 1 || width->value > 64 ||
      (width->value & (width->value - 1)) != 0) {
    return "the width must be a constant power of two of at most 64";
  }
  return "";
}

// Checks that argument i is a Load of one element without a mask; empty if it is.
std::string CheckPlace(const Args& args, size_t i) {
  const auto* load = As<Load>(args[i]);
  if (load->mask) return "argument " + std::to_string(i + 1) + " names a place, without a mask";
  if (!load->dtype.is_scalar()) {
    return "argument " + std::to_string(i + 1) + " must be one element, not " +
           load->dtype.ToString();
  }
  return "";
}

std::string CheckAtomic(const Args& args, DataType) {
  if (std::string problem = CheckPlace(args, 0); !problem.empty()) return problem;
  for (size_t i = 1; i < args.size(); ++i) {
    if (ArgType(args, i) != ArgType(args, 0)) {
      return "argument " + std::to_string(i + 1) + " must be of the element's type " +
             ArgType(args, 0).ToString() + ", not " + ArgType(args, i).ToString();
    }
  }
  return "";
}

std::string CheckCopy(const Args& args, DataType) {
  for (const size_t i : {size_t{0}, size_t{1}}) {
    if (std::string problem = CheckPlace(args, i); !problem.empty()) return problem;
  }
  if (ArgType(args, 0) == ArgType(args, 1)) return "";
  return "both places must have one element type, not " + ArgType(args, 0).ToString() + " and " +
         ArgType(args, 1).ToString();
}

std::string CheckGroups(const Args& args, DataType) {
  const auto* count = As<IntImm>(args[0]);
  return count != nullptr && count->value >= 0 ? ""
                                               : "the number of groups must be a constant >= 0";
}

}  // namespace

std::vector<Intrinsic> ThreadIntrinsics() {
  const auto writes = CallEffect::kWrites, opaque = CallEffect::kOpaque;
  std::vector<Intrinsic> out;
  out.push_back(Make(intrinsic::kBarrier, opaque, {K::kString}, ResultRule::kVoid, CheckScope,
                     "waits for all threads of the scope: \"warp\", \"shared\" (the block) or "
                     "\"global\" (the kernel)"));
  const std::vector<ArgKind> shuffle = {K::kIndex, K::kNumber, K::kIndex, K::kIndex};
  out.push_back(Make(intrinsic::kWarpShuffle, opaque, shuffle, ResultRule::kSecond, CheckShuffle,
                     "the value of lane x of the lane's segment: (mask, value, x, width)"));
  out.push_back(Make(intrinsic::kWarpShuffleUp, opaque, shuffle, ResultRule::kSecond, CheckShuffle,
                     "the value of the lane x below, its own where there is none: (mask, value, x, "
                     "width)"));
  out.push_back(Make(intrinsic::kWarpShuffleDown, opaque, shuffle, ResultRule::kSecond,
                     CheckShuffle,
                     "the value of the lane x above, its own where there is none: (mask, value, x, "
                     "width)"));
  out.push_back(Make(intrinsic::kWarpShuffleXor, opaque, shuffle, ResultRule::kSecond, CheckShuffle,
                     "the value of the lane whose number differs by the bits x: (mask, value, x, "
                     "width)"));
  out.push_back(Make(intrinsic::kWarpActiveMask, opaque, {}, ResultRule::kCaller, CheckActiveMask,
                     "the lanes of the warp that make this call together, one bit each"));
  const std::vector<ArgKind> update = {K::kLoad, K::kNumber};
  out.push_back(Make(intrinsic::kAtomicAdd, writes, update, ResultRule::kFirst, CheckAtomic,
                     "adds to the element at once; what it held before"));
  out.push_back(Make(intrinsic::kAtomicMin, writes, update, ResultRule::kFirst, CheckAtomic,
                     "makes the element the smaller of both at once; what it held before"));
  out.push_back(Make(intrinsic::kAtomicMax, writes, update, ResultRule::kFirst, CheckAtomic,
                     "makes the element the larger of both at once; what it held before"));
  out.push_back(Make(intrinsic::kAtomicExchange, writes, update, ResultRule::kFirst, CheckAtomic,
                     "stores to the element at once; what it held before"));
  out.push_back(Make(intrinsic::kAtomicCompareExchange, writes, {K::kLoad, K::kNumber, K::kNumber},
                     ResultRule::kFirst, CheckAtomic,
                     "stores the third where the element equals the second, at once; what it held "
                     "before"));
  out.push_back(Make(intrinsic::kAsyncCopy, writes, {K::kLoad, K::kLoad, K::kIndex},
                     ResultRule::kVoid, CheckCopy,
                     "begins to copy elements to the first place from the second: (to, from, "
                     "count)"));
  out.push_back(Make(intrinsic::kAsyncCommit, opaque, {}, ResultRule::kVoid, nullptr,
                     "makes a group of the copies that this thread began since the last commit"));
  out.push_back(Make(intrinsic::kAsyncWait, opaque, {K::kIndex}, ResultRule::kVoid, CheckGroups,
                     "waits until at most n groups of this thread's copies are under way"));
  return out;
}

}  // namespace lathe::ir
