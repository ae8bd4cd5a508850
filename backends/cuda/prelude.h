// Pieces of CUDA C++ for the top of the generated source; each is used only if it is needed.
#pragma once

namespace lathe::cuda {

// The type of one vector access.
inline constexpr const char* kVectorPrelude = R"cuda(
template <class T, int N>
struct __align__(sizeof(T) * N) lathe_vector {
  T lanes[N];
};
)cuda";

// For addresses that may not be a multiple of the vector's size: one access if it is, else one
// access for each element. Usually all threads take the same branch.
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

// Reinterprets the bits as another type.
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

// Atomics for types and operations that have no instruction.
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

// Copies from global to shared memory without registers (sm_80 and later).
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
// A copy that is made at once is as good. It stays a loop behind a branch: in the place of
// predicated loads it would take registers and slots of the loops around from the copies that are
// made.
template <int Piece, int Bytes, class T>
static __device__ __forceinline__ void lathe_async_copy_checked(T* to, const T* from) {
  if ((((unsigned long long)to | (unsigned long long)from) & (Piece - 1)) == 0) {
    lathe_async_copy<Piece, Bytes>(to, from);
    return;
  }
#pragma unroll 1
  for (int i = 0; i < Bytes / (int)sizeof(T); ++i) to[i] = from[i];
}
static __device__ __forceinline__ void lathe_async_commit() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}
template <int Groups>
static __device__ __forceinline__ void lathe_async_wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(Groups) : "memory");
}
)cuda";

// Tensor cores, used by a warp (mma.h; MmaMapping() comes before this text). A lane has 2 x 2
// neighbouring elements of c; its pointer into a is at its own first row, its pointer into b at its
// own first column. The lanes are 8 rows of 4, whichever axes they are bound to. Operands in shared
// memory are loaded by `ldmatrix` if rows begin at multiples of 16 bytes.
inline constexpr const char* kMmaPrelude = R"cuda(
#include <cuda_bf16.h>
#include <cuda_fp16.h>
template <class T>
static __device__ __forceinline__ unsigned lathe_pair(T low, T high) {
  unsigned short bits[2];
  memcpy(bits, &low, 2);
  memcpy(bits + 1, &high, 2);
  return bits[0] | (unsigned)bits[1] << 16;
}
template <class T, bool Shared>
struct lathe_mma_operands {
  unsigned a[4], b[2];
  __device__ __forceinline__ lathe_mma_operands(const T* a_at, int lda, const T* b_at, int ldb) {
    const unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    const int row = lathe_mma_row(thread), column = lathe_mma_column(thread);
    if (Shared) {
      // Rows of 16 bytes that the lanes point to, of a in the hardware's order, of b transposed.
      const T *const a_tile = a_at - row * 2 * lda, *const b_tile = b_at - column * 2;
      if ((((unsigned long long)a_tile | (unsigned long long)b_tile) & 15) == 0 &&
          ((lda | ldb) & 7) == 0) {
        const unsigned lane = thread % 32;
        const unsigned a_row = (unsigned)__cvta_generic_to_shared(
            a_tile + lathe_mma_a_row(lane) * lda + lathe_mma_a_step(lane));
        const unsigned b_row =
            (unsigned)__cvta_generic_to_shared(b_tile + lathe_mma_b_step(lane) * ldb);
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3])
                     : "r"(a_row)
                     : "memory");
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                     : "=r"(b[0]), "=r"(b[1])
                     : "r"(b_row)
                     : "memory");
        return;
      }
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const T* at = a_at + i % 2 * lda + i / 2 * 8 + column * 2;
      a[i] = lathe_pair(at[0], at[1]);
    }
    // From the lane's own columns to the one that it hands in for all.
    const T* const from = b_at - column * 2 + row + column * 2 * ldb;
    b[0] = lathe_pair(from[0], from[ldb]);
    b[1] = lathe_pair(from[8 * ldb], from[9 * ldb]);
  }
};
// c += a b of one instruction's size, on fragments.
static __device__ __forceinline__ void lathe_mma_once(float* c, const unsigned* a, const unsigned* b,
                                                      __half) {
#if __CUDA_ARCH__ >= 800
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#else
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
        "{%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[half * 2]), "r"(a[half * 2 + 1]), "r"(b[half]));
  }
