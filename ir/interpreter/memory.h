// The interpreter's memory. Every handle that a program holds is checked; no handle is an address.
// Private to the interpreter.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "ir/interpreter/interpreter.h"

namespace lathe::ir::interp {

// 0 is null. Otherwise the high 24 bits are the number of a region and the low 40 bits a byte
// offset into it.
using Handle = uint64_t;
inline constexpr int kOffsetBits = 40;
inline constexpr uint64_t kOffsetMask = (uint64_t{1} << kOffsetBits) - 1;

[[noreturn]] void Fail(const char* name, std::string message, std::string expected = "",
                       std::string found = "", std::string help = "");

// A tagged value as the program sees it: strings and tensors are handles.
struct ValueCell {
  int32_t kind = LATHE_VALUE_NONE;
  Lane payload;
};

// An object that a handle can refer to.
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
  std::vector<uint8_t> written;                 // one flag per byte; empty: all are written
  std::vector<uint8_t>* written_out = nullptr;  // receives `written` when the region ends
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

  // New memory; its bytes count as unwritten. Throws "interpret-memory-limit".
  Handle Allocate(std::string name, uint64_t bytes);
  // `count` tagged values of kind NONE.
  Handle AllocateValues(std::string name, uint64_t count);
  // Gives tensors with the same `read_only` that overlap in part a region that holds them all. Call
  // it with all arguments of a call, before their memory is wrapped.
  void JoinOverlapping(std::span<const InterpValue> args);
  // The memory of a tensor. If it lies inside the memory of an earlier tensor with the same
  // `read_only`, both share a region. The handle refers to the tensor's `data` (without
  // byte_offset).
  Handle WrapData(const std::string& name, const InterpTensor& tensor);
  // A DLTensor over WrapData's memory.
  Handle WrapTensor(const std::string& name, std::shared_ptr<const InterpTensor> tensor);
  // A DLTensor over existing memory, shape and strides.
  Handle AddTensor(std::string name, InterpTensor tensor, Handle data, Handle shape,
                   Handle strides);
  Handle Function(const FuncNode* func);
  Handle Text(std::string text);
  Handle ErrorValue(Diagnostic error);
  void Free(Handle handle);
  void FreeAll();

  // The region of a handle. Throws "interpret-bad-handle" if the handle is null, freed or of
  // another kind. Messages use `use` to say what needs the handle.
  Region& Get(Handle handle, Region::Kind kind, const char* use);
  const Region* Find(Handle handle) const;  // null if no region of the handle is alive
  static uint64_t OffsetOf(Handle handle) { return handle & kOffsetMask; }
  // The handle plus `bytes`. Throws "interpret-out-of-bounds" if that is outside the region. The
  // end of the region is allowed.
  Handle Advance(Handle handle, int64_t bytes, const char* use);

  // `bytes` bytes at a handle: Read checks that they are written, Write marks them as written.
  const uint8_t* Read(Handle handle, uint64_t bytes, const char* use);
  uint8_t* Write(Handle handle, uint64_t bytes, const char* use);

  // Counts `bytes` that the interpreter itself uses against the limit.
  void Charge(uint64_t bytes);
  void Discharge(uint64_t bytes) { used_ -= bytes; }

 private:
  struct Extent {
    uint8_t *begin, *end;
  };
  // The bytes of a tensor, and those from its `data` on. False if they are too many.
  static bool ExtentOf(const InterpTensor& tensor, Extent* out);
  [[noreturn]] void TooMuch(uint64_t bytes) const;
  Handle NewRegion(Region::Kind kind, std::string name);
  Region& RegionOf(Handle handle) { return regions_[(handle >> kOffsetBits) - 1]; }

  uint64_t limit_;
  bool check_initialized_;
  uint64_t used_ = 0;
  std::deque<Region> regions_;  // a deque, so that addresses stay
  // Free region numbers. The oldest is reused first, so that stale handles are noticed.
  std::deque<uint64_t> free_;
};

}  // namespace lathe::ir::interp
