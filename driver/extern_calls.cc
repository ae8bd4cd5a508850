#include "driver/extern_calls.h"

#include <cctype>
#include <map>
#include <string>
#include <string_view>

#include "ir/intrinsic_names.h"
#include "ir/stmt.h"
#include "ir/walk.h"

namespace lathe::driver {
namespace {

using ir::As;

// Is `name` in `text` as a whole word?
bool Names(std::string_view text, std::string_view name) {
  const auto is_part = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
  };
  for (size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const size_t end = at + name.size();
    if ((at == 0 || !is_part(text[at - 1])) && (end == text.size() || !is_part(text[end])))
      return true;
  }
  return false;
}

// The buffer that a call gets to write to, else the first one; "" if it gets none.
std::string BufferOf(const ir::Call& call) {
  constexpr int64_t kWrites = 2;
  std::string first;
  for (const ir::NodeRef& arg : call.args) {
    const auto* pointer = As<ir::Call>(arg);
    const auto* buffer =
        As<ir::BufferNode>(pointer == nullptr || pointer->args.empty() ? arg : pointer->args[0]);
    if (buffer == nullptr) continue;
    const auto* mask = pointer == nullptr ? nullptr : As<ir::IntImm>(pointer->args.back());
    if (mask != nullptr && (mask->value & kWrites) != 0) return buffer->name;
    if (first.empty()) first = buffer->name;
  }
  return first;
}

// Of each C function: the first stage of each function that calls it.
using Callers = std::map<std::string, std::map<std::string, std::string>>;

void AddCallers(const ir::Func& func, Callers* callers) {
  const auto look = [&](const ir::NodeRef& at, const std::string& stage) {
    ir::ForEach<ir::Call>(at, [&](const ir::Call& call) {
      if (call.op != ir::intrinsic::kCallExtern && call.op != ir::intrinsic::kCallPureExtern)
        return;
      const auto* name = As<ir::StringImm>(call.arg(0));
      if (name == nullptr) return;
      std::string& known = (*callers)[name->value][func->name];
      if (known.empty()) known = stage.empty() ? BufferOf(call) : stage;
    });
  };
  // Stores first: they know the stage. Others are in conditions and the like.
  ir::ForEach<ir::Store>(func->body,
                         [&](const ir::Store& store) { look(store.value, store.buffer->name); });
  look(func->body, "");
}

}  // namespace

absl::Status WithExternCallers(const absl::Status& status, const ir::Module& module) {
  // Names of functions are words of these errors, too: `time`, `free`.
  if (absl::IsDeadlineExceeded(status) || absl::IsCancelled(status) ||
      absl::IsResourceExhausted(status))
    return status;
  Callers callers;
  for (const ir::Func& func : module->functions) AddCallers(func, &callers);
  std::string text(status.message());
  bool found = false;
  for (const auto& [name, functions] : callers) {
    if (!Names(status.message(), name)) continue;
    found = true;
    for (const auto& [function, stage] : functions) {
      text += "\nin: " + (stage.empty() ? "" : "stage `" + stage + "` of ") + "function `" +
              function + "` calls `" + name + "`";
    }
  }
  if (!found) return status;
  text +=
      "\nhelp: the pragma import_llvm (import_c for kernels in OpenCL C or CUDA C++) adds the "
      "function's source to the program";
  return absl::Status(status.code(), text);
}

}  // namespace lathe::driver
