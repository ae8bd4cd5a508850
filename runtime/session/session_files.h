// The files of a session: bytes under names, which the session's machine keeps for it.
//
// A name is one part of a path: 1 to 255 bytes, without '/' and control characters, and its first
// character is not a dot. So no name leads out of the session's folder. Every method refuses other
// names with `session-file-name`, and every call after the session's end with `session-closed`.
#pragma once

#include <cstdint>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/session_table.h"

namespace lathe::runtime {

// The most bytes of all files of a session, each counted in whole blocks of 4096 bytes.
inline constexpr uint64_t kMostSessionBytes = uint64_t{16} << 30;

// Fails with `session-file-name`, which names the session.
absl::Status CheckFileName(const SessionBase& session, std::string_view name);

// Methods are thread-safe.
class SessionFiles {
 public:
  virtual ~SessionFiles() = default;
  // The file appears whole or not at all. A file that has the name is replaced; modules that were
  // loaded from it are not affected. Fails with `session-file-unwritable`, and with
  // `session-files-too-large` if all files together would have more than kMostSessionBytes.
  virtual absl::Status Upload(std::string_view name, std::string_view bytes) = 0;
  // The same for `size` bytes that come in pieces. `next` gives the next piece, which stays valid
  // until it is called again, and is called until all are there. Its error is the upload's: then
  // there is no file.
  using NextPiece = absl::FunctionRef<absl::StatusOr<std::string_view>()>;
  virtual absl::Status UploadPieces(std::string_view name, uint64_t size, NextPiece next) = 0;
  // Fails with `session-file-missing` and `session-file-unreadable`.
  virtual absl::StatusOr<std::string> Download(std::string_view name) = 0;
  // All names, in the order of their bytes. Fails with `session-file-unreadable`.
  virtual absl::StatusOr<std::vector<std::string>> List() = 0;
  // Fails with `session-file-missing` and `session-file-unwritable`.
  virtual absl::Status Remove(std::string_view name) = 0;
};

// The files of a session that this process serves: in a folder that only its user can open, made by
// the first upload in $TMPDIR, else in /tmp. The folder and everything in it is removed at the
// session's end, or when the process exits before that. What a killed process had is removed when
// another process makes such a folder there. A child made by fork has the same files, and its end
// removes none of them.
class FolderFiles final : public SessionFiles {
 public:
  // `session` owns this, and calls End when it is closed.
  explicit FolderFiles(const SessionBase& session) : session_(session) {}
  ~FolderFiles() override { End(); }

  absl::Status Upload(std::string_view name, std::string_view bytes) override;
  // Keeps no more than a piece in memory.
  absl::Status UploadPieces(std::string_view name, uint64_t size, NextPiece next) override;
  absl::StatusOr<std::string> Download(std::string_view name) override;
  absl::StatusOr<std::vector<std::string>> List() override;
  absl::Status Remove(std::string_view name) override;

  // The absolute path of a file, for loaders. Fails as Download does.
  absl::StatusOr<std::string> PathOf(std::string_view name);
  // Waits for other calls and removes the folder. A second call does nothing.
  void End();

 private:
  absl::Status MakeFolder();
  absl::Status CheckRoom(std::string_view name, uint64_t bytes) const;
  // `session-file-missing`, with the names that there are.
  absl::Status Missing(std::string_view name) const;
  absl::Status Unwritable(std::string_view name, std::string_view problem) const;
  absl::Status Unreadable(std::string_view name, std::string_view problem) const;
  // The names so far; empty if the folder cannot be read.
  std::vector<std::string> Names(std::string* problem) const;

  const SessionBase& session_;
  std::mutex uploads_;
  std::shared_mutex mutex_;  // held alone to make and remove the folder
  std::string folder_;       // "" before the first upload and after the end
};

}  // namespace lathe::runtime
