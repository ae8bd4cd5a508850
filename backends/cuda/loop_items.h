// A loop's body as one list: statements, and among them the definitions that the rest of the body
// stands in.
#pragma once

#include <string_view>
#include <vector>

#include "ir/stmt.h"

namespace lathe::cuda {

struct Item {
  ir::Stmt stmt;
  bool defines = false;  // a let or a view of memory, whose own body is the items after it
};

std::vector<Item> ItemsOf(const ir::Stmt& body);
// The body again.
ir::Stmt BodyOf(const std::vector<Item>& items);

// The call that a statement is; null if it is something else.
const ir::Call* CallOf(const ir::Stmt& stmt);
// The function that a call of foreign code names; "" for other calls.
std::string_view ForeignName(const ir::Call& call);
// barrier("shared").
bool IsSharedBarrier(const ir::Stmt& stmt);
// Does nothing but begin copies: async_copy, or TMA loads (tensor_memory.h).
bool BeginsCopies(const ir::Stmt& stmt);

}  // namespace lathe::cuda
