// The metadata JSON that an artefact carries: what it contains, for whom it was compiled, what it
// needs.
//
//   {"lathe": 1, "compiler": "0.1.0", "target": "llvm -mcpu=...", "kind": "elf", "entry": "add",
//    "devices": ["cpu"],
//    "functions": [{"name": "add", "device": "cpu", "arguments": [
//       {"name": "A", "kind": "tensor", "dtype": "float32", "rank": 1, "shape": ["n"]}, {"name":
//       "n", "kind": "int", "dtype": "int32"}]}]}
//
// "needs" (["amx-tile"]) names what the operating system gives on request only
// (RequestProcessorState). Functions may have "outputs"; kernels of device modules also "launch"
// (["blockIdx.x", ...]) and "dynamic_shared" (true). Functions of the host have "workspace" and
// "thread_workspace": bytes, as a number or as an expression over the names of integer arguments
// and of what `shape` names ("n * 256"); or both are null, and "workspace_unknown" says why. Those
// that have an entry without checks (abi/kernel.h) have "unchecked": {"buffers": ["A", "B"],
// "sizes": ["n"]}.
//
// Unknown members are kept out but not refused, so that an older runtime reads a newer file of the
// same "lathe" version.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace lathe::runtime {

inline constexpr int kMetadataVersion = 1;

struct ArgumentMetadata {
  std::string name;
  std::string kind = "tensor";     // "tensor", "int", "float", "bool", "handle", "string", "stream"
  std::string dtype;               // "float32"; of the elements for a tensor
  int rank = -1;                   // tensors; -1 where any
  std::vector<std::string> shape;  // tensors: numbers, or names where dynamic; empty or `rank` many
};

struct FunctionMetadata {
  std::string name;
  std::string device = "cpu";  // the kind its tensors live on
  std::vector<ArgumentMetadata> arguments;
  std::vector<std::string> outputs;  // names of the arguments it writes; empty where not known
  // Kernels: tags of the thread axes. A launch passes after the arguments one extent for each, in
  // this order, and last the bytes of dynamic shared memory (S40). Empty for other functions.
  std::vector<std::string> launch;
  bool dynamic_shared = false;  // kernels: do they use dynamic shared memory?
  // The most bytes of the runtime's workspace that a call holds at once, each block a multiple of
  // 64: on the calling thread outside of parallel loops, and of each thread that runs a part of
  // one. Of the memory of `device`. Numbers or expressions, like extents; empty where not stated.
  std::string workspace, thread_workspace;
  std::string workspace_unknown;  // why the function cannot state them
  // Its entry without checks takes buffers and sizes in this order: names of tensor arguments, and
  // of symbolic extents, strides, element offsets and scalar arguments. A size is an int64; of a
  // floating-point argument the bits of its value as a double.
  bool unchecked = false;
  std::vector<std::string> entry_buffers, entry_sizes;

  // "add(A: float32[n], B: float32[n], n: int32)"
  std::string Signature() const;
};

struct Metadata {
  int version = kMetadataVersion;
  std::string compiler;
  std::string target;                // of the first part
  std::string kind;                  // of the module: "elf", "cuda", ...
  std::string entry;                 // may be empty
  std::vector<std::string> devices;  // kinds that must exist to run it
  std::vector<std::string> needs;    // what is asked of the operating system on loading
  std::vector<FunctionMetadata> functions;

  bool empty() const { return target.empty() && functions.empty(); }
  const FunctionMetadata* FindFunction(std::string_view name) const;
  // Takes the functions and needs of another part of the same artefact, and the rest where this has
  // none.
  void Append(Metadata part);

  std::string ToJson() const;
  // Fails with `metadata-invalid` (where) or `metadata-version` (both versions). Bounded; any input
  // is fine.
  static absl::StatusOr<Metadata> FromJson(std::string_view text);
};

// Whether this machine can run it at all, before anything runs: the target's architecture and
// features against this processor's, what the operating system gives on request (it is asked for),
// and the device kinds needed. Fails with `module-wrong-target`, `module-processor-state` or
// `module-missing-device`, naming both sides.
absl::Status CheckMetadata(const Metadata& metadata);

}  // namespace lathe::runtime
