// The executor for other languages: functions of the registry, which need nothing but values.
//
// graph.context_create(module, name, devices...) -> a module whose functions belong to one new
// context on these devices (Executable::Create says which may be left out):
//
//   set_input(name or index, tensor)            copies
//   set_input_zero_copy(name or index, tensor)  shares the caller's memory
//   set_output_zero_copy(index, tensor or none)
//   get_input(name or index) -> tensor
//   get_output(index) -> tensor, which the next run overwrites; get_output(index, tensor) copies
//   get_num_inputs() get_num_outputs() get_input_name(index) get_input_index(name)
//   get_output_shape(index) -> array of ints
//   get_input_device(name or index) get_output_device(index) -> device
//   load_params(bytes of a parameter file)      set constants by name; all or none
//   share_params(context)                       constants of another context, by name, not copied
//   get_num_params() get_param_name(index)
//   get_param(index) -> tensor, or none         get_input_type(name or index) -> array: element
//   set_param(name, tensor)                     type, extents (-1: callers choose)
//   run()
//   run_observed(f)                             f(step, location, kernel, nanoseconds, tensors)
//   set_threads(n) arena_bytes()
//
// graph.plan_names(module) -> array of strings
// graph.encode_params(name, tensor, name, tensor...) -> bytes
// graph.decode_params(bytes) -> array: name, tensor, name, tensor...
//
// Errors are those of executor.h and params.h. One thread at a time uses a context.
#pragma once

#include <memory>

#include "absl/status/status.h"
#include "runtime/graph/executor.h"
#include "runtime/module.h"

namespace lathe::runtime::graph {

// Called by RegisterGraph, once.
absl::Status RegisterGraphFunctions();

// A new context as a module, as graph.context_create returns it.
Module MakeContextModule(std::shared_ptr<const Executable> executable);

}  // namespace lathe::runtime::graph
