// The folders in which the sessions of this process keep their files. Thread-safe.
//
// Each is locked (flock) as long as a process has it, so that another process knows which folders
// were left behind by killed ones. Processes made by fork share the lock.
#pragma once

#include <string>

namespace lathe::runtime {

// Makes a new folder in `place` that only the user can open; its name begins with "lathe-session-".
// It and everything in it are removed when this process exits. Returns "", or what is wrong in the
// system's words.
std::string MakeSessionFolder(const std::string& place, std::string* folder);

// Removes the user's folders in `place` that killed processes left. That takes long if they are
// large.
void RemoveAbandonedSessionFolders(const std::string& place);

// Removes the folder with everything in it. Does nothing in a child that was forked after it was
// made.
void RemoveSessionFolder(const std::string& folder);

}  // namespace lathe::runtime
