// Arguments of a call as views into their own memory. Internal to tests/prove.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "ir/interpreter/interpreter.h"
#include "runtime/function.h"
#include "tests/prove/random.h"
#include "tests/prove/run.h"

namespace lathe::prove {

// How a parameter's buffer is declared.
enum class Layout { kScalar, kPlain, kStrided, kOffset, kAligned, kBroadcast };

// One argument. A test can change what a caller says about a tensor before the call.
struct Argument {
  Layout layout = Layout::kScalar;
  DataType dtype;
  int64_t scalar = 0;
  std::vector<int64_t> shape, strides;  // strides empty: none are given
  int64_t byte_offset = 0;
  int64_t broadcast = -1;  // the dimension of stride 0
  int64_t factor = 1;      // the offset is a multiple of this
  DLDevice device = {kDLCPU, 0};
  bool null_data = false;
  enum { kTensor, kNumber, kText, kNullTensor, kNothing } given = kTensor;

  struct alignas(64) Line {
    char bytes[64];
  };
  std::vector<Line> memory;
  char* data() const { return const_cast<char*>(reinterpret_cast<const char*>(memory.data())); }
  size_t bytes() const { return memory.size() * sizeof(Line); }
  bool empty() const;
};

// Returns `func` with its parameters' buffers declared anew, in the layouts of `arguments`.
ir::Func Redeclare(const ir::Func& func, const std::vector<Argument>& arguments);

// Returns a fitting argument of a random layout for each parameter. Each has memory of its own,
// filled with small integers. `sizes` as in Run::sizes().
std::vector<Argument> RandomArguments(const ir::Func& func, const Inputs& inputs,
                                      const std::vector<int64_t>& sizes, Random& random);

// The elements of a tensor argument, row-major.
std::vector<char> CompactCopy(const Argument& argument);

std::vector<ir::InterpValue> ForInterpreter(const std::vector<Argument>& arguments);

// The same for compiled code. Must live until the call ends.
class CompiledArguments {
 public:
  explicit CompiledArguments(const std::vector<Argument>& arguments);
  absl::Status Call(const runtime::Function& function) const;

 private:
  std::deque<DLTensor> tensors_;
  std::vector<lathe_value> values_;
};

}  // namespace lathe::prove
