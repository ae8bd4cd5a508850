// The tensor intrinsics that a plugin's manifest declares (target/machine.h), made and registered.
//
//   {"name": "acme.dot4",
//    "pattern": "program p { placeholder a: int8[4]; placeholder b: int8[4]
//                            compute c[] over [k in range(4)] = sum(...); args [a, b, c] }",
//    "body": "func update(a: int8[4](offset_factor=4), b: int8[4], c: int32[]) { ... }
//             func reset(a: ..., b: ..., c: ...) { ... }"}
//
// `pattern` is a program in text IR: one compute over placeholders, the intrinsic's reference; its
// arguments are the inputs in the order in which the compute reads them, then the outputs, then
// variables, which are the scalar parameters.
// `body` is a module in text IR of functions named `body`, `reset` and `update` (te/tensor_intrin.h
// says which are needed), each with a buffer per tensor argument and a variable per scalar one, in
// that order; the buffers say what the hardware demands, in all functions the same. The functions
// are what the interpreter runs; calls of the machine's own intrinsics in them need bodies of their
// own (intrinsics.h).
#pragma once

#include <string>

#include <string>
#include <string_view>

#include "target/target_schema.h"
#include "te/tensor_intrin.h"

namespace lathe::plugins {

// Throws Error: what the text parser throws; "manifest-tensor-intrin" where pattern and body do not
// fit; "tensor-intrin-invalid". Messages name `plugin`.
te::TensorIntrin ReadTensorIntrinsic(const target::TensorIntrinsic& declared,
                                     const std::string& plugin);

// Registers those of the target's machine under its kind (te::GetTensorIntrin), once per kind, and
// the machine's intrinsics before; throws what ReadTensorIntrinsic and RegisterIntrinsics throw.
// Thread-safe.
void RegisterTensorIntrinsics(const target::TargetSchema& schema, const std::string& plugin);

// The same for the target kind that some plugin's manifest declares; nothing where none does.
void RegisterTensorIntrinsicsOf(std::string_view kind);

}  // namespace lathe::plugins
