// A loop's body as one list: its statements, and the definitions that enclose the statements after
// them.
#pragma once

#include <string_view>
#include <vector>

#include "ir/stmt.h"

namespace lathe::cuda {

struct Item {
  ir::Stmt stmt;
  bool defines = false;  // a let or a view of memory; its body is the items after it
};

std::vector<Item> ItemsOf(const ir::Stmt& body);
// Makes a body of the items again.
ir::Stmt BodyOf(const std::vector<Item>& items);

// The call that a statement evaluates; null if it is another statement.
const ir::Call* CallOf(const ir::Stmt& stmt);
// The name of the foreign function that a call calls; "" for other calls.
std::string_view ForeignName(const ir::Call& call);
// True for barrier("shared").
bool IsSharedBarrier(const ir::Stmt& stmt);
// True if the statement does nothing but start copies: async_copy, or TMA loads (tensor_memory.h).
bool BeginsCopies(const ir::Stmt& stmt);

}  // namespace lathe::cuda
