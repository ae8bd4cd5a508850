// How much scratch memory the functions of a module need; lower/lower_errors allocates it from the
// runtime's workspace.
#pragma once

#include <cstdint>
#include <string>

#include "lower/pass.h"

namespace lathe::lower {

// Each allocation is rounded up to a multiple of this, and begins at one.
inline constexpr int64_t kWorkspaceAlignment = 64;  // bytes

// The most scratch memory that one function uses at the same time: numbers of bytes as int64
// expressions over its sizes, each of which is the name of an argument, or of an argument's
// symbolic extent, stride or offset.
struct WorkspaceUse {
  std::string function;
  ir::Expr outside;     // outside of parallel loops, on the calling thread
  ir::Expr per_thread;  // within them, each thread that runs a part of one
  // The reason if the two are not known; they are null then.
  std::string unknown;
};

// Decides which allocations of a function, or of one parallel loop in it, are on the stack (S41):
// those of constant size, if what is open at the same time stays within `bytes`. Local memory,
// which should be near, has a separate sum. Ask once per allocation, in program order.
class StackBudget {
 public:
  StackBudget(int64_t bytes, int64_t device_type)
      : left_(bytes), local_left_(bytes), device_type_(device_type) {}
  // When the allocation begins: is it on the stack?
  bool Take(const ir::BufferNode& buffer);
  // When an allocation on the stack ends.
  void Give(const ir::BufferNode& buffer);

 private:
  int64_t& Left(const ir::BufferNode& buffer);

  int64_t left_, local_left_;  // bytes
  int64_t device_type_;
};

// Calls `context.workspace`, if it is set, with the scratch memory of each packed function and each
// entry without checks. Packed functions are unchanged: lower_errors allocates at run time. An
// entry has a parameter for its workspace, and its allocations become places in it:
//
//   allocate B[n]:  body         -->     view B = workspace_at(workspace, 0): body
//   parallel for i:                      parallel for i:
//     allocate C[64]: body       -->       let mine = workspace_at(workspace, outside +
//                                                                  thread_index() * per_thread)
//                                          view C = workspace_at(mine, 0): body
//
// Throws `entries-workspace` if an entry's workspace is not known or not plain memory. Runs on flat
// buffers, before parallel loops are outlined.
ir::Module PlanWorkspace(const ir::Module& module, const PassContext& context);

}  // namespace lathe::lower
