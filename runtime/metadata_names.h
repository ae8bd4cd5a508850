// Names that stand in the metadata of modules, each once (metadata.h says what they mean).
#pragma once

namespace lathe::runtime {

// Kinds of arguments (ArgumentMetadata::kind).
namespace argument_kind {
inline constexpr char kTensor[] = "tensor";
inline constexpr char kInt[] = "int";
inline constexpr char kFloat[] = "float";
inline constexpr char kBool[] = "bool";
inline constexpr char kHandle[] = "handle";
inline constexpr char kString[] = "string";
inline constexpr char kStream[] = "stream";
}  // namespace argument_kind

// Keys of the JSON.
namespace metadata_key {
inline constexpr char kArguments[] = "arguments";
inline constexpr char kBuffers[] = "buffers";
inline constexpr char kCompiler[] = "compiler";
inline constexpr char kDevice[] = "device";
inline constexpr char kDevices[] = "devices";
inline constexpr char kDtype[] = "dtype";
inline constexpr char kDynamicShared[] = "dynamic_shared";
inline constexpr char kEntry[] = "entry";
inline constexpr char kFunctions[] = "functions";
inline constexpr char kKind[] = "kind";
inline constexpr char kLathe[] = "lathe";  // the version
inline constexpr char kLaunch[] = "launch";
inline constexpr char kName[] = "name";
inline constexpr char kNeeds[] = "needs";
inline constexpr char kOutputs[] = "outputs";
inline constexpr char kRank[] = "rank";
inline constexpr char kShape[] = "shape";
inline constexpr char kSizes[] = "sizes";
inline constexpr char kTarget[] = "target";
inline constexpr char kThreadWorkspace[] = "thread_workspace";
inline constexpr char kUnchecked[] = "unchecked";
inline constexpr char kWorkspace[] = "workspace";
inline constexpr char kWorkspaceUnknown[] = "workspace_unknown";
}  // namespace metadata_key

}  // namespace lathe::runtime
