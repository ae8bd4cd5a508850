// What the lessons share, so that each shows only what it is about: tensors from a formula,
// comparing, timing, printing.
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

// What a lesson is asked to do: `--small` (its test) or the sizes a reader wants to see; `size`
// from the command line.
struct LessonOptions {
  bool small = false;
  int64_t size = 0;  // 0: the lesson's own
};

// Reads `[--small] [SIZE]`, makes the default plugins known, runs the lesson; what it throws
// becomes a message and exit 1.
int LessonMain(int argc, char** argv, const std::function<void(const LessonOptions&)>& lesson);

// The value, or an exception with the status's message.
template <class T>
T Must(absl::StatusOr<T> result) {
  if (!result.ok()) throw std::runtime_error(std::string(result.status().message()));
  return *std::move(result);
}
void Must(const absl::Status& status);

// float32 on the host, element i (row-major) is `value(i)`.
runtime::Tensor MakeTensor(std::initializer_list<int64_t> shape,
                           const std::function<double(int64_t)>& value);
// The same of zeros: where results go.
runtime::Tensor MakeZeros(std::initializer_list<int64_t> shape);

// Throws unless each element of `got` is within `tolerance` (relative to 1 or to the larger
// magnitude) of `expected`'s.
void ExpectClose(const runtime::Tensor& got, const runtime::Tensor& expected, double tolerance);

// The function's loops as people read them (types of buffers only).
void PrintLoops(const std::string& title, const ir::Module& loops);

// Seconds of one call on this machine: the fastest of some samples, since what else runs here only
// adds. One sample where `small` or where a call takes long.
double Seconds(const std::function<void()>& call, bool small);

// The loops compiled for this processor.
runtime::Function BuildFunction(const ir::Module& loops, const std::string& name);

}  // namespace lathe::examples
