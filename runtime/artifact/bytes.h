// Little-endian numbers at unaligned addresses. Callers have checked the bounds.
#pragma once

#include <cstdint>
#include <cstring>

namespace lathe::runtime {

template <class T>
T ReadLittle(const void* from) {
  unsigned char bytes[sizeof(T)];
  std::memcpy(bytes, from, sizeof(T));
  uint64_t value = 0;
  for (int i = sizeof(T) - 1; i >= 0; --i) value = value << 8 | bytes[i];
  return static_cast<T>(value);
}

template <class T>
void WriteLittle(void* to, T value) {
  unsigned char bytes[sizeof(T)];
  auto rest = static_cast<uint64_t>(value);
  for (size_t i = 0; i < sizeof(T); ++i, rest >>= 8) bytes[i] = static_cast<unsigned char>(rest);
  std::memcpy(to, bytes, sizeof(T));
}

// True if [offset, offset + size) is within `total` bytes; computed without overflow.
constexpr bool WithinBounds(uint64_t offset, uint64_t size, uint64_t total) {
  return offset <= total && size <= total - offset;
}

// `value` rounded up to `alignment`, a power of two. Callers keep `value` below 2^63.
constexpr uint64_t AlignUp(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) & ~(alignment - 1);
}

}  // namespace lathe::runtime
