// How much scratch memory the functions of a module need: what lower/lower_errors takes from the
// runtime's workspace.
#pragma once

#include <cstdint>
#include <string>

#include "lower/pass.h"

namespace lathe::lower {

// Each allocation counts as a multiple of this, and begins at one.
inline constexpr int64_t kWorkspaceAlignment = 64;  // bytes

// What one function takes at most at once: numbers of bytes as int64 expressions over its sizes,
// each the name of an argument or of a symbolic extent, stride or offset of one.
struct WorkspaceUse {
  std::string function;
  ir::Expr outside;     // outside of parallel loops, on the calling thread
  ir::Expr per_thread;  // within them, each thread that runs a part of one
  // Why the two are not known; they are null then.
  std::string unknown;
};

// Which allocations of a function, or of one parallel loop in it, lie on the stack (S41): those of
// constant size that together stay within `bytes`; local memory, which is meant to be near, is
// counted by itself. Asked once per allocation, in the order in which they stand.
class StackBudget {
 public:
  StackBudget(int64_t bytes, int64_t device_type)
      : left_(bytes), local_left_(bytes), device_type_(device_type) {}
  bool Take(const ir::BufferNode& buffer);

 private:
  int64_t left_, local_left_;  // bytes
  int64_t device_type_;
};

// Tells `context.workspace`, where it is set, what each packed function and each entry without
// checks takes. Packed functions stay as they are: lower_errors asks the runtime. An entry has a
// parameter for its workspace, and its allocations become places in it:
//
//   allocate B[n]:  body         -->     view B = workspace_at(workspace, 0): body
//   parallel for i:                      parallel for i:
//     allocate C[64]: body       -->       let mine = workspace_at(workspace, outside +
//                                                                  thread_index() * per_thread)
//                                          view C = workspace_at(mine, 0): body
//
// Throws `entries-workspace` where an entry's workspace is not known or not plain memory. On flat
// buffers, before parallel loops are outlined.
ir::Module PlanWorkspace(const ir::Module& module, const PassContext& context);

}  // namespace lathe::lower
