// Digests of files, remembered by what the system says of the file.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "driver/cache/store.h"

namespace lathe::driver {

// A text that is another one whenever the file's contents may have changed: path, size, inode
// number and times of the file, of which only the system sets the last. Fails with
// `file-unreadable`.
absl::StatusOr<std::string> FileStamp(const std::string& path);

// The digest of the file's bytes (base/digest.h) as text. It is remembered in `store` under the
// file's stamp, unless the file was changed in the last two seconds: then it may change again
// without a new time. Fails with `file-unreadable` and `module-file-unreadable`.
absl::StatusOr<std::string> FileDigest(const std::string& path, CacheStore& store);

}  // namespace lathe::driver
