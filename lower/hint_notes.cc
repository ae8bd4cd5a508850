#include "lower/hint_notes.h"

#include <utility>
#include <vector>

#include "ir/names.h"
#include "ir/walk.h"

namespace lathe::lower {

using namespace ir;  // NOLINT: the nodes' names, in this file only

namespace {

// The stage that a loop belongs to: stages attached to it store before it does.
std::string StageOf(const For& loop) {
  std::string stage;
  ForEach<Store>(loop.body, [&](const Store& store) { stage = store.buffer->name; });
  return stage;
}

// The loop that a pragma is at: its pieces, if it was cut, have one name.
const For* LoopOf(const Attr& pragma) {
  Stmt at = pragma.body;
  for (;;) {
    if (const auto* attr = As<Attr>(at)) {
      at = attr->body;
    } else if (const auto* seq = As<Seq>(at); seq != nullptr && !seq->stmts.empty()) {
      at = seq->stmts.front();
    } else {
      return As<For>(at);
    }
  }
}

}  // namespace

Diagnostic HintWithoutEffect(const std::string& hint, const std::string& loop,
                             const std::string& stage, const std::string& reason,
                             const std::string& help) {
  return {.name = "hint-without-effect",
          .message = "`" + hint + "` at loop `" + loop + "` of stage `" + stage +
                     "` has no effect: " + reason,
          .help = help};
}

HintNotes::Fate& HintNotes::Of(std::string_view hint, const For& loop) {
  return fates_[{std::string(hint), StageOf(loop), loop.var->name}];
}

void HintNotes::HasNone(std::string_view hint, const For& loop, std::string_view reason) {
  Fate& fate = Of(hint, loop);
  if (fate.reason.empty()) fate.reason = reason;
}

void HintNotes::Report(const PassContext& context, const std::string& help) const {
  for (const auto& [place, fate] : fates_) {
    const auto& [hint, stage, loop] = place;
    if (!fate.effect) context.note(HintWithoutEffect(hint, loop, stage, fate.reason, help));
  }
}

void NoteUnrollHints(const Module& module, const PassContext& context) {
  if (!context.note) return;
  HintNotes notes;
  const std::string key = std::string(attr_key::kPragmaPrefix) + pragma::kAutoUnrollMaxStep;
  ForEach<Attr>(module, [&](const Attr& attr) {
    const int64_t* most = attr.key == key ? AsConstInt(attr.value) : nullptr;
    const For* at = most != nullptr && *most > 0 ? LoopOf(attr) : nullptr;
    if (at == nullptr) return;
    bool any = false, constant = false;
    ForEach<For>(attr.body, [&](const For& loop) {
      // A vectorized loop may still become a serial one.
      const bool serial =
          loop.for_kind == ForKind::kSerial || loop.for_kind == ForKind::kVectorized;
      const int64_t* extent = serial ? AsConstInt(loop.extent) : nullptr;
      constant = constant || extent != nullptr;
      any = any || (extent != nullptr && *extent <= *most);
    });
    if (any)
      notes.HasEffect(pragma::kAutoUnrollMaxStep, *at);
    else
      notes.HasNone(pragma::kAutoUnrollMaxStep, *at,
                    constant
                        ? "each serial loop in it has more iterations than statements may be made"
                        : "no serial loop in it has a constant extent");
  });
  notes.Report(context, "split by a constant factor, or unroll a loop by `unroll`");
}

std::string NoteText(const Diagnostic& note) {
  const std::string text = note.ToString();
  constexpr std::string_view kError = "error";
  return "note" + text.substr(text.starts_with(kError) ? kError.size() : 0);
}

}  // namespace lathe::lower
