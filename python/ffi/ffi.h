// The functions that the Python package is built on, in the registry under "<module>.<function>".
//
// There is one file for each theme. The functions call public headers, convert arguments (traits.h)
// and add nothing else. The called functions check their arguments themselves.
#pragma once

#include <string>
#include <utility>

#include "runtime/function.h"
#include "runtime/registry.h"

namespace lathe::python {

// Registers all functions. May be called more than once.
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
void RegisterTuning();          // tuning.cc: spaces, tuners, measuring, AutoTVM's logs
void RegisterRecords();         // records.cc: what tuning measured
void RegisterGraphs();          // graph.cc
void RegisterGraphPasses();     // graph_passes.cc
void RegisterGraphOps();        // graph_ops.cc
void RegisterOnnx();            // onnx.cc: models of ONNX
void RegisterTensorflow();      // tensorflow.cc: frozen graphs of TensorFlow
void RegisterTflite();          // tflite.cc: models of TFLite

// Registers a function under a name.
template <class F>
void Def(const char* name, F&& body) {
  runtime::ThrowIfError(runtime::RegisterGlobal(
      name, runtime::Function::From(std::forward<F>(body), name), runtime::Override::kReplace));
}

// The item of `item`, or throws its status.
template <class T>
T OrThrow(absl::StatusOr<T> item) {
  runtime::ThrowIfError(item.status());
  return *std::move(item);
}

}  // namespace lathe::python
