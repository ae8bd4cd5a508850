// Reads the text form of the IR (docs/text.md). The reverse of ir/text/printer.h.
//
// All functions throw Error with file, line, column and the line itself: text-unexpected,
// text-bad-token, text-bad-number, text-unknown-name, text-unknown-type, text-unknown-field,
// text-unknown-intrinsic, text-missing-type, text-missing-field, text-duplicate, text-ill-formed,
// text-too-deep, type-mismatch. Nesting of blocks, brackets and right-hand operators is limited to
// 600 levels. Sequences, chains of `let` and of `else if`, and sums may have any length. Each node
// has the place where its text begins. Thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ir/graph.h"
#include "ir/module.h"
#include "ir/tensor_op.h"

namespace lathe::ir {

// "module", then functions. A text that has only functions is a module without attributes.
Module ParseModule(std::string_view text, const std::string& filename = "<text>");
Func ParseFunc(std::string_view text, const std::string& filename = "<text>");
// A program file: operations, arguments, schedule.
Program ParseProgram(std::string_view text, const std::string& filename = "<text>");

// Data types and functions, with or without the line "graph module".
GraphModule ParseGraphModule(std::string_view text, const std::string& filename = "<text>");

// `free` lists what the text may use without a definition: Vars, Buffers, IterVars, Tensors,
// operations, tensor intrinsics and variables of graphs, each by its own name. The text may also
// define such things in `given` lines at its beginning.
Stmt ParseStmt(std::string_view text, const std::string& filename = "<text>",
               const std::vector<NodeRef>& free = {});
Expr ParseExpr(std::string_view text, const std::string& filename = "<text>",
               const std::vector<NodeRef>& free = {});
// One step of a schedule: "a, b = split(C.i, factor=32)".
Ref<const StepNode> ParseStep(std::string_view text, const std::string& filename = "<text>",
                              const std::vector<NodeRef>& free = {});
// Any of the above except steps, and any other node: definitions ("buffer A: ..."), ranges,
// "Kind(field=value)". A statement must be written as `stmt { ... }`.
NodeRef ParseNode(std::string_view text, const std::string& filename = "<text>",
                  const std::vector<NodeRef>& free = {});

}  // namespace lathe::ir