#endif
}
#if __CUDA_ARCH__ >= 800
static __device__ __forceinline__ void lathe_mma_once(float* c, const unsigned* a, const unsigned* b,
                                                      __nv_bfloat16) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
#endif
template <bool Shared = false>
static __device__ __forceinline__ void lathe_mma_f16(float* c, const __half* a_at, int lda,
                                                     const __half* b_at, int ldb) {
  const lathe_mma_operands<__half, Shared> x(a_at, lda, b_at, ldb);
  lathe_mma_once(c, x.a, x.b, __half());
}
)cuda";

// The product of a warp's M x 16 and 16 x N operands, each loaded once; a lane's c is [M / 16][2][N
// / 8][2] (mma.h).
inline constexpr const char* kMmaTilePrelude = R"cuda(
template <int M, int N, bool Shared, bool Aligned, class T>
static __device__ __forceinline__ void lathe_mma_tile(float* c, const T* a_at, int lda,
                                                      const T* b_at, int ldb) {
  const unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  const int row = lathe_mma_row(thread), column = lathe_mma_column(thread) * 2;
  const T *const a_tile = a_at - row * lda, *const b_tile = b_at - column;
  unsigned a[M / 16][4], b[N / 8][2];
  bool loaded = false;
  if (Shared) {
    if (Aligned || ((((unsigned long long)a_tile | (unsigned long long)b_tile) & 15) == 0 &&
                    ((lda | ldb) & 7) == 0)) {
      loaded = true;
      const int first = lathe_mma_tile_row(thread % 32), second = lathe_mma_tile_step(thread % 32);
      const unsigned a_row = (unsigned)__cvta_generic_to_shared(a_tile + first * lda + second);
      const unsigned b_row = (unsigned)__cvta_generic_to_shared(b_tile + first * ldb + second);
#pragma unroll
      for (int i = 0; i < M / 16; ++i)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(a[i][0]), "=r"(a[i][1]), "=r"(a[i][2]), "=r"(a[i][3])
                     : "r"(a_row + i * 32 * lda));
#pragma unroll
      for (int j = 0; j < N / 8; j += 2)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(b[j][0]), "=r"(b[j][1]), "=r"(b[j + 1][0]), "=r"(b[j + 1][1])
                     : "r"(b_row + j * 16));
    }
  }
  if (!loaded) {
#pragma unroll
    for (int i = 0; i < M / 16; ++i) {
#pragma unroll
      for (int r = 0; r < 4; ++r) {
        const T* at = a_at + (i * 16 + r % 2 * 8) * lda + r / 2 * 8 + column;
        a[i][r] = lathe_pair(at[0], at[1]);
      }
    }
#pragma unroll
    for (int j = 0; j < N / 8; ++j) {
#pragma unroll
      for (int r = 0; r < 2; ++r) {
        const T* at = b_tile + j * 8 + row + (column + r * 8) * ldb;
        b[j][r] = lathe_pair(at[0], at[ldb]);
      }
    }
  }
#pragma unroll
  for (int i = 0; i < M / 16; ++i) {
#pragma unroll
    for (int j = 0; j < N / 8; ++j) {
      float* const low = c + (i * 2 * (N / 8) + j) * 2;
      float* const high = low + N / 8 * 2;
      float sums[4] = {low[0], low[1], high[0], high[1]};
      lathe_mma_once(sums, a[i], b[j], T());
      low[0] = sums[0], low[1] = sums[1], high[0] = sums[2], high[1] = sums[3];
    }
  }
}
#define LATHE_MMA_TILE(name, T, M, N)                                                               \
  template <bool Shared = false, bool Aligned = false>                                              \
  static __device__ __forceinline__ void name(float* c, const T* a_at, int lda, const T* b_at,      \
                                              int ldb) {                                            \
    lathe_mma_tile<M, N, Shared, Aligned>(c, a_at, lda, b_at, ldb);                                 \
  }
)cuda";

