// pragma: tells passes how to treat a loop and the statements within it. It never changes the
// result.
//
//   pragma(i, auto_unroll_max_step, 16)   loops within i (and i) of constant extent are unrolled
//                                         while the copies make at most 16 statements
//   pragma(i, auto_unroll_max_depth, 2)   ... at most 2 of them in each other (default 8)
//   pragma(i, auto_unroll_max_extent, 8)  ... none of more than 8 iterations (default: any)
//   pragma(i, unroll_explicit, 0)         loops unrolled automatically stay loops, marked for the
//                                         code generator (default 1: copies)
//   pragma(i, loop_partition_hint, 1)     i is cut where its guards are decided, even where its
//                                         bounds are constants (S21)
//   pragma(i, nontemporal, 1)             vectors that i stores to memory that is there before and
//                                         after it go past the caches (on x86-64): for results so
//                                         large that they leave the caches before anybody reads
//                                         them. Stores that are aligned to their vectors, seen as
//                                         they run; others are as usual. All of them are in memory
//                                         when i ends (each thread's, of a parallel loop).
//   pragma(i, import_llvm, "define ...")  the code generator adds this source (LLVM assembly)
//                                         to the module, so that call_extern and call_pure_extern
//                                         find what it defines. import_LANGUAGE of any language
//                                         that the target's manifest lists under "imports":
//                                         import_c is C as the device's compiler takes it.
//
//   for j in range(4): A[j] = 0     --pragma(j, auto_unroll_max_step, 4)-->     A[0] = 0; ...
//
// See lower/unroll.h (S23) and lower/loop_partition.h. There are no other pragmas; a key without
// effect is refused. (The threads of a parallel loop always synchronise at its end, so there is no
// pragma for that.) An import belongs to the function, whichever loop it is attached to. Equal
// imports are added once, in the order of stages and loops. A target that does not accept the
// language refuses the module when it is lowered for the target (`import-unsupported`); errors in
// the source itself are reported by its compiler. Precondition: `axis` is a leaf. Errors:
// schedule-not-a-leaf, unknown-pragma, pragma-value.
#pragma once

#include <string>
#include <vector>

#include "schedule/schedule.h"

namespace lathe::schedule {

void Pragma(Stage& stage, const IterVar& axis, const std::string& key, int64_t value = 1);
// Attaches import_LANGUAGE with its source.
void Pragma(Stage& stage, const IterVar& axis, const std::string& key, const std::string& source);
// True if the key is import_LANGUAGE.
bool IsImportPragma(std::string_view key);
std::string ImportedLanguage(std::string_view key);
// The keys except imports.
std::vector<std::string> PragmaKeys();
// True if the annotation is a pragma that also applies to the statements within the loop.
bool IsNestPragma(std::string_view key);

}  // namespace lathe::schedule
