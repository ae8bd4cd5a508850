// pragma: tells passes how to treat a loop and what lies within. Never changes meaning.
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
// See lower/unroll.h (S23) and lower/loop_partition.h. What would have no effect is refused: there
// are no other pragmas. (The threads of a parallel loop always meet at its end: no pragma speaks of
// that.)
// An import is the function's, whichever loop it is attached to, and equal ones are added once, in
// the order of stages and loops. A target that does not take the language refuses the module when
// it is lowered for it (`import-unsupported`); what is wrong with the source itself, its compiler
// says.
// Precondition: `axis` is a leaf. Errors: schedule-not-a-leaf, unknown-pragma, pragma-value.
#pragma once

#include <string>
#include <vector>

#include "schedule/schedule.h"

namespace lathe::schedule {

void Pragma(Stage& stage, const IterVar& axis, const std::string& key, int64_t value = 1);
// import_LANGUAGE with its source.
void Pragma(Stage& stage, const IterVar& axis, const std::string& key, const std::string& source);
// Is it import_LANGUAGE, and of which?
bool IsImportPragma(std::string_view key);
std::string ImportedLanguage(std::string_view key);
// The keys there are beside imports.
std::vector<std::string> PragmaKeys();
// Is the annotation a pragma that speaks of what lies within the loop as well?
bool IsNestPragma(std::string_view key);

}  // namespace lathe::schedule
