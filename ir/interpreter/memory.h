// The interpreter's memory: every handle a program holds is checked, none is an address. Private to
// the interpreter.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "ir/interpreter/interpreter.h"

namespace lathe::ir::interp {

// 0 is null; else a region's number in the high 24 bits and a byte offset into it in the low 40.
using Handle = uint64_t;
inline constexpr int kOffsetBits = 40;
inline constexpr uint64_t kOffsetMask = (uint64_t{1} << kOffsetBits) - 1;

[[noreturn]] void Fail(const char* name, std::string message, std::string expected = "",
                       std::string found = "", std::string help = "");

// A tagged value as a program sees it: strings and tensors are handles.
struct ValueCell {
  int32_t kind = LATHE_VALUE_NONE;
  Lane payload;
};

// A piece of what handles can name.
struct Region {
  enum Kind : uint8_t { kBytes, kTensor, kValues, kFunction, kText, kError };
  Kind kind = kBytes;
  bool alive = false;
  bool read_only = false;
  bool tracked = true;  // several threads may reach it
  uint64_t serial = 0;  // grows with every reuse
  std::string name;     // for messages
  // kBytes
  uint8_t* data = nullptr;
  size_t size = 0;
  std::vector<uint8_t> owned;
  std::vector<uint8_t> written;                 // one flag per byte; empty: all are
  std::vector<uint8_t>* written_out = nullptr;  // where `written` goes when the region ends
  // kTensor
  std::shared_ptr<const InterpTensor> tensor;
  Handle tensor_data = 0, tensor_shape = 0, tensor_strides = 0;
  std::vector<ValueCell> values;      // kValues
  const FuncNode* func = nullptr;     // kFunction
  std::string text;                   // kText
  std::shared_ptr<Diagnostic> error;  // kError
  size_t charged = 0;
};

class Memory {
 public:
  Memory(uint64_t limit, bool check_initialized)
      : limit_(limit), check_initialized_(check_initialized) {}

  // Memory of its own; bytes count as not written. Throws "interpret-memory-limit".
  Handle Allocate(std::string name, uint64_t bytes);
  // `count` values, all none.
  Handle AllocateValues(std::string name, uint64_t count);
  // The memory of a tensor; one region for arguments that overlap. The handle is that of `data` as
  // DLPack means it.
  Handle WrapData(const std::string& name, const InterpTensor& tensor);
  // A DLTensor over WrapData's memory.
  Handle WrapTensor(const std::string& name, std::shared_ptr<const InterpTensor> tensor);
  // A DLTensor over memory, shape and strides that are here already.
  Handle AddTensor(std::string name, InterpTensor tensor, Handle data, Handle shape,
                   Handle strides);
  Handle Function(const FuncNode* func);
  Handle Text(std::string text);
  Handle ErrorValue(Diagnostic error);
  void Free(Handle handle);
  void FreeAll();

  // The region of a handle. Throws "interpret-bad-handle" where it is null, freed or of another
  // kind; `use` names what needs it.
  Region& Get(Handle handle, Region::Kind kind, const char* use);
  const Region* Find(Handle handle) const;  // null where there is none alive
  static uint64_t OffsetOf(Handle handle) { return handle & kOffsetMask; }
  // `bytes` further on. Throws "interpret-out-of-bounds" where that leaves the handle's region (its
  // end is within).
  Handle Advance(Handle handle, int64_t bytes, const char* use);

  // `bytes` at a handle, for reading (checks that they are written) or writing (marks them
  // written).
  const uint8_t* Read(Handle handle, uint64_t bytes, const char* use);
  uint8_t* Write(Handle handle, uint64_t bytes, const char* use);

  // Counts `bytes` of the interpreter's own against the limit.
  void Charge(uint64_t bytes);
  void Discharge(uint64_t bytes) { used_ -= bytes; }

 private:
  [[noreturn]] void TooMuch(uint64_t bytes) const;
  Handle NewRegion(Region::Kind kind, std::string name);
  Region& RegionOf(Handle handle) { return regions_[(handle >> kOffsetBits) - 1]; }

  uint64_t limit_;
  bool check_initialized_;
  uint64_t used_ = 0;
  std::deque<Region> regions_;  // addresses stay
  std::deque<uint64_t>
      free_;  // numbers; the oldest is reused first, so that stale handles are found
};

}  // namespace lathe::ir::interp
