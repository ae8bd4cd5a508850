// C11 for processors as a dialect of the SDK's generator: one function for each of the module's,
// with Lathe's kernel ABI. Values are scalars only: loops stay loops, and the C compiler makes
// vectors of them. What C leaves undefined does not occur: conversions of floats that do not fit,
// divisions by zero and shifts out of range have values.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "plugins/sdk/c_dialect.h"

namespace lathe::c_backend {

// `text` as a literal of C; long texts as several, one for each line.
std::string StringLiteral(const std::string& text);
// Is it a function of <math.h>?
bool IsMathFunction(std::string_view name);

class HostC final : public sdk::CDialect {
 public:
  // Functions that `imports` (C sources) defines are not declared.
  explicit HostC(std::string imports) : imports_(std::move(imports)) {}

  // After the text was made.
  size_t call_sites() const { return call_sites_; }
  uint32_t kernel_abi() const { return abi_; }

  std::string Type(DataType type) override;
  std::string MemoryType(DataType element) override;
  bool HasArithmetic(DataType type) override;
  std::string FloatLiteral(DataType type, double value) override;
  std::string NonFinite(DataType type, double value) override;
  std::string Convert(DataType to, DataType from, const std::string& x) override;
  std::string Reinterpret(DataType to, DataType from, const std::string& x) override;
  std::string MinMax(bool is_max, DataType type, const std::string& a,
                     const std::string& b) override;
  std::string Math(std::string_view op, DataType type,
                   const std::vector<std::string>& args) override;
  std::string Array(const std::string& scope, DataType element, const std::string& name,
                    int64_t count, int64_t alignment) override;
  bool HasTypedConstants(DataType element) override;
  std::string UnrollPragma() override { return ""; }
  bool IsReserved(std::string_view name) override;
  std::string Prelude() override;

  bool HasHostFunctions() override { return true; }
  std::string FunctionHead(const sdk::CFunction& function) override;
  void BeginFunction(const sdk::CFunction& function) override;
  std::string HostCall(std::string_view op, DataType type,
                       const std::vector<sdk::COperand>& args) override;
  std::string StackMemory(std::string_view op, const std::string& name,
                          const std::vector<sdk::COperand>& args) override;
  std::string HandleVariable(const std::string& name, std::string_view used_by) override;
  std::string ExternCall(const std::string& name, DataType type,
                         const std::vector<sdk::COperand>& args) override;

  // Kernels of devices do not come here.
  std::string KernelHead(const sdk::CKernel&, const std::vector<std::string>&) override {
    Unsupported("kernels of devices");
  }
  std::string Parameter(const sdk::CParameter&) override { Unsupported("kernels of devices"); }
  std::string ThreadIndex(const std::string&) override { Unsupported("thread axes"); }
  std::string Barrier(const std::string& scope) override { Unsupported("barriers of " + scope); }

 private:
  // A function in the text's head, written once.
  std::string Helper(const std::string& name, const std::string& text);
  // The operand as a pointer to `type`, which may be that already.
  std::string As(const std::string& type, const sdk::COperand& operand) const;
  // An operand of any kind, for C's functions and the runtime's.
  static std::string Passed(const sdk::COperand& operand);
  // A member of a lathe_value or, else, of a lathe_slot.
  std::string FromWord(DataType type, const std::string& word, bool value);
  std::string ToWord(const sdk::COperand& operand, const std::string& word, bool value);
  std::string Raise(const std::vector<sdk::COperand>& args);
  std::string RuntimeCall(DataType type, const std::vector<sdk::COperand>& args);
  std::string TensorField(DataType type, const std::vector<sdk::COperand>& args);

  const std::string imports_;
  std::map<std::string, std::string> helpers_;   // by name
  std::map<std::string, std::string> externs_;   // declarations, by name
  std::map<std::string, std::string> pointers_;  // variables of the function: what they point to
  std::set<std::string> functions_;              // symbols
  size_t call_sites_ = 0;
  uint32_t abi_ = 1;
  std::set<std::string> headers_ = {"stdbool.h", "stddef.h", "stdint.h"};
};

}  // namespace lathe::c_backend
