#include "python/ffi/ffi.h"

namespace lathe::python {

void RegisterAll() {
  static const bool once = [] {
    RegisterNodes();
    RegisterExprs();
    RegisterStmts();
    RegisterTe();
    RegisterSchedule();
    RegisterArith();
    RegisterAnalysis();
    RegisterTargets();
    RegisterDriver();
    RegisterBisect();
    RegisterCodeGenerators();
    RegisterRuntime();
    RegisterTensors();
    RegisterTopi();
    RegisterSessions();
    RegisterTuning();
    RegisterRecords();
    RegisterGraphs();
    RegisterGraphPasses();
    RegisterGraphOps();
    RegisterOnnx();
    RegisterTensorflow();
    RegisterTflite();
    return true;
  }();
  (void)once;
}

}  // namespace lathe::python
