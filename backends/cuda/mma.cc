#include "backends/cuda/mma.h"

namespace lathe::cuda {

#define LATHE_TEXT(...) #__VA_ARGS__
#define LATHE_TEXT_OF(macro) LATHE_TEXT(macro)

std::string MmaMapping() {
  std::string out;
  for (const char* function : {LATHE_TEXT_OF(LATHE_MMA_ROW), LATHE_TEXT_OF(LATHE_MMA_COLUMN),
                               LATHE_TEXT_OF(LATHE_MMA_A_ROW), LATHE_TEXT_OF(LATHE_MMA_A_STEP),
                               LATHE_TEXT_OF(LATHE_MMA_B_STEP), LATHE_TEXT_OF(LATHE_MMA_TILE_ROW),
                               LATHE_TEXT_OF(LATHE_MMA_TILE_STEP)})
    out += "static __device__ __forceinline__ " + std::string(function) + "\n";
  return out;
}

}  // namespace lathe::cuda
