// The files that a command will write, looked at before it works.
#pragma once

#include "absl/status/status.h"
#include "tools/lathe/command.h"

namespace lathe::cli {

// Of the options that name files to write (--output, --out, --html, --trace, --header, --binary):
// throws UsageError `cli-bad-value` if two name one file, or if one names a file that the command
// reads: a positional argument (--out: the first of them only, since a result may take the place
// of an operand). Fails with `output-folder` or `output-write` (PartialOutput::Create) if a file
// cannot be written. So nobody loses a file, or what a long command found out.
absl::Status CheckOutputs(const Arguments& arguments);

// Do two paths name one file, be it there already or not?
bool AreOneFile(const std::string& a, const std::string& b);

}  // namespace lathe::cli
