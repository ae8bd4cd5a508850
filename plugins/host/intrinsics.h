// The intrinsics that a plugin's manifest declares (target/machine.h): known to the compiler, and
// run by the interpreter through their reference bodies.
//
//   {"name": "acme.dma_start", "effect": "write", "doc": "...",
//    "body": "given var n: size  given var m: size
//             func body(to: float32[n], from: float32[m], rows: int32) { ... }"}
//
// `body` is a module in text IR with one function, whose parameters are the call's arguments in
// order: a buffer for an address (address_of, access_ptr), a variable for a number. A buffer has
// one dimension; its extent is a number, or a variable, which is then what the memory has from that
// address on. The function's return type is the call's type. Without a body the call takes
// anything, and the interpreter refuses it.
#pragma once

#include <functional>
#include <string>

#include "ir/interpreter.h"
#include "target/target_schema.h"

namespace lathe::plugins {

// Adds those of the target's machine to the table of intrinsics (ir/intrinsic.h), each once in a
// process. Throws Error: what the text parser throws; "manifest-intrinsic" where a body is no such
// function or two plugins give one name two bodies. Thread-safe.
void RegisterIntrinsics(const target::TargetSchema& schema, const std::string& plugin);

// For InterpretOptions::call_extern: runs the reference bodies of all intrinsics registered so far;
// other names are `next`'s, where given.
std::function<bool(const ir::ExternCall&)> ReferenceBodies(
    std::function<bool(const ir::ExternCall&)> next = nullptr);

}  // namespace lathe::plugins