inline constexpr const char* kMmaBfloatPrelude = R"cuda(
template <bool Shared = false>
static __device__ __forceinline__ void lathe_mma_bf16(float* c, const __nv_bfloat16* a_at, int lda,
                                                      const __nv_bfloat16* b_at, int ldb) {
  const lathe_mma_operands<__nv_bfloat16, Shared> x(a_at, lda, b_at, ldb);
  lathe_mma_once(c, x.a, x.b, __nv_bfloat16());
}
)cuda";

// Loads by the tensor memory accelerator (sm_90). Groups of loads complete on a ring of mbarriers:
// each mbarrier expects one arrival, at the group's end, and as many bytes as the loads bring. The
// ring is longer than the number of groups that loops run ahead, so a barrier is reused only after
// all threads waited for it. One thread loads; the kernel says which one. Thread 0 ends the groups.
inline constexpr const char* kTmaPrelude = R"cuda(
struct __align__(64) lathe_tensor_map {
  unsigned char bytes[128];
};
struct lathe_tma_ring {
  static const unsigned slots = 16;
  unsigned barriers, issued, waited;
  static __device__ __forceinline__ bool first() {
    return (threadIdx.x | threadIdx.y | threadIdx.z) == 0;
  }
  __device__ __forceinline__ lathe_tma_ring(unsigned long long* memory)
      : barriers((unsigned)__cvta_generic_to_shared(memory)), issued(0), waited(0) {
    if (first()) {
      for (unsigned i = 0; i < slots; ++i)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barriers + i * 8) : "memory");
      asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
      asm volatile("fence.proxy.async;" ::: "memory");
    }
    __syncthreads();
  }
  __device__ __forceinline__ unsigned slot(unsigned group) const {
    return barriers + group % slots * 8;
  }
  __device__ __forceinline__ void load(const lathe_tensor_map* map, void* to, int column, int row,
                                       unsigned bytes) {
    const unsigned shared = (unsigned)__cvta_generic_to_shared(to), barrier = slot(issued);
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(barrier),
                 "r"(bytes)
                 : "memory");
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], "
        "[%1, {%2, %3}], [%4];" ::"r"(shared),
        "l"((unsigned long long)map), "r"(column), "r"(row), "r"(barrier)
        : "memory");
  }
  __device__ __forceinline__ void commit() {
    if (first())
      asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(slot(issued)) : "memory");
    ++issued;
  }
  // Until at most `groups` are under way.
  __device__ __forceinline__ void wait(unsigned groups) {
    for (; waited + groups < issued; ++waited) {
      unsigned done = 0;
      while (done == 0)
        asm volatile(
            "{\n.reg .pred p;\n"
            "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
            "selp.u32 %0, 1, 0, p;\n}"
            : "=r"(done)
            : "r"(slot(waited)), "r"(waited / slots & 1)
            : "memory");
    }
  }
};
// The box of a tensor of 16-bit elements in rows of `columns` that begins at `from`.
template <int Rows>
static __device__ __forceinline__ void lathe_tma_load(lathe_tma_ring& ring,
                                                      const lathe_tensor_map* map, void* to,
                                                      const void* from, const void* tensor,
                                                      long long columns) {
  const unsigned long long at =
      ((unsigned long long)from - (unsigned long long)tensor) / 2;
  const unsigned long long row = at / (unsigned long long)columns;
  ring.load(map, to, (int)(at - row * (unsigned long long)columns), (int)row, Rows * 128);
}
#define lathe_tma_begin()                                                          \
  __shared__ __align__(8) unsigned long long lathe_barriers[lathe_tma_ring::slots]; \
  lathe_tma_ring lathe_ring(lathe_barriers)
#define lathe_tma_commit() lathe_ring.commit()
#define lathe_tma_wait(groups) lathe_ring.wait(groups)
)cuda";

}  // namespace lathe::cuda
