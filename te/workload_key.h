// One key for a workload: compiled code, tuning records and graphs find what they know of a program
// under it.
//
// Part of the key: the canonical form of the program (te/canonical.h): shapes, element types,
// operators, the order of arguments and of operands, which tensors are one; attributes of
// operations; the data of constants, by their digest. And the canonical text of the target. Not
// part of it: names of operations, axes, variables and buffers; the order in which operations are
// listed; tags that the compiler does not go by; the schedule; the compiler and its options. Who
// keeps code adds the last three (docs/design/workload_key.md).
#pragma once

#include <string_view>
#include <vector>

#include "base/digest.h"
#include "ir/tensor_op.h"

namespace lathe::te {

// `args` as for Canonicalize; `target` is the text of a canonical target (target::CanonicalTarget),
// or "" for what holds on any. The same on every machine and in later versions, as long as no field
// is added to a node that the program has (ir::kBinaryLevel) and bytes keep their meaning
// (ir::kBinaryVersion). Digest::ToString prints it. Takes time linear in the size of the program.
// Thread-safe.
Digest WorkloadKey(const std::vector<ir::NodeRef>& args, std::string_view target);

}  // namespace lathe::te
