// Preconditions that several primitives share.
#pragma once

#include <string>
#include <string_view>

#include "schedule/schedule.h"

namespace lathe::schedule {

// The axis's loop is still plain; throws "schedule-axis-annotated".
void RequirePlain(const Stage& stage, const IterVar& axis, std::string_view primitive);
// Nothing has been said about the loop that would be lost with it: pragmas, prefetches, a pipeline;
// throws "schedule-axis-annotated".
void RequireNoHints(const Stage& stage, const IterVar& axis, std::string_view primitive);
// The axis is no reduction axis; throws "schedule-annotate-reduction" (S47).
void RequireNoReduction(const Stage& stage, const IterVar& axis, std::string_view primitive);
// A constant factor is > 0, a symbolic one an integer; throws "schedule-bad-factor".
void RequireFactor(const Stage& stage, const IterVar& axis, const Expr& factor,
                   std::string_view primitive);
// Why the stage cannot be inlined, as a diagnostic's `found`; "" where it can (S48).
std::string WhyNotInlined(const Stage& stage);
// Where a stage or a group is attached: the axis is the parent's, and the stages are of one
// schedule; throws "schedule-foreign-axis", "schedule-not-a-leaf".
void RequireAttachPoint(const ScheduleNode& schedule, const std::string& what, const Stage& parent,
                        const IterVar& axis);
// "parallel", "vectorized", ... as people write the primitive.
const char* AnnotationName(ForKind kind);

}  // namespace lathe::schedule
