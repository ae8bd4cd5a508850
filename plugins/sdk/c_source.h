// Generates C-like source text from functions at contract stage `flat`: for vendors whose device
// accepts OpenCL C, CUDA C or a similar language.
//
//   class AcmeC final : public sdk::CDialect { ... };       // c_dialect.h: what differs
//   AcmeC dialect;
//   const sdk::CSource source = sdk::GenerateC(*ir::DecodeModule(request.ir), dialect);
//
// Every kernel (calling convention "kernel") becomes one function:
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
// If the dialect has functions of hosts, the others are written, too, after a declaration of each:
// what they do with arguments, errors and memory are calls of the calling convention
// (CDialect::HostCall).
//
// The semantics are those of ir/expr.h, not C's: signed integers wrap outside index arithmetic,
// floor division rounds down and no division traps, arms of if_then_else are evaluated on demand,
// values with more lanes than the language supports are kept in parts. Expressions that would nest
// too deep for C compilers are split into constants. Equal modules give equal texts.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ir/module.h"
#include "plugins/sdk/c_dialect.h"

namespace lathe::sdk {

struct CSource {
  std::string text;
  std::vector<CKernel> kernels;      // in the module's order
  std::vector<CFunction> functions;  // those of hosts, in the module's order
};

// Thread-safe; the dialect must not be shared with another call. Throws Error:
// "c-source-unsupported" if the language cannot express something, or the module has functions that
// are not kernels and the language is none of hosts (CDialect::HasHostFunctions);
// "c-source-not-flat" for a module at another stage.
//
// Sources that the module imports as `c` (ir/imports.h) come before the kernels, unchanged; kernels
// call their functions by call_extern.
//
// Constants (AllocConst) are those of the compile request, in host memory and compact. Each
// constant that is used is in the text once, as unsigned integers of its elements' size
// unless the dialect has typed constants.
CSource GenerateC(const ir::ModuleNode& module, CDialect& dialect,
                  std::span<const DLTensor* const> constants = {});

}  // namespace lathe::sdk
