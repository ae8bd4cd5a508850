// Notes about hints of a schedule that have no effect on the lowered program.
//
// A loop may have become several, of which the hint changes some: then there is no note.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <tuple>

#include "ir/stmt.h"
#include "lower/pass.h"

namespace lathe::lower {

// "hint-without-effect". `hint` is the primitive or the key of the pragma.
Diagnostic HintWithoutEffect(const std::string& hint, const std::string& loop,
                             const std::string& stage, const std::string& reason,
                             const std::string& help);

// Collects what became of hints, of all copies of their loops.
class HintNotes {
 public:
  void HasEffect(std::string_view hint, const ir::For& loop) { Of(hint, loop).effect = true; }
  // The first reason counts.
  void HasNone(std::string_view hint, const ir::For& loop, std::string_view reason);
  // Calls context.note for each hint without effect, in the order of their names.
  void Report(const PassContext& context, const std::string& help) const;

 private:
  struct Fate {
    bool effect = false;
    std::string reason;
  };
  Fate& Of(std::string_view hint, const ir::For& loop);
  std::map<std::tuple<std::string, std::string, std::string>, Fate> fates_;  // hint, stage, loop
};

// Of a module at the stage `tile`, after the tile passes: pragmas auto_unroll_max_step around which
// no loop can be unrolled. (The pass loop_partition reports its own hints.)
void NoteUnrollHints(const ir::Module& module, const PassContext& context);

// As users read it: "note[name]: ...".
std::string NoteText(const Diagnostic& note);

}  // namespace lathe::lower
