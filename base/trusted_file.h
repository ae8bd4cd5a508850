// Which files may be trusted as code. The one rule for plugins, for verdicts on plugins, and for
// files in caches.
//
// A file is trusted if only root and the user could have written it. It must belong to root or to
// the effective user, and neither its group nor others may write to it. The same must hold for
// every folder above it, with links resolved. Two cases are still trusted:
//  - A sticky folder that others may write to, such as /tmp. Others cannot replace files there that
//    are not theirs, and the owner of the file or folder inside is checked, too.
//  - A group that may write, if its number is that of the owner. Systems that make a group for each
//    user, and let it write (umask 002), number groups this way; root's group is 0. The list of the
//    group's members is not read, because that may need a network.
// In a user namespace that does not know root (a sandbox), a file of an unknown owner counts as
// root's, because the two cannot be told apart.
//
// The check finds files that other users may change. It does not find malicious files: that is the
// responsibility of their owner.
#pragma once

#include <string>

#include "base/file.h"

namespace lathe {

// `text` is empty if the file is trusted. Otherwise it names the path that fails, its owner and who
// may write to it, and `help` says what to do.
struct Distrust {
  std::string text, help;

  bool ok() const { return text.empty(); }
};

// Checks an open file by its descriptor. So the bytes that are read are those of the file that was
// checked, even if somebody replaces the file at `path` meanwhile. `path` is the path by which it
// was opened; the folders above it are checked.
//
// `code` is the file of code that already runs, or "". Its owner is trusted, and so are the folders
// that lie above it as well: whoever may write there could have replaced that code.
Distrust DistrustOf(const FileHandle& file, const std::string& path, const std::string& code = "");
// Checks a folder in which files are kept: nobody else may write to it, even if it is
// sticky. The folders above it must pass the rule.
Distrust DistrustOfFolder(const std::string& folder);

// Why a path from an environment variable is refused; "" if it is accepted. A path that does not
// begin at the root is refused: it would name a file in the current folder, whatever that is.
std::string RefusalOf(const char* variable, const std::string& path);

// The folder of all caches of Lathe: $LATHE_CACHE_DIR, else $XDG_CACHE_HOME/lathe, else
// $HOME/.cache/lathe. `folder` is "" if none of these is set, if the program has more rights than
// its caller, or if the path depends on the current folder; in that last case, `refused` says so.
struct CachePlace {
  std::string folder, refused;
};
CachePlace FindCachePlace();

}  // namespace lathe
