// `cache_flush_cpu_non_first_arg`: the registered function, known from TVM, that measures take as
// their `f_preproc`, so that each sample begins with its inputs in memory instead of in the caches.
//
//   cache_flush_cpu_non_first_arg(argument, ...)
//
// Writes back and evicts each cache line of all tensors but the first argument from all levels of
// this machine's caches. Other values, and tensors of other devices, are left alone. The contents
// do not change. Exported: a session calls it on its own side. Thread-safe.
//
// x86-64 (clflush) and aarch64 (dc civac) can do it from a program. On other processors it fails
// with `cache-flush-unsupported`; TimerOptions::flush_cache_bytes works on all of them.
#pragma once

namespace lathe::runtime {

inline constexpr char kCacheFlush[] = "cache_flush_cpu_non_first_arg";

// Sessions that this process serves call it. Later calls do nothing.
void RegisterCacheFlush();

}  // namespace lathe::runtime
