// Makes and registers the tensor intrinsics that a plugin's manifest declares (target/machine.h).
//
//   {"name": "acme.dot4",
//    "pattern": "program p { placeholder a: int8[4]; placeholder b: int8[4]
//                            compute c[] over [k in range(4)] = sum(...); args [a, b, c] }",
//    "body": "func update(a: int8[4](offset_factor=4), b: int8[4], c: int32[]) { ... }
//             func reset(a: ..., b: ..., c: ...) { ... }"}
//
// `pattern` is a program in text IR, the intrinsic's reference: one compute over placeholders. Its
// arguments are the inputs in the order in which the compute reads them, then the outputs, then
// variables, which are the scalar parameters.
//
// `body` is a module in text IR with functions named `body`, `reset` and `update`
// (te/tensor_intrin.h says which are needed). Each has a buffer per tensor argument and a variable
// per scalar argument, in that order. The buffers state the hardware's requirements, which must be
// the same in all functions. The interpreter runs these functions; if they call intrinsics of the
// machine, those need bodies, too (intrinsics.h).
#pragma once

#include <string>

#include <string>
#include <string_view>

#include "target/target_schema.h"
#include "te/tensor_intrin.h"

namespace lathe::plugins {

// Throws Error: the text parser's errors; "manifest-tensor-intrin" if pattern and body do not
// match; "tensor-intrin-invalid". Messages name `plugin`.
te::TensorIntrin ReadTensorIntrinsic(const target::TensorIntrinsic& declared,
                                     const std::string& plugin);

// Registers the tensor intrinsics of the target's machine under its kind (te::GetTensorIntrin),
// once per kind, after the machine's intrinsics; throws the errors of ReadTensorIntrinsic and
// RegisterIntrinsics. Thread-safe.
void RegisterTensorIntrinsics(const target::TargetSchema& schema, const std::string& plugin);

// The same for a target kind that a plugin's manifest declares; does nothing if none declares it.
void RegisterTensorIntrinsicsOf(std::string_view kind);

}  // namespace lathe::plugins
