// Checks that a program contains only what its stage of the pipeline allows.
//
// The stages, in the order of the pipeline:
//   te         operations on tensors: a program file, before a schedule
//   scheduled  the loop nest of a schedule: Realize, multi-dimensional buffers, every kind of loop
//   tile       all memory is allocated (contract stage: what a code generator for tiles takes)
//   flat       buffers of rank 1, serial loops, thread loops and vectors, packed functions
//              (contract stage: what code generators for CPUs and GPUs take)
//
// One table says which node kinds and intrinsics a stage allows, see StageAllows. At every stage,
// the verifier also checks that every node fits together (CheckNode), that every call fits its
// intrinsic (CheckCall), that every variable and buffer is defined once in its function and used
// only within the scope of its definition, that the names of functions are unique, that functions
// call only functions that exist, and that signatures follow the calling conventions.
//
// All functions here throw Error, with the wrong statement as a note:
//   verify-stage       a node or an intrinsic that the stage does not allow
//   verify-malformed   a node whose parts do not fit, or are missing
//   verify-call        a call that does not fit its intrinsic, or the function it calls
//   verify-undefined   a variable, buffer or tensor that is used where it is not defined
//   verify-redefined   a variable or buffer that is defined twice
//   verify-rank        at flat: a buffer that is not flat
//   verify-function    a function's name or signature
// They do not recurse on the C++ stack, and they terminate on every input. Thread-safe.
#pragma once

#include "ir/module.h"
#include "ir/tensor_op.h"

namespace lathe::ir {

enum class Stage : uint8_t { kTe, kScheduled, kTile, kFlat };

// "te", "scheduled", "tile", "flat".
const char* StageName(Stage stage);
bool StageAllows(Stage stage, NodeKind kind);
bool StageAllows(Stage stage, ForKind kind);
// False for unknown intrinsics at every stage.
bool StageAllowsIntrinsic(Stage stage, std::string_view name);

// Checks a module at kScheduled or a later stage. kTe is accepted, too; there, functions are only
// the bodies of extern operations.
void VerifyModule(const Module& module, Stage stage);
// Checks one function. Calls of other functions of its module are not looked up.
void VerifyFunc(const Func& func, Stage stage);
// Checks a program: its operations, in definition order, and its trace.
void VerifyProgram(const ProgramNode& program);

}  // namespace lathe::ir
