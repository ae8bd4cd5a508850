// The canonical form of a te program: the same operations under names that depend on structure
// alone.
//
// Programs that differ in names, in the order in which their parts were made or listed, or in
// operations that no argument needs, have one canonical form: ir::EncodeNode gives equal bytes for
// it, on every machine. Operations come in post order from the arguments; what an operation reads,
// in the order in which its body mentions it.
//
// Names that are given: operations t0, t1, ...; data axes i0, i1, ..., reduction axes k0, k1, ...;
// a scan's axes s and u0, u1, ...; sizes n0, n1, ...; buffers b0, ..., other variables of
// statements v0, .... What a name is by, other code finds: tensor intrinsics, reducers, functions
// that are called, attributes, memory scopes and the texts of assertions keep theirs. Of tags those
// stay that the compiler goes by (te/tags.h, and a constant's).
//
// What is one node stays one node: a tensor that is read twice is another program than two equal
// tensors. Operands keep their order, and so do arguments. Pure functions; thread-safe.
#pragma once

#include <vector>

#include "te/tensor_intrin.h"

namespace lathe::te {

struct CanonicalProgram {
  ir::Program program;    // without trace and attributes
  std::vector<Op> ops;    // ops[i] of the program given became program->ops[i]
  std::vector<Var> vars;  // vars[i] became program->vars[i]
};

// `args` are Tensors, and Vars that are sizes, in calling order. Everything they need is part of
// the program. Throws Error "workload-argument".
CanonicalProgram Canonicalize(const std::vector<ir::NodeRef>& args);
// A tensor intrinsic of its own, such as a step of a trace holds; its name stays.
TensorIntrin Canonicalize(const TensorIntrin& intrin);

}  // namespace lathe::te
