#include "runtime/artifact/symbol_source.h"

#include <dlfcn.h>

#include <cmath>
#include <cstring>
#include <string_view>
#include <utility>

namespace lathe::runtime {
namespace {

struct NamedFunction {
  std::string_view name;
  void* address;
};

template <class F>
void* Address(F* function) {
  return reinterpret_cast<void*>(function);
}

#define LATHE_MATH_1(name)                                        \
  {#name, Address(static_cast<double (*)(double)>(&::name))}, {   \
    #name "f", Address(static_cast<float (*)(float)>(&::name##f)) \
  }
#define LATHE_MATH_2(name)                                               \
  {#name, Address(static_cast<double (*)(double, double)>(&::name))}, {  \
    #name "f", Address(static_cast<float (*)(float, float)>(&::name##f)) \
  }

// Functions that code generators may call by themselves.
void* FindSupport(std::string_view name) {
  static const NamedFunction kSupport[] = {
      {"memcpy", Address(static_cast<void* (*)(void*, const void*, size_t)>(&::memcpy))},
      {"memmove", Address(static_cast<void* (*)(void*, const void*, size_t)>(&::memmove))},
      {"memset", Address(static_cast<void* (*)(void*, int, size_t)>(&::memset))},
      {"memcmp", Address(static_cast<int (*)(const void*, const void*, size_t)>(&::memcmp))},
      LATHE_MATH_1(acos),
      LATHE_MATH_1(acosh),
      LATHE_MATH_1(asin),
      LATHE_MATH_1(asinh),
      LATHE_MATH_1(atan),
      LATHE_MATH_1(atanh),
      LATHE_MATH_1(cbrt),
      LATHE_MATH_1(ceil),
      LATHE_MATH_1(cos),
      LATHE_MATH_1(cosh),
      LATHE_MATH_1(erf),
      LATHE_MATH_1(erfc),
      LATHE_MATH_1(exp),
      LATHE_MATH_1(exp2),
      LATHE_MATH_1(expm1),
      LATHE_MATH_1(fabs),
      LATHE_MATH_1(floor),
      LATHE_MATH_1(lgamma),
      LATHE_MATH_1(log),
      LATHE_MATH_1(log10),
      LATHE_MATH_1(log1p),
      LATHE_MATH_1(log2),
      LATHE_MATH_1(nearbyint),
      LATHE_MATH_1(rint),
      LATHE_MATH_1(round),
      LATHE_MATH_1(sin),
      LATHE_MATH_1(sinh),
      LATHE_MATH_1(sqrt),
      LATHE_MATH_1(tan),
      LATHE_MATH_1(tanh),
      LATHE_MATH_1(tgamma),
      LATHE_MATH_1(trunc),
      LATHE_MATH_2(atan2),
      LATHE_MATH_2(copysign),
      LATHE_MATH_2(fmax),
      LATHE_MATH_2(fmin),
      LATHE_MATH_2(fmod),
      LATHE_MATH_2(hypot),
      LATHE_MATH_2(nextafter),
      LATHE_MATH_2(pow),
      LATHE_MATH_2(remainder),
      {"fma", Address(static_cast<double (*)(double, double, double)>(&::fma))},
      {"fmaf", Address(static_cast<float (*)(float, float, float)>(&::fmaf))},
      {"ldexp", Address(static_cast<double (*)(double, int)>(&::ldexp))},
      {"ldexpf", Address(static_cast<float (*)(float, int)>(&::ldexpf))},
  };
  for (const NamedFunction& function : kSupport) {
    if (function.name == name) return function.address;
  }
  return nullptr;
}

#undef LATHE_MATH_1
#undef LATHE_MATH_2

}  // namespace

SymbolSource SymbolTable(std::string name, std::unordered_map<std::string, void*> symbols) {
  return {std::move(name), [symbols = std::move(symbols)](const std::string& wanted) -> void* {
            const auto found = symbols.find(wanted);
            return found == symbols.end() ? nullptr : found->second;
          }};
}

SymbolSource ProcessSymbols() {
  return {"this process", [](const std::string& wanted) -> void* {
            void* address = dlsym(RTLD_DEFAULT, wanted.c_str());
            return address != nullptr ? address : FindSupport(wanted);
          }};
}

}  // namespace lathe::runtime
