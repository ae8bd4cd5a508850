// CRC32C (Castagnoli's polynomial, RFC 3720, appendix B.4): finds damaged frames.
//
// Written here because no library of the build has it, and the protocol is Lathe's own.
#pragma once

#include <cstdint>
#include <string_view>

namespace lathe::runtime::rpc {

// The checksum of `bytes` after those that gave `crc`; 0 at the beginning. By the processor's
// instruction where it has one, three parts at a time (15 GB/s), else by tables.
uint32_t Crc32c(uint32_t crc, std::string_view bytes);
// By tables, for tests.
uint32_t Crc32cByTables(uint32_t crc, std::string_view bytes);

}  // namespace lathe::runtime::rpc
