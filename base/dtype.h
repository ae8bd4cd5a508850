// Element types: DLPack's {code, bits, lanes}, with scalable vectors.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "lathe/abi/value.h"

namespace lathe {

// Four bytes, passed by value. A scalable vector of n x vscale lanes stores -n (two's complement,
// 16 bits) as its lane count. A fixed vector cannot have that value: fixed lanes are 1 ... 32767.
class DataType {
 public:
  constexpr DataType() : dl_{kDLOpaqueHandle, 0, 0} {}
  constexpr explicit DataType(DLDataType dl) : dl_(dl) {}
  constexpr DataType(int code, int bits, int lanes = 1)
      : dl_{static_cast<uint8_t>(code), static_cast<uint8_t>(bits), static_cast<uint16_t>(lanes)} {}

  static constexpr DataType Int(int bits, int lanes = 1) { return {kDLInt, bits, lanes}; }
  static constexpr DataType UInt(int bits, int lanes = 1) { return {kDLUInt, bits, lanes}; }
  static constexpr DataType Float(int bits, int lanes = 1) { return {kDLFloat, bits, lanes}; }
  static constexpr DataType BFloat16(int lanes = 1) { return {kDLBfloat, 16, lanes}; }
  static constexpr DataType Bool(int lanes = 1) { return {kDLBool, 8, lanes}; }
  // A pointer-sized opaque value; also the type of strings in the IR.
  static constexpr DataType Handle() { return {kDLOpaqueHandle, 64, 1}; }
  // The type of a call that returns nothing.
  static constexpr DataType Void() { return {}; }

  constexpr int code() const { return dl_.code; }
  constexpr int bits() const { return dl_.bits; }
  // The lanes of a fixed vector (1 for a scalar). For a scalable vector: the factor of vscale.
  constexpr int lanes() const {
    const auto signed_lanes = static_cast<int16_t>(dl_.lanes);
    return signed_lanes < 0 ? -signed_lanes : signed_lanes;
  }
  constexpr bool is_scalable() const { return static_cast<int16_t>(dl_.lanes) < 0; }
  constexpr bool is_scalar() const { return dl_.lanes == 1; }
  constexpr bool is_vector() const { return dl_.lanes > 1; }
  constexpr bool is_int() const { return dl_.code == kDLInt; }
  constexpr bool is_uint() const { return dl_.code == kDLUInt; }
  // Signed or unsigned integers; bool is neither.
  constexpr bool is_integral() const { return is_int() || is_uint(); }
  constexpr bool is_bool() const { return dl_.code == kDLBool; }
  constexpr bool is_bfloat16() const { return dl_.code == kDLBfloat && dl_.bits == 16; }
  constexpr bool is_float8() const {
    return dl_.code >= kDLFloat8_e3m4 && dl_.code <= kDLFloat8_e8m0fnu;
  }
  // Any floating type: IEEE, bfloat16 or float8.
  constexpr bool is_float() const {
    return dl_.code == kDLFloat || dl_.code == kDLBfloat || is_float8();
  }
  constexpr bool is_handle() const { return dl_.code == kDLOpaqueHandle && dl_.bits == 64; }
  constexpr bool is_void() const { return dl_.code == kDLOpaqueHandle && dl_.bits == 0; }

  constexpr DataType element_of() const { return {dl_.code, dl_.bits, 1}; }
  constexpr DataType with_lanes(int lanes) const { return {dl_.code, dl_.bits, lanes}; }
  constexpr DataType with_scalable_lanes(int lanes) const { return {dl_.code, dl_.bits, -lanes}; }
  constexpr DataType with_bits(int bits) const {
    return DataType(DLDataType{dl_.code, static_cast<uint8_t>(bits), dl_.lanes});
  }

  // Bytes that one element (all lanes) takes in memory. Types smaller than a byte are padded per
  // element: int4x2 and a single int4 both take 1 byte, and so does a single bool. A scalable
  // vector has no fixed size; for it, this is the size per vscale.
  constexpr int bytes() const { return (bits() * lanes() + 7) / 8; }

  constexpr DLDataType dl() const { return dl_; }
  // "float32", "int8x4", "uint1", "bool", "bfloat16", "float8_e4m3fn", "float32xvscalex4",
  // "handle", "void".
  std::string ToString() const;
  // The reverse of ToString. Returns false if `text` does not name a type; `*out` is then
  // unchanged.
  static bool Parse(std::string_view text, DataType* out);

  friend constexpr bool operator==(DataType a, DataType b) {
    return a.dl_.code == b.dl_.code && a.dl_.bits == b.dl_.bits && a.dl_.lanes == b.dl_.lanes;
  }
  friend constexpr bool operator!=(DataType a, DataType b) { return !(a == b); }

 private:
  DLDataType dl_;
};

}  // namespace lathe
