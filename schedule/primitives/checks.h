// Preconditions that several primitives share.
#pragma once

#include <string>
#include <string_view>

#include "schedule/schedule.h"

namespace lathe::schedule {

// Throws "schedule-axis-annotated" unless the axis's loop is still plain.
void RequirePlain(const Stage& stage, const IterVar& axis, std::string_view primitive);
// Throws "schedule-axis-annotated" if the loop has hints that would be lost with it: pragmas,
// prefetches, a pipeline.
void RequireNoHints(const Stage& stage, const IterVar& axis, std::string_view primitive);
// Throws "schedule-annotate-reduction" if the axis is a reduction axis (S47).
void RequireNoReduction(const Stage& stage, const IterVar& axis, std::string_view primitive);
// Throws "schedule-bad-factor" unless a constant factor is > 0 and a symbolic one is an integer.
void RequireFactor(const Stage& stage, const IterVar& axis, const Expr& factor,
                   std::string_view primitive);
// The reason why the stage cannot be inlined, for a diagnostic's `found`; "" if it can (S48).
std::string WhyNotInlined(const Stage& stage);
// Checks the place where a stage or a group is attached: the axis must be the parent's, and the
// stages must be of one schedule; throws "schedule-foreign-axis", "schedule-not-a-leaf".
void RequireAttachPoint(const ScheduleNode& schedule, const std::string& what, const Stage& parent,
                        const IterVar& axis);
// The primitive's name for an annotation: "parallel", "vectorized", ...
const char* AnnotationName(ForKind kind);

}  // namespace lathe::schedule
