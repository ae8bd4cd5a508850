// One run of a program: arguments for one binding of its sizes, expected results, actual results.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/device.h"
#include "runtime/function.h"
#include "tests/check/check_passes.h"
#include "tests/prove/random_program.h"

namespace lathe::prove {

// Thrown if a program computes something else. `where` is as in CheckResult::where.
struct Failed {
  std::string where, detail;
};

using Memory = std::vector<std::vector<char>>;

// The inputs to run a program with, and how to judge its results.
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

  // In the order in which the parameters mention the variables, as lower::MakeArguments expects.
  const std::vector<int64_t>& sizes() const { return sizes_; }

  // Computes the expected results with te's evaluator and the handwritten arithmetic. Throws Failed
  // if the two differ.
  void Expect();
  // Runs the loops in the interpreter. Throws Failed("loops") if the results differ.
  void Interpret() const;
  // Interprets a module with the packed function `f`. Throws Failed(where) if the results differ.
  void Interpret(const ir::Module& module, const char* where,
                 const ir::InterpretOptions& options = {}) const;
  // Calls compiled code with its tensors on `device`. Throws Failed("run") if the results differ.
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
  std::vector<Array> exact_;  // one for each argument; by hand, if there is arithmetic
};

// Returns the element at `bytes` as text.
std::string ElementText(const char* bytes, DataType dtype);

}  // namespace lathe::prove
