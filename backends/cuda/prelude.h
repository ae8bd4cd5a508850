// CUDA C++ that stands at the top of generated source where it is needed.
#pragma once

namespace lathe::cuda {

// What one instruction moves.
inline constexpr const char* kVectorPrelude = R"cuda(
template <class T, int N>
struct __align__(sizeof(T) * N) lathe_vector {
  T lanes[N];
};
)cuda";

// Where the address is not known to be a multiple of the vector's size: one access if it is, else one
// for each element. All threads go one way as a rule.
inline constexpr const char* kCheckedAccessPrelude = R"cuda(
template <class T, int N>
static __device__ __forceinline__ lathe_vector<T, N> lathe_load(const T* from) {
  if ((unsigned long long)from % (sizeof(T) * N) == 0) return *(const lathe_vector<T, N>*)from;
  lathe_vector<T, N> out;
#pragma unroll
  for (int i = 0; i < N; ++i) out.lanes[i] = from[i];
  return out;
}
template <class T, int N>
static __device__ __forceinline__ void lathe_store(T* to, const lathe_vector<T, N>& x) {
  if ((unsigned long long)to % (sizeof(T) * N) == 0) {
    *(lathe_vector<T, N>*)to = x;
    return;
  }
#pragma unroll
  for (int i = 0; i < N; ++i) to[i] = x.lanes[i];
}
)cuda";

// The same bits as another type.
inline constexpr const char* kBitsPrelude = R"cuda(
template <class To, class From>
static __device__ __forceinline__ To lathe_bits(From from) {
  static_assert(sizeof(To) == sizeof(From), "different sizes");
  To to;
  memcpy(&to, &from, sizeof(to));
  return to;
}
)cuda";

inline constexpr const char* kFloat8Prelude = R"cuda(
template <class T>
static __device__ __forceinline__ T lathe_float8(__nv_fp8_storage_t bits) {
  T value;
  value.__x = bits;
  return value;
}
)cuda";

// For types and operations without an instruction.
inline constexpr const char* kAtomicPrelude = R"cuda(
template <class T>
struct lathe_add {
  T value;
  __device__ T operator()(T old) const { return T(old + value); }
};
template <class T>
struct lathe_min {
  T value;
  __device__ T operator()(T old) const { return value < old || old != old ? value : old; }
};
template <class T>
struct lathe_max {
  T value;
  __device__ T operator()(T old) const { return old < value || old != old ? value : old; }
};
template <class T>
struct lathe_exchange {
  T value;
  __device__ T operator()(T) const { return value; }
};
template <class T>
struct lathe_compare_exchange {
  T expected, value;
  __device__ T operator()(T old) const { return old == expected ? value : old; }
};
template <int Bytes>
struct lathe_word {
  typedef unsigned type;
};
template <>
struct lathe_word<2> {
  typedef unsigned short type;
};
template <>
struct lathe_word<8> {
  typedef unsigned long long type;
};
template <int Bytes, class T, class F>
struct lathe_atomic_of {
  static __device__ T run(T* place, F update) {
    typedef typename lathe_word<Bytes>::type word;
    word seen = *(volatile word*)place;
    while (true) {
      const T old = lathe_bits<T>(seen);
      const word before = atomicCAS((word*)place, seen, lathe_bits<word>(update(old)));
      if (before == seen) return old;
      seen = before;
    }
  }
};
// A byte of the word around it.
template <class T, class F>
struct lathe_atomic_of<1, T, F> {
  static __device__ T run(T* place, F update) {
    const unsigned long long address = (unsigned long long)place;
    unsigned* const around = (unsigned*)(address & ~3ull);
    const unsigned shift = (unsigned)(address & 3) * 8, mask = 255u << shift;
    unsigned seen = *(volatile unsigned*)around;
    while (true) {
      const T old = lathe_bits<T>((unsigned char)(seen >> shift));
      const unsigned now = (unsigned)lathe_bits<unsigned char>(update(old)) << shift;
      const unsigned before = atomicCAS(around, seen, (seen & ~mask) | now);
      if (before == seen) return old;
      seen = before;
    }
  }
};
template <class T, class F>
static __device__ __forceinline__ T lathe_atomic(T* place, F update) {
  return lathe_atomic_of<sizeof(T), T, F>::run(place, update);
}
)cuda";

// From global to shared memory past the registers (sm_80 on).
inline constexpr const char* kAsyncPrelude = R"cuda(
template <int Piece, int Bytes>
static __device__ __forceinline__ void lathe_async_copy(void* to, const void* from) {
  const unsigned shared = (unsigned)__cvta_generic_to_shared(to);
  const unsigned long long global = (unsigned long long)__cvta_generic_to_global(from);
#pragma unroll
  for (int i = 0; i < Bytes; i += Piece) {
    if (Piece == 16)
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared + i), "l"(global + i)
                   : "memory");
    else
      asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(shared + i), "l"(global + i),
                   "n"(Piece)
                   : "memory");
  }
}
static __device__ __forceinline__ void lathe_async_commit() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}
template <int Groups>
static __device__ __forceinline__ void lathe_async_wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(Groups) : "memory");
}
)cuda";

}  // namespace lathe::cuda
