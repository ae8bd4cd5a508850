// What code of a session may do to its machine, where the kernel helps: Landlock (Linux 5.13). It
// contains mistakes; whoever may open a session may run programs, and is trusted.
#pragma once

#include <string>

namespace lathe::runtime::rpc {

// True if this kernel can confine processes.
bool CanConfine();

// From now on this process and what it starts may change files below `folder` and in /dev only, and
// (Linux 6.12) send signals only to each other. Reading is left as it is, and so are files that are
// open. This cannot be undone. Call it before there are other threads, and after no_new_privs.
// Returns false, with errno set, if the kernel cannot or `folder` cannot be opened.
bool Confine(const std::string& folder);

}  // namespace lathe::runtime::rpc
