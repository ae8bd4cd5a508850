// What the encoder and the decoder share. Private to ir/binary*.
#pragma once

#include <cstdint>
#include <string_view>

namespace lathe::ir::internal {

inline constexpr std::string_view kBinaryMagic = "\x8cLatheIR";
inline constexpr uint64_t kFlagSpans = 1;

inline uint64_t ZigZag(int64_t value) {
  return (static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63);
}
inline int64_t UnZigZag(uint64_t value) {
  return static_cast<int64_t>(value >> 1) ^ -static_cast<int64_t>(value & 1);
}

}  // namespace lathe::ir::internal
