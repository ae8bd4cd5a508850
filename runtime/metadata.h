// The metadata JSON of an artefact: its contents, the target it was compiled for, and what it
// needs.
//
//   {"lathe": 1, "compiler": "0.1.0", "target": "llvm -mcpu=...", "kind": "elf", "entry": "add",
//    "devices": ["cpu"],
//    "functions": [{"name": "add", "device": "cpu", "arguments": [
//       {"name": "A", "kind": "tensor", "dtype": "float32", "rank": 1, "shape": ["n"]}, {"name":
//       "n", "kind": "int", "dtype": "int32"}]}]}
//
// "needs" (["amx-tile"]) lists what the operating system gives on request only
// (RequestProcessorState). Functions may have "outputs"; kernels of device modules may also have
// "launch" (["blockIdx.x", ...]) and "dynamic_shared" (true). Host functions have "workspace" and
// "thread_workspace": bytes, as a number or as an expression over the names of integer arguments
// and of extents in `shape` ("n * 256"); or both are null, and "workspace_unknown" states the
// reason. Functions that have an entry without checks (abi/kernel.h) have "unchecked": {"buffers":
// ["A", "B"], "sizes": ["n"]}.
//
// Unknown members are ignored, so that an older runtime reads a newer file of the same "lathe"
// version.
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
  int rank = -1;                   // tensors; -1 for any rank
  std::vector<std::string> shape;  // tensors: `rank` numbers or names (dynamic), or empty
};

struct FunctionMetadata {
  std::string name;
  std::string device = "cpu";  // the kind its tensors live on
  std::vector<ArgumentMetadata> arguments;
  std::vector<std::string> outputs;  // names of the arguments it writes; empty if not known
  // Kernels: the tags of the thread axes. After its arguments, a launch passes one extent for each
  // tag in this order, and then the bytes of dynamic shared memory (S40). Empty for other
  // functions.
  std::vector<std::string> launch;
  bool dynamic_shared = false;  // kernels: do they use dynamic shared memory?
  // The most bytes of the runtime's workspace that a call uses at once, with each block rounded up
  // to a multiple of 64: `workspace` on the calling thread outside parallel loops,
  // `thread_workspace` on each thread that runs a part of one. In the memory of `device`. Numbers
  // or expressions, like extents; empty if not stated.
  std::string workspace, thread_workspace;
  std::string workspace_unknown;  // why the function cannot state them
  // True if there is an entry without checks, which takes buffers and sizes in this order: names of
  // tensor arguments; names of symbolic extents, strides, element offsets and scalar arguments. A
  // size is an int64; for a floating-point argument it has the bits of the value as a double.
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
  std::vector<std::string> devices;  // kinds of devices that it needs
  std::vector<std::string> needs;    // requested from the operating system when loading
  std::vector<FunctionMetadata> functions;

  bool empty() const { return target.empty() && functions.empty(); }
  const FunctionMetadata* FindFunction(std::string_view name) const;
  // Adds the functions and needs of another part of the same artefact, and the other members that
  // are empty here.
  void Append(Metadata part);

  std::string ToJson() const;
  // Fails with `metadata-invalid` (with the place) or `metadata-version` (with both versions). Time
  // and memory are bounded for any input.
  static absl::StatusOr<Metadata> FromJson(std::string_view text);
};

// Checks, before any code runs, that this machine can run the artefact: the target's architecture
// and features against this processor, state that the operating system gives on request (it is
// requested here), and the needed device kinds. Fails with `module-wrong-target`,
// `module-processor-state` or `module-missing-device`, which name the requirement and what was
// found.
absl::Status CheckMetadata(const Metadata& metadata);

}  // namespace lathe::runtime
