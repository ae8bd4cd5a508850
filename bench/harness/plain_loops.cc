// What a C++ programmer would write instead of a kernel: plain loops, which bench/run compiles with
// the pinned clang, -O3 -march=native. Freestanding, so that no system headers are needed; the few
// functions of the C library that it uses are declared here.
//
// Each function takes its arrays and a number of threads; every thread gets one contiguous piece.
#include <stdint.h>

extern "C" {
int pthread_create(unsigned long* thread, const void* attributes, void* (*body)(void*), void* arg);
long syscall(long number, ...);
}

namespace {

constexpr int kMaxThreads = 256;
constexpr int kSpins = 1 << 16;  // some milliseconds: longer than the pause between two calls
#if defined(__x86_64__)
constexpr long kFutex = 202;
#elif defined(__aarch64__)
constexpr long kFutex = 98;
#endif
constexpr int kWait = 128, kWake = 129;  // FUTEX_WAIT_PRIVATE, FUTEX_WAKE_PRIVATE

struct Piece {
  void (*body)(const void*, void*, int64_t, int64_t);
  const void* x;
  void* y;
  int64_t begin, end;
};

struct Worker {
  Piece piece;
  int go;  // 1 while there is a piece that is not done
  int asleep;
  bool started;
};
Worker workers[kMaxThreads];

void Pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

void* Serve(void* self) {
  Worker& worker = *static_cast<Worker*>(self);
  for (int spins = 0;; ++spins) {
    if (__atomic_load_n(&worker.go, __ATOMIC_ACQUIRE) == 0) {
      Pause();
      if (spins < kSpins) continue;
      // This thread sets `asleep` first and then looks for work; the caller sets `go` first and
      // then looks at `asleep`. So no wake-up is lost.
      __atomic_store_n(&worker.asleep, 1, __ATOMIC_SEQ_CST);
      syscall(kFutex, &worker.go, kWait, 0, nullptr, nullptr, 0);
      __atomic_store_n(&worker.asleep, 0, __ATOMIC_SEQ_CST);
      continue;
    }
    spins = 0;
    const Piece& piece = worker.piece;
    piece.body(piece.x, piece.y, piece.begin, piece.end);
    __atomic_store_n(&worker.go, 0, __ATOMIC_RELEASE);
  }
}

void InPieces(void (*body)(const void*, void*, int64_t, int64_t), const void* x, void* y, int64_t n,
              int threads) {
  if (threads > kMaxThreads) threads = kMaxThreads;
  for (int t = 1; t < threads; ++t) {
    Worker& worker = workers[t];
    worker.piece = {body, x, y, n * t / threads, n * (t + 1) / threads};
    __atomic_store_n(&worker.go, 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&worker.asleep, __ATOMIC_SEQ_CST) != 0)
      syscall(kFutex, &worker.go, kWake, 1, nullptr, nullptr, 0);
    unsigned long thread;
    if (!worker.started) worker.started = pthread_create(&thread, nullptr, Serve, &worker) == 0;
  }
  body(x, y, 0, n / threads);
  for (int t = 1; t < threads; ++t) {
    while (__atomic_load_n(&workers[t].go, __ATOMIC_ACQUIRE) != 0) Pause();
  }
}

void Floats(const void* from, void* to, int64_t begin, int64_t end) {
  const float* __restrict x = static_cast<const float*>(from);
  float* __restrict y = static_cast<float*>(to);
  for (int64_t i = begin; i < end; ++i) {
    const float r = x[3 * i], g = x[3 * i + 1], b = x[3 * i + 2];
    const float luma = 0.299f * r + 0.587f * g + 0.114f * b;
    y[3 * i] = luma;
    y[3 * i + 1] = (b - luma) * 0.492f + 0.5f;
    y[3 * i + 2] = (r - luma) * 0.877f + 0.5f;
  }
}

uint8_t Saturated(int value) {
  return static_cast<uint8_t>(value < 0 ? 0 : value > 255 ? 255 : value);
}

void Bytes(const void* from, void* to, int64_t begin, int64_t end) {
  const uint8_t* __restrict x = static_cast<const uint8_t*>(from);
  uint8_t* __restrict y = static_cast<uint8_t*>(to);
  for (int64_t i = begin; i < end; ++i) {
    const int r = x[3 * i], g = x[3 * i + 1], b = x[3 * i + 2];
    const int luma = (r * 4899 + g * 9617 + b * 1868 + (1 << 13)) >> 14;
    y[3 * i] = Saturated(luma);
    y[3 * i + 1] = Saturated(((b - luma) * 8061 + (128 << 14) + (1 << 13)) >> 14);
    y[3 * i + 2] = Saturated(((r - luma) * 14369 + (128 << 14) + (1 << 13)) >> 14);
  }
}

}  // namespace

extern "C" void rgb_to_yuv_float32(const void* x, void* y, int64_t pixels, int threads) {
  InPieces(Floats, x, y, pixels, threads);
}

extern "C" void rgb_to_yuv_uint8(const void* x, void* y, int64_t pixels, int threads) {
  InPieces(Bytes, x, y, pixels, threads);
}
