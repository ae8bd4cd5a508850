// Programs as modules: a program travels in an artefact as one of its imported modules, of kind
// "vm_program", as a plan does (runtime/graph/plan_module.h). Functions of the registry:
//
// vm.create(module, name) -> a module whose functions belong to one new machine:
//
//   invoke(function, arguments...) -> the result: a tensor, an array for a tuple, or an object for
//                                     a value of a data type
//   invoke_observed(function, report, arguments...)
//                                     the same; after each step of a plan it calls report(the
//                                     program's function, step, location, kernel, nanoseconds,
//                                     tensors that it wrote), which are valid during the call
//   set_input(function, arguments...)  keeps copies
//   invoke_stateful(function)          calls it with these
//   get_num_outputs() get_output(index)
//   set_threads(n)
//
// vm.names(module) -> array of the names of its programs
// vm.entries(module, name) -> array: function, then an array of name, type for each parameter
// vm.text(module, name) -> the code as text
// vm.stats(module, name) -> array of numbers: functions, instructions, plans, kernels, constants
// vm.kernels(module, name) -> array of the names of its kernels, sorted
// vm.data_constructor(value) -> "List.Cons"    vm.data_tag(value) -> its number
// vm.data_fields(value) -> array
//
// Errors are those of machine.h. One thread at a time uses a machine.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/graph/vm/machine.h"
#include "runtime/module.h"

namespace lathe::runtime::vm {

inline constexpr char kProgramKind[] = "vm_program";

// For an artefact to import. Fails as CheckProgram does.
absl::StatusOr<Module> MakeProgramModule(Program program);

// The program `name`, with the kernels of `module` and its imports. Fails with
// `graph-plan-unknown`, which lists the nearest names, and as ProgramExecutable::Create does.
absl::StatusOr<std::shared_ptr<const ProgramExecutable>> FindProgram(const Module& module,
                                                                     std::string_view name);

// Registers "module.load.vm_program" and the functions above. Thread-safe; a second call does
// nothing. Artefacts with programs load afterwards only.
absl::Status RegisterVm();

}  // namespace lathe::runtime::vm
