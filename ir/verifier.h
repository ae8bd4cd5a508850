// What each stage of the pipeline may contain, checked.
//
// The stages, each a part of the one before it:
//   te         operations on tensors: a program file, before a schedule
//   scheduled  the loop nest of a schedule: Realize, multi-dimensional buffers, every kind of loop
//   tile       all memory is allocated (contract stage: what a code generator for tiles takes)
//   flat       buffers of rank 1, serial loops and vectors, packed functions (contract stage: what
//   CPUs and GPUs take)
// Which node kinds and intrinsics a stage allows stands in one table, see StageAllows. Beside that,
// at every stage: every node fits together (CheckNode), every call fits its intrinsic (CheckCall),
// every variable and buffer is defined once in its function, before it is used and around its uses,
// functions have names of their own and call what is there, and the conventions' signatures hold.
//
// All functions here throw Error with the offending statement as a note:
//   verify-stage       a node or an intrinsic that the stage does not allow
//   verify-malformed   a node whose parts do not fit, or are missing
//   verify-call        a call that does not fit its intrinsic, or the function it calls
//   verify-undefined   a variable, buffer or tensor used where it is not defined
//   verify-redefined   one that is defined twice
//   verify-rank        at flat: a buffer that is not flat
//   verify-function    a function's name or signature
// They do not recurse on the C++ stack and end on every input. Thread-safe.
#pragma once

#include "ir/module.h"
#include "ir/tensor_op.h"

namespace lathe::ir {

enum class Stage : uint8_t { kTe, kScheduled, kTile, kFlat };

// "te", "scheduled", "tile", "flat".
const char* StageName(Stage stage);
bool StageAllows(Stage stage, NodeKind kind);
bool StageAllows(Stage stage, ForKind kind);
// Unknown intrinsics are allowed nowhere.
bool StageAllowsIntrinsic(Stage stage, std::string_view name);

// A module at kScheduled or below; kTe, where functions are only the bodies of extern operations,
// allows the most.
void VerifyModule(const Module& module, Stage stage);
// One function; calls of functions of its module are not looked up.
void VerifyFunc(const Func& func, Stage stage);
// A program: its operations in definition order.
void VerifyProgram(const ProgramNode& program);

}  // namespace lathe::ir
