// The intrinsics that a plugin's manifest declares (target/machine.h): registers them with the
// compiler; the interpreter runs their reference bodies.
//
//   {"name": "acme.dma_start", "effect": "write", "doc": "...",
//    "body": "given var n: size  given var m: size
//             func body(to: float32[n], from: float32[m], rows: int32) { ... }"}
//
// `body` is a module in text IR with one function. Its parameters are the call's arguments in
// order: a buffer for an address (address_of, access_ptr), a variable for a number. A buffer has
// one dimension. Its extent is a number, or a variable, whose value is then the size of the memory
// from that address on. The function's return type is the call's type. Without a body, the call
// accepts any arguments, and the interpreter refuses it.
#pragma once

#include <functional>
#include <string>

#include "ir/interpreter/interpreter.h"
#include "target/target_schema.h"

namespace lathe::plugins {

// Adds the intrinsics of the target's machine to the table of intrinsics (ir/intrinsic.h), each
// once per process. Throws Error: the text parser's errors; "manifest-intrinsic" if a body does not
// have this form or two plugins declare different bodies under one name. Thread-safe.
void RegisterIntrinsics(const target::TargetSchema& schema, const std::string& plugin);

// For InterpretOptions::call_extern: runs the reference bodies of all intrinsics registered so far;
// passes other names to `next`, if given.
std::function<bool(const ir::ExternCall&)> ReferenceBodies(
    std::function<bool(const ir::ExternCall&)> next = nullptr);

}  // namespace lathe::plugins
