// Whom to trust with code: the one rule for plugins, for verdicts on them, for what caches keep.
//
// A file is trusted where nobody but root and the user could have written it. It belongs to root or
// to the effective user, neither its group nor others may write to it, and the same holds for every
// folder above it, links resolved. Two things are no objection:
//  - a folder that others may write to and that is sticky, as /tmp is: they cannot replace what is
//    not theirs, and what is in it is asked whose it is;
//  - a group that has its owner's number. Systems that make a group for each user, and let it write
//    (umask 002), number it so; root's is 0. No list of members is read: that may take a network.
// In a user namespace that does not know root (a sandbox), what belongs to somebody unknown counts
// as root's: it cannot be told from it.
//
// It finds what others may change, not what is bad: that is the owner's word.
#pragma once

#include <string>

#include "base/file.h"

namespace lathe {

// `text` is empty where there is no objection. Else it names the path that fails, whose it is and
// who may write to it; `help` is the way out.
struct Distrust {
  std::string text, help;

  bool ok() const { return text.empty(); }
};

// Of the file that was opened, by descriptor: what is read from it is what was asked about, also
// where another writer puts a new one in its place meanwhile. `path` is what it was opened by, for
// the folders above.
//
// `code` is the file of code that runs already, or "". Folders that lie above it too are not asked,
// and its owner is trusted: whoever may write there could have put other code in its place.
Distrust DistrustOf(const FileHandle& file, const std::string& path, const std::string& code = "");
// Of a folder in which files are kept: nobody else may write to it, sticky or not.
Distrust DistrustOfFolder(const std::string& folder);

// Why a path from the environment is refused, or "": one that does not begin at the root names
// whatever lies in the current folder.
std::string RefusalOf(const char* variable, const std::string& path);

// Where all caches of Lathe lie: $LATHE_CACHE_DIR, else $XDG_CACHE_HOME/lathe, else
// $HOME/.cache/lathe. `folder` is "" where none is set, where the program has more rights than its
// caller, and where the path depends on the current folder; then `refused` says so.
struct CachePlace {
  std::string folder, refused;
};
CachePlace FindCachePlace();

}  // namespace lathe
