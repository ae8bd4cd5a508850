// Tables of the nodes, loops and intrinsics that each stage allows.

#include "ir/intrinsic.h"
#include "ir/intrinsic_names.h"
#include "ir/verifier.h"

namespace lathe::ir {
namespace {

// A kind that is not in a table is allowed at every stage.

constexpr unsigned Bit(Stage stage) { return 1u << static_cast<unsigned>(stage); }
constexpr unsigned kTe = Bit(Stage::kTe), kScheduled = Bit(Stage::kScheduled),
                   kTile = Bit(Stage::kTile), kFlat = Bit(Stage::kFlat);
constexpr unsigned kNone = 0;
constexpr unsigned kAll = kTe | kScheduled | kTile | kFlat;

struct KindRule {
  NodeKind kind;
  unsigned stages;
};
constexpr KindRule kKindRules[] = {
    // te
    {NodeKind::kReduce, kTe},
    {NodeKind::kReducerNode, kTe},
    {NodeKind::kTensorNode, kTe},
    {NodeKind::kPlaceholderOp, kTe},
    {NodeKind::kComputeOp, kTe},
    {NodeKind::kScanOp, kTe},
    {NodeKind::kExternOp, kTe},
    {NodeKind::kTensorComputeOp, kTe},
    {NodeKind::kTensorIntrinNode, kTe},
    {NodeKind::kProgramNode, kTe},
    {NodeKind::kStepNode, kTe},
    // Graphs are no part of a module of functions.
    {NodeKind::kTensorType, kNone},
    {NodeKind::kTupleType, kNone},
    {NodeKind::kFuncType, kNone},
    {NodeKind::kTypeRef, kNone},
    {NodeKind::kGraphVarNode, kNone},
    {NodeKind::kGraphBinding, kNone},
    {NodeKind::kGraphBlock, kNone},
    {NodeKind::kGraphCall, kNone},
    {NodeKind::kGraphTuple, kNone},
    {NodeKind::kGraphTupleGet, kNone},
    {NodeKind::kGraphFunc, kNone},
    {NodeKind::kGraphInvoke, kNone},
    {NodeKind::kGraphIf, kNone},
    {NodeKind::kGraphLoop, kNone},
    {NodeKind::kGraphModuleNode, kNone},
    {NodeKind::kGraphConstructor, kNone},
    {NodeKind::kGraphDataType, kNone},
    {NodeKind::kGraphConstruct, kNone},
    {NodeKind::kGraphMatch, kNone},
    {NodeKind::kGraphCase, kNone},
    // The loop nest of a schedule, before its memory is laid out.
    {NodeKind::kRealize, kScheduled},
    {NodeKind::kIterVarNode, kTe | kScheduled | kTile},
    // Before code generation, errors become branches and calls.
    {NodeKind::kAssert, kTe | kScheduled | kTile},
};

struct ForRule {
  ForKind kind;
  unsigned stages;
};
constexpr ForRule kForRules[] = {
    {ForKind::kSerial, kAll},
    {ForKind::kThread, kAll},  // in kernels of devices
    {ForKind::kParallel, kTe | kScheduled | kTile},
    {ForKind::kVectorized, kTe | kScheduled | kTile},
    {ForKind::kUnrolled, kTe | kScheduled | kTile},
};

struct IntrinsicRule {
  std::string_view name;
  unsigned stages;
};
// The calling convention appears when arguments are bound, at the end of tile.
constexpr unsigned kBound = kTile | kFlat;
constexpr IntrinsicRule kIntrinsicRules[] = {
    {intrinsic::kCallPacked, kTe | kScheduled | kTile},
    {intrinsic::kArgKind, kBound},
    {intrinsic::kArgValue, kBound},
    {intrinsic::kTensorField, kBound},
    {intrinsic::kShapeAt, kBound},
    {intrinsic::kSlotLoad, kBound},
    {intrinsic::kSlotStore, kBound},
    {intrinsic::kPointerAt, kBound},
    {intrinsic::kWorkspaceAt, kBound},
    {intrinsic::kStackSlots, kBound},
    {intrinsic::kStackValues, kBound},
    {intrinsic::kStackTensor, kBound},
    {intrinsic::kValueSet, kBound},
    {intrinsic::kValueGet, kBound},
    {intrinsic::kValueKind, kBound},
    {intrinsic::kRuntimeCall, kBound},
    {intrinsic::kRaise, kBound},
    {intrinsic::kFunctionAddress, kBound},
    {intrinsic::kCallSiteCache, kBound},
    {intrinsic::kCallPlain, kScheduled | kTile | kFlat},
    {intrinsic::kReturn, kScheduled | kTile | kFlat},
};

template <class Rules, class Key>
unsigned StagesOf(const Rules& rules, const Key& key) {
  for (const auto& [what, stages] : rules) {
    if (what == key) return stages;
  }
  return kAll;
}

}  // namespace

const char* StageName(Stage stage) {
  switch (stage) {
    case Stage::kTe:
      return "te";
    case Stage::kScheduled:
      return "scheduled";
    case Stage::kTile:
      return "tile";
    case Stage::kFlat:
      return "flat";
  }
  return "";
}

bool StageAllows(Stage stage, NodeKind kind) {
  return (StagesOf(kKindRules, kind) & Bit(stage)) != 0;
}
bool StageAllows(Stage stage, ForKind kind) {
  return (StagesOf(kForRules, kind) & Bit(stage)) != 0;
}
bool StageAllowsIntrinsic(Stage stage, std::string_view name) {
  return FindIntrinsic(name) != nullptr && (StagesOf(kIntrinsicRules, name) & Bit(stage)) != 0;
}

}  // namespace lathe::ir
