// What code of a session may do to its machine, where the kernel helps: Landlock (Linux 5.13). It
// contains mistakes; whoever may open a session may run programs, and is trusted.
#pragma once

#include <string>

namespace lathe::runtime::rpc {

// Of the kernel's Landlock; 0 if it has none.
int LandlockVersion();
inline bool CanConfine() { return LandlockVersion() > 0; }

// From now on this thread and what it starts may make, write and remove files below `folder` only,
// write to files in /dev, and (Linux 6.12) send signals only to each other. Left as they are:
// reading, files that are open, modes, owners and times of files, and before Linux 6.2 truncate().
// This cannot be undone. Call it before there are other threads, and after no_new_privs. Returns
// false, with errno set, if the kernel cannot or `folder` cannot be opened.
bool Confine(const std::string& folder);

}  // namespace lathe::runtime::rpc
