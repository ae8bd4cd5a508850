// OpenCL C 1.2 as a dialect of the SDK's generator of C-like source.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "plugins/sdk/c_dialect.h"

namespace lathe::opencl_backend {

class OpenClC final : public sdk::CDialect {
 public:
  // The optional device features that the text uses.
  bool uses_fp16() const { return fp16_; }
  bool uses_fp64() const { return fp64_; }
  bool uses_long_atomics() const { return long_atomics_; }

  std::string Type(DataType type) override;
  std::string Pointer(const std::string& scope, DataType element, bool is_const) override;
  bool HasArithmetic(DataType type) override;
  const char* LongSuffix() override { return "L"; }
  std::string FloatLiteral(DataType type, double value) override;

  std::string Convert(DataType to, DataType from, const std::string& x) override;
  std::string Reinterpret(DataType to, DataType from, const std::string& x) override;
  std::string Compare(std::string_view op, DataType type, const std::string& a,
                      const std::string& b) override;
  std::string Select(DataType type, const std::string& condition, const std::string& a,
                     const std::string& b) override;
  std::string MinMax(bool is_max, DataType type, const std::string& a,
                     const std::string& b) override;
  std::string Math(std::string_view op, DataType type,
                   const std::vector<std::string>& args) override;

  int PartLanes(int lanes) override;
  std::string Splat(DataType vector, const std::string& x) override;
  std::string Compose(DataType vector, const std::vector<std::string>& lanes) override;
  std::string Lane(DataType vector, const std::string& x, int lane) override;

  int MemoryLanes(DataType element, const std::string& scope, int lanes,
                  int64_t alignment) override;
  std::string LoadVector(DataType vector, const std::string& scope, const std::string& pointer,
                         int64_t alignment) override;
  std::string StoreVector(DataType vector, const std::string& scope, const std::string& pointer,
                          const std::string& x, int64_t alignment) override;
  std::string LoadTexel(DataType vector, const std::string& image, const std::string& row,
                        const std::string& texel) override;
  std::string StoreTexel(DataType vector, const std::string& image, const std::string& row,
                         const std::string& texel, const std::string& x) override;
  std::string Array(const std::string& scope, DataType element, const std::string& name,
                    int64_t count, int64_t alignment) override;
  std::string ConstantArray(DataType element, const std::string& name,
                            const std::string& values) override;
  Dynamic DynamicShared(const std::string& name) override;

  std::string KernelHead(const sdk::CKernel& kernel,
                         const std::vector<std::string>& parameters) override;
  std::string Parameter(const sdk::CParameter& parameter) override;
  std::string ThreadIndex(const std::string& tag) override;
  std::string Barrier(const std::string& scope) override;
  std::string Atomic(std::string_view op, DataType type, const std::string& scope,
                     const std::string& pointer, const std::vector<std::string>& args) override;
  std::string UnrollPragma() override { return "__attribute__((opencl_unroll_hint))"; }
  bool IsReserved(std::string_view name) override;
  std::string Prelude() override;

 private:
  bool fp16_ = false, fp64_ = false, long_atomics_ = false, sampler_ = false;
  std::set<std::string> float_atomics_;  // the helper functions for atomics on floats
};

}  // namespace lathe::opencl_backend
