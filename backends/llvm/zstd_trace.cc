// zstd, which is linked in with LLVM, calls these tracing hooks if somebody defines them. They are
// defined here, so that the plugin has no open symbol that another library of the process could
// fill.

#include <cstdint>

extern "C" {

// 0: this compression is not traced.
uint64_t ZSTD_trace_compress_begin(const void* /*context*/) { return 0; }
void ZSTD_trace_compress_end(uint64_t /*trace*/, const void* /*what*/) {}
uint64_t ZSTD_trace_decompress_begin(const void* /*context*/) { return 0; }
void ZSTD_trace_decompress_end(uint64_t /*trace*/, const void* /*what*/) {}

}  // extern "C"
