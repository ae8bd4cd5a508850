// C-like source text of functions at contract stage `flat`: for vendors whose device takes OpenCL
// C, CUDA C or a language like these.
//
//   class AcmeC final : public sdk::CDialect { ... };       // c_dialect.h: what differs
//   AcmeC dialect;
//   const sdk::CSource source = sdk::GenerateC(*ir::DecodeModule(request.ir), dialect);
//
// Every kernel (calling convention "kernel") becomes a function of its own:
//
//   func f_kernel0(B: handle, A: handle, n: size)
//     decl_buffer B_1: float32[n] = B
//     decl_buffer A_1: float32[n] = A
//     thread("threadIdx.x") for i in range(n) { ...
//
// -->
//
//   void f_kernel0(float* B, const float* A, int n) {
//     const int i = thread_index(...);
//     if (i < n) B[i] = A[i] + 1.0f;
//   }
//
// Semantics are those of ir/expr.h, whatever C says: signed integers wrap outside of index
// arithmetic, floor division rounds down and no division traps, arms of if_then_else are evaluated
// on demand, values of more lanes than the language has are kept in parts. Expressions that would
// nest too deep for C compilers are cut into constants. Equal modules give equal texts.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ir/module.h"
#include "plugins/sdk/c_dialect.h"

namespace lathe::sdk {

struct CSource {
  std::string text;
  std::vector<CKernel> kernels;  // in the module's order
};

// Thread-safe; the dialect must be the call's own. Throws Error: "c-source-unsupported" where the
// language has no such thing, or the module holds functions that are no kernels;
// "c-source-not-flat" for a module at another stage.
//
// Sources that the module imports as `c` (ir/imports.h) stand before the kernels as they are;
// kernels call what they define by call_extern.
//
// Constants (AllocConst) are those of the compile request, in host memory and compact; each that is
// used stands in the text once, as unsigned integers of its elements' size.
CSource GenerateC(const ir::ModuleNode& module, CDialect& dialect,
                  std::span<const DLTensor* const> constants = {});

}  // namespace lathe::sdk
