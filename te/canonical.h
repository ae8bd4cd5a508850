// The canonical form of a te program: the same operations under names that depend on structure
// alone.
//
// Programs have the same canonical form if they differ only in names, in the order in which their
// parts were made or listed, or in operations that no argument needs. ir::EncodeNode gives equal
// bytes for it on every machine. Operations come in post order from the arguments. The inputs of an
// operation come in the order in which its body mentions them.
//
// New names: operations t0, t1, ...; data axes i0, i1, ..., reduction axes k0, k1, ...; a scan's
// axes s and u0, u1, ...; sizes n0, n1, ...; buffers b0, ..., other variables of statements v0,
// .... Names that other code looks up stay: those of tensor intrinsics, reducers, called functions,
// attributes, memory scopes, and the texts of assertions. Tags that the compiler uses stay
// (te/tags.h, and a constant's tag); others are removed.
//
// One node stays one node: a program that reads one tensor twice is not the same as a program that
// reads two equal tensors. Operands and arguments keep their order. Pure functions; thread-safe.
#pragma once

#include <vector>

#include "te/tensor_intrin.h"

namespace lathe::te {

struct CanonicalProgram {
  ir::Program program;    // has no trace and no attributes
  std::vector<Op> ops;    // ops[i] of the given program became program->ops[i]
  std::vector<Var> vars;  // vars[i] became program->vars[i]
};

// `args` are Tensors, and Vars that are sizes, in calling order. The program contains all
// operations that they need. Throws Error "workload-argument".
CanonicalProgram Canonicalize(const std::vector<ir::NodeRef>& args);
// Canonicalizes a tensor intrinsic outside a program, such as one in a step of a trace. Its name
// stays.
TensorIntrin Canonicalize(const TensorIntrin& intrin);

}  // namespace lathe::te
