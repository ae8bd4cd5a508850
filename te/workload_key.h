// One key for a workload. Compiled code, tuning records and graphs use it to look up what they
// store about a program.
//
// Part of the key: the canonical text of the target and the canonical form of the program
// (te/canonical.h), which has shapes, element types, operators, the order of arguments and of
// operands, which tensors are the same, attributes of operations, and the digests of constants. Not
// part of it: names of operations, axes, variables and buffers; the order in which operations are
// listed; tags that the compiler does not use; the schedule; the compiler and its options. To store
// code under the key, add the last three (docs/design/workload_key.md).
#pragma once

#include <string_view>
#include <vector>

#include "base/digest.h"
#include "ir/tensor_op.h"

namespace lathe::te {

// `args` as for Canonicalize; `target` is the text of a canonical target (target::CanonicalTarget),
// or "" for facts that hold on any target. The key is the same on every machine and in later
// versions, as long as no field is added to a node that the program has (ir::kBinaryLevel) and
// bytes keep their meaning (ir::kBinaryVersion). Digest::ToString prints it. Takes time linear in
// the size of the program. Thread-safe.
Digest WorkloadKey(const std::vector<ir::NodeRef>& args, std::string_view target);

}  // namespace lathe::te
