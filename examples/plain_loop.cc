#include "examples/plain_loop.h"

namespace lathe::examples {

PlainLoop ChoosePlainLoop() {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("x86-64-v4")) return {RgbToYuv_v4, "x86-64-v4"};
  if (__builtin_cpu_supports("x86-64-v3")) return {RgbToYuv_v3, "x86-64-v3"};
  return {RgbToYuv_v2, "x86-64-v2"};
}

}  // namespace lathe::examples
