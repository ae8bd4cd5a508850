// The messages of the remote protocol as structs, from the table messages.def; how they become
// bytes, and bytes become them (docs/design/remote.md).
//
// A body is a list of fields: tag (16 bits), length (32 bits), contents; little-endian. Numbers
// have 8 bytes; lists of numbers 8 for each; text and bytes are themselves; a part is a body again,
// to a depth of 4. A struct decoded from a body of n bytes takes at most 64 * n bytes of memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

namespace lathe::runtime::rpc {

using Numbers = std::vector<int64_t>;
using Samples = std::vector<double>;

enum class ItemKind : uint64_t {
  kNone = 0,
  kInteger = 1,
  kTruth = 2,
  kNumber = 3,
  kText = 4,
  kBytes = 5,
  kDataType = 6,
  kDevice = 7,     // of the far side
  kTensor = 8,     // of the far side
  kFunction = 9,   // of the far side
  kModule = 10,    // of the far side
  kCallback = 11,  // a function of the client
  kList = 12
};

// What listens. Of a proxy, Reach comes next.
enum class ProgramRole : uint64_t { kServer = 0, kProxy = 1, kTracker = 2 };

enum class LoadFrom : uint64_t { kUploaded = 0, kPath = 1, kBytes = 2, kLinked = 3 };

// kType is the header's type; 0 for parts.
#define LATHE_PART(Name, doc) \
  struct Name {               \
    static constexpr uint16_t kType = 0;
#define LATHE_MESSAGE(Name, number, doc) \
  struct Name {                          \
    static constexpr uint16_t kType = number;
#define LATHE_FIELD(Name, tag, type, name, doc) type name{};
#define LATHE_END(Name) \
  }                     \
  ;
#include "runtime/rpc/messages.def"
#undef LATHE_PART
#undef LATHE_MESSAGE
#undef LATHE_FIELD
#undef LATHE_END

// Encode appends the body. Decode fails with `rpc-malformed`, which names message and field;
// `*out` must be empty before.
#define LATHE_PART(Name, doc)                         \
  void Encode(const Name& message, std::string* out); \
  absl::Status Decode(std::string_view bytes, Name* out);
#define LATHE_MESSAGE(Name, number, doc) LATHE_PART(Name, doc)
#define LATHE_FIELD(Name, tag, type, name, doc)
#define LATHE_END(Name)
#include "runtime/rpc/messages.def"
#undef LATHE_PART
#undef LATHE_MESSAGE
#undef LATHE_FIELD
#undef LATHE_END

// "Call"; "message 77" for a number without a message.
std::string MessageName(uint16_t type);

}  // namespace lathe::runtime::rpc
