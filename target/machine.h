// A machine described as data: what the compiler needs to know of hardware, a stranger's too. What
// a target's machine is, machine_of.h says; this much of it stands in the manifest of its plugin:
//
//   {"memory": [{"scope": "acme.buf", "bytes": 262144, "alignment": 64, "per": "core",
//   "reachable_by": ["dma"]}],
//    "axes": [{"tag": "acme.core", "max": 4}],
//    "pointer_arithmetic": true,
//    "grid_barrier": true,
//    "limits": {"max_threads_per_block": 1024},
//    "dtypes": {"*": ["float32"], "matmul": ["int8", "float16"]},
//    "vector_widths": {"float32": 16},
//    "intrinsics": [{"name": "acme.dma", "effect": "write", "body": "...", "doc": "..."}],
//    "tensor_intrinsics": [{"name": "acme.mm16", "pattern": "...", "body": "...", "doc": "..."}]}
//
// Texts of intrinsics are text IR, carried as they are; whoever uses them parses them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "base/dtype.h"
#include "runtime/json.h"

namespace lathe::target {

// A kind of memory. Scratchpads are planned by the compiler from `bytes`; the plugin gets offsets.
struct MemoryScope {
  std::string scope;
  uint64_t bytes = 0;                     // 0: not limited
  uint64_t alignment = 1;                 // of what is placed there; a power of two
  bool per_core = false;                  // one for each core, or one shared by all
  std::vector<std::string> reachable_by;  // units that can read and write it; empty: all
};

// A loop that can be bound to hardware: "threadIdx.x", or a core axis such as "acme.core".
struct ThreadAxis {
  std::string tag;
  int64_t max = 0;  // largest extent; 0: not limited
};

// Called by name through the IR's one Call node.
struct Intrinsic {
  std::string name;
  std::string effect;  // "pure", "read", "write", "opaque"
  std::string body;    // reference body as text IR: what the interpreter runs; "" where it has none
  std::string doc;
};

// A block of computation that one instruction (or a few) does.
struct TensorIntrinsic {
  std::string name;
  std::string pattern;  // text IR: what it matches
  std::string body;     // text IR: what replaces it
  std::string doc;
};

enum class Architecture { kX86, kAArch64, kOther };  // kX86: of 64 bits

// A cache of data.
struct Cache {
  int64_t bytes = 0;    // 0: there is none, or nobody says
  bool shared = false;  // by several cores
};

struct Machine {
  // What schedules choose tiles by. Where neither the target nor its manifest says more, it is what
  // processors of the last ten years have at least: choices that it decides lose little where there
  // is more.
  Architecture architecture = Architecture::kOther;
  int vector_bytes = 16;
  int vector_registers = 16;
  Cache l1{32 * 1024, false};
  Cache l2{512 * 1024, false};
  Cache l3{0, true};
  int cores = 1;
  // As the target's -mattr= names them: "avx512vnni", "amx-int8", "dotprod"; for GPUs "mma".
  std::set<std::string, std::less<>> features;

  bool Has(std::string_view feature) const { return features.find(feature) != features.end(); }
  // Results of so many bytes and more have mostly left the caches when they are complete: the
  // size of the last cache.
  int64_t StreamedBytes() const;
  // Elements of a vector register.
  int64_t Lanes(DataType dtype) const { return vector_bytes * 8 / dtype.bits(); }

  // -- From the manifest.
  std::vector<MemoryScope> memory;
  std::vector<ThreadAxis> axes;
  // Is data + n the address n bytes further? Otherwise tensors must begin where their memory does.
  bool pointer_arithmetic = true;
  // Can all blocks of a kernel wait for each other (`barrier("global")`)?
  bool grid_barrier = true;
  // S44: name -> value: "max_threads_per_block", "max_shared_memory_per_block" (bytes),
  // "max_vector_bytes", "max_registers_per_block", ...; "warp_size", if the lanes of that many
  // threads can exchange values. Those that are not limited are absent.
  std::map<std::string, int64_t> limits;
  std::map<std::string, std::vector<std::string>>
      dtypes;                                    // operation ("*": all others) -> types; empty: all
  std::map<std::string, int64_t> vector_widths;  // type -> preferred lanes
  std::vector<Intrinsic> intrinsics;
  std::vector<TensorIntrinsic> tensor_intrinsics;

  const MemoryScope* FindMemory(std::string_view scope) const;
  const ThreadAxis* FindAxis(std::string_view tag) const;
  // Of `limits`; 0: not limited.
  int64_t Limit(std::string_view name) const;
  bool Supports(std::string_view operation, std::string_view dtype) const;
};

// `path` is where the object stands in the manifest, for messages. Fails with `manifest-malformed`.
absl::StatusOr<Machine> ReadMachine(const runtime::Json& object, const std::string& path);

}  // namespace lathe::target
