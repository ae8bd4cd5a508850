// CUDA C++ as NVRTC takes it, for the generator of C-like source (plugins/sdk/c_source.h).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "plugins/sdk/c_dialect.h"

namespace lathe::cuda {

// The number of an architecture: 80 of "sm_80", 90 of "sm_90a". Throws `cuda-bad-arch`.
int ArchNumber(const std::string& arch);

class CudaDialect final : public sdk::CDialect {
 public:
  // `max_registers` is the limit per thread; 0: as many as the threads of a block can have.
  // `argument_alignment` is the alignment that launches check.
  explicit CudaDialect(int arch, int64_t max_registers = 0, int64_t argument_alignment = 1)
      : arch_(arch), max_registers_(max_registers), argument_alignment_(argument_alignment) {}

  // Adds the text of a parameter for a tensor map (tensor_memory.h) to kernels of this name, after
  // all other parameters.
  void AddParameter(const std::string& kernel, std::string text) {
    added_[kernel].push_back(std::move(text));
  }

  std::string Type(DataType type) override;
  bool HasArithmetic(DataType type) override;
  std::string Convert(DataType to, DataType from, const std::string& x) override;
  std::string Reinterpret(DataType to, DataType from, const std::string& x) override;
  std::string MinMax(bool is_max, DataType type, const std::string& a,
                     const std::string& b) override;
  std::string Math(std::string_view op, DataType type,
                   const std::vector<std::string>& args) override;

  std::string Compose(DataType vector, const std::vector<std::string>& lanes) override;
  std::string Lane(DataType vector, const std::string& x, int lane) override;
  int MemoryLanes(DataType element, const std::string& scope, int lanes,
                  int64_t alignment) override;
  std::string LoadVector(DataType vector, const std::string& scope, const std::string& pointer,
                         int64_t alignment) override;
  std::string StoreVector(DataType vector, const std::string& scope, const std::string& pointer,
                          const std::string& x, int64_t alignment) override;
  std::string Array(const std::string& scope, DataType element, const std::string& name,
                    int64_t count, int64_t alignment) override;
  std::string ConstantArray(DataType element, const std::string& name,
                            const std::string& values) override;
  Dynamic DynamicShared(const std::string& name) override;

  std::string KernelHead(const sdk::CKernel& kernel,
                         const std::vector<std::string>& parameters) override;
  std::string Parameter(const sdk::CParameter& parameter) override;
  int64_t ArgumentAlignment() override { return argument_alignment_; }
  std::string ThreadIndex(const std::string& tag) override;
  std::string Barrier(const std::string& scope) override;
  std::string Atomic(std::string_view op, DataType type, const std::string& scope,
                     const std::string& pointer, const std::vector<std::string>& args) override;
  std::string Shuffle(std::string_view op, DataType type,
                      const std::vector<std::string>& args) override;
  std::string ActiveMask(DataType type) override;
  std::string AsyncCopy(DataType element, const std::string& to_scope, const std::string& to,
                        const std::string& from_scope, const std::string& from, int64_t count,
                        int64_t alignment) override;
  std::string AsyncCommit() override;
  std::string AsyncWait(int64_t groups) override;

  bool IsReserved(std::string_view name) override;
  std::string HelperQualifiers() override { return "static __device__ __forceinline__"; }
  std::string Prelude() override;

 private:
  const int arch_;
  const int64_t max_registers_, argument_alignment_;
  std::map<std::string, std::vector<std::string>> added_;
  // The parts of the prelude that the source needs.
  bool half_ = false, bfloat_ = false, float8_ = false, vectors_ = false, bits_ = false,
       atomics_ = false, async_ = false, checked_ = false;
};

}  // namespace lathe::cuda
