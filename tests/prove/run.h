// One run of a program: arguments for one binding of its sizes, what is expected, what was found.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lower/check_passes.h"
#include "runtime/device.h"
#include "runtime/function.h"
#include "tests/prove/random_program.h"

namespace lathe::prove {

// Thrown where a program computes something else: `where` as CheckResult::where.
struct Failed {
  std::string where, detail;
};

using Memory = std::vector<std::vector<char>>;

// What a program is to be run with, and how its results are judged.
struct Inputs {
  std::vector<ir::NodeRef> args;
  std::vector<ir::Var> size_vars;
  uint64_t seed = 1;
  Arithmetic arithmetic;     // or null
  bool real_inputs = false;  // compared within gamma_n times the magnitude
};

class Run {
 public:
  // `sizes` are the values of inputs.size_vars. `inputs` must outlive the run.
  Run(const ir::Func& func, const Inputs& inputs, const std::vector<int64_t>& sizes);

  // In the order in which the parameters mention the variables, as lower::MakeArguments wants them.
  const std::vector<int64_t>& sizes() const { return sizes_; }

  // What te's evaluator and the arithmetic by hand say; throws Failed where they differ.
  void Expect();
  // Through the interpreter; throws Failed("loops") where the results differ.
  void Interpret() const;
  // A module with the packed function `f`, interpreted: Failed(where).
  void Interpret(const ir::Module& module, const char* where,
                 const ir::InterpretOptions& options = {}) const;
  // Compiled code, its tensors on `device`: Failed("run").
  void Call(const runtime::Function& function,
            runtime::Device device = runtime::Device::Cpu()) const;

 private:
  lower::TestArguments Arguments() const;
  void Compare(const char* where, const lower::TestArguments& arguments, const Memory& found) const;
  std::string SizesText() const;

  const Inputs& inputs_;
  ir::Func func_;
  std::vector<int64_t> sizes_;
  Memory expected_;
  std::vector<Array> exact_;  // per argument; by hand, where there is arithmetic
};

// The element at `bytes` as text.
std::string ElementText(const char* bytes, DataType dtype);

}  // namespace lathe::prove
