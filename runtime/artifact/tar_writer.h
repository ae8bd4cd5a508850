// Writes tar archives of objects: the form in which an artefact of several objects is saved.
#pragma once

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/pieces.h"
#include "runtime/artifact/tar.h"

namespace lathe::runtime {

// An archive (ustar) that ReadTar and every tar program can read; it borrows the entries' contents.
// Equal entries give equal bytes: time, owner and mode are constant. Fails with `archive-name` for
// a name that is not plain (IsPlainEntryName), too long or used twice, and `archive-too-large` for
// contents of 8 GiB or more.
absl::StatusOr<Pieces> WriteTar(absl::Span<const TarEntry> entries);

}  // namespace lathe::runtime
