// Reads the text form of the IR (docs/text.md). The reverse of ir/text/printer.h.
//
// All functions throw Error with file, line, column and the line itself: text-unexpected,
// text-bad-token, text-bad-number, text-unknown-name, text-unknown-type, text-unknown-field,
// text-unknown-intrinsic, text-missing-type, text-missing-field, text-duplicate, text-ill-formed,
// text-too-deep, type-mismatch. Nesting of blocks, brackets and operators on the right is limited
// to 600 levels; sequences, chains of `let` and of `else if`, and sums of any length are not. Nodes
// carry the place where their text begins. Thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ir/module.h"
#include "ir/tensor_op.h"

namespace lathe::ir {

// "module", then functions. A text of functions alone is a module without attributes.
Module ParseModule(std::string_view text, const std::string& filename = "<text>");
Func ParseFunc(std::string_view text, const std::string& filename = "<text>");
// A program file: operations, arguments, schedule.
Program ParseProgram(std::string_view text, const std::string& filename = "<text>");

// `free` names what the text may use without defining it: Vars, Buffers, IterVars, Tensors,
// operations, tensor intrinsics, each by its own name. The text may also define such things in
// `given` lines at its beginning.
Stmt ParseStmt(std::string_view text, const std::string& filename = "<text>",
               const std::vector<NodeRef>& free = {});
Expr ParseExpr(std::string_view text, const std::string& filename = "<text>",
               const std::vector<NodeRef>& free = {});
// One step of a schedule: "a, b = split(C.i, factor=32)".
Ref<const StepNode> ParseStep(std::string_view text, const std::string& filename = "<text>",
                              const std::vector<NodeRef>& free = {});
// Any of the above but steps and statements that are not `stmt { ... }`, and any other node:
// definitions ("buffer A: ..."), ranges, "Kind(field=value)".
NodeRef ParseNode(std::string_view text, const std::string& filename = "<text>",
                  const std::vector<NodeRef>& free = {});

}  // namespace lathe::ir
