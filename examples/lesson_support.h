// Functions that the lessons share, so that each lesson shows only its subject: tensors from a
// formula, comparing, timing, printing.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "ir/module.h"
#include "runtime/function.h"
#include "runtime/tensor.h"

namespace lathe::examples {

// The options of a lesson: `small` (its test) or the sizes that a reader wants to see; `size` is
// from the command line.
struct LessonOptions {
  bool small = false;
  int64_t size = 0;  // 0: the lesson's default
};

// Reads `[--small] [SIZE]`, makes the default plugins known, and runs the lesson. An exception
// becomes a message and exit code 1.
int LessonMain(int argc, char** argv, const std::function<void(const LessonOptions&)>& lesson);

// Returns the value, or throws an exception with the status's message.
template <class T>
T Must(absl::StatusOr<T> result) {
  if (!result.ok()) throw std::runtime_error(std::string(result.status().message()));
  return *std::move(result);
}
void Must(const absl::Status& status);

// A float32 tensor on the host; element i (row-major) is `value(i)`.
runtime::Tensor MakeTensor(std::initializer_list<int64_t> shape,
                           const std::function<double(int64_t)>& value);
// A tensor of zeros, for results.
runtime::Tensor MakeZeros(std::initializer_list<int64_t> shape);

// Throws unless each element of `got` is within `tolerance` (relative to 1 or to the larger
// magnitude) of `expected`'s.
void ExpectClose(const runtime::Tensor& got, const runtime::Tensor& expected, double tolerance);

// Prints the function's loops in their readable form (types of buffers only).
void PrintLoops(const std::string& title, const ir::Module& loops);

// The seconds that one call takes on this machine: the minimum of some samples, because other work
// on the machine can only add time. Takes one sample if `small` is true or a call takes long.
double Seconds(const std::function<void()>& call, bool small);

// Compiles the loops for this processor and returns function `name`.
runtime::Function BuildFunction(const ir::Module& loops, const std::string& name);

}  // namespace lathe::examples
