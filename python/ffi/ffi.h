// The functions that the Python package is made of, in the registry under "<module>.<function>".
//
// One file for each theme. They stand on public headers, convert arguments (traits.h) and add
// nothing of their own: what is wrong with an argument, the function itself says.
#pragma once

#include <string>
#include <utility>

#include "runtime/function.h"
#include "runtime/registry.h"

namespace lathe::python {

// Idempotent.
void RegisterAll();

void RegisterNodes();           // nodes.cc: field lists, making, text, equality
void RegisterExprs();           // exprs.cc: operators, constants, intrinsics
void RegisterStmts();           // stmts.cc: statements, functors
void RegisterTe();              // te.cc
void RegisterSchedule();        // schedule.cc
void RegisterArith();           // arith.cc
void RegisterAnalysis();        // analysis.cc: questions about lowered functions
void RegisterTargets();         // targets.cc
void RegisterDriver();          // driver.cc
void RegisterBisect();          // bisect.cc
void RegisterCodeGenerators();  // codegen.cc: those written in Python
void RegisterRuntime();         // runtime.cc: devices, modules, the registry, timing
void RegisterTopi();            // topi.cc: operators, and schedules for them
void RegisterTensors();         // tensors.cc
void RegisterSessions();        // sessions.cc

// Puts a function into the registry.
template <class F>
void Def(const char* name, F&& body) {
  runtime::ThrowIfError(runtime::RegisterGlobal(
      name, runtime::Function::From(std::forward<F>(body), name), runtime::Override::kReplace));
}

// What a status says, thrown.
template <class T>
T OrThrow(absl::StatusOr<T> item) {
  runtime::ThrowIfError(item.status());
  return *std::move(item);
}

}  // namespace lathe::python
