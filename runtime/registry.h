// The one global registry: name -> function. Thread-safe.
//
// Nothing registers itself from a static initializer: the runtime's own entries are put in by the
// first use, a plugin's when it is asked, a program's by a call. Names in use: "device_api.<kind>",
// "module.load.<kind>", "codegen.<target>", "runtime.*".
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "runtime/function.h"

namespace lathe::runtime {

enum class Override { kRefuse, kReplace };

// Fails with `registry-name-taken` where the name exists and `override` is kRefuse,
// `registry-name-invalid` where the name is empty or longer than 255 bytes,
// `registry-null-function`. Replacing affects later look-ups only.
absl::Status RegisterGlobal(std::string_view name, Function function,
                            Override override = Override::kRefuse);
// Whether there was one.
bool RemoveGlobal(std::string_view name);
// Null where there is none. Never asks the resolvers.
Function FindGlobal(std::string_view name);
// Like FindGlobal, but where nothing is found the resolvers are asked and the look-up repeated:
// this is how a plugin is loaded on first use of what it provides. Fails with `registry-not-found`,
// naming the nearest known ones, or with what a resolver said.
absl::StatusOr<Function> FindOrLoadGlobal(std::string_view name);
// Sorted.
std::vector<std::string> ListGlobalNames(std::string_view prefix = {});

// `resolver` may register what `name` asks for, and says why it could not (OK also means "not
// mine"). Called without any lock held, possibly from several threads at once. Never removed.
void AddGlobalResolver(std::function<absl::Status(std::string_view name)> resolver);

}  // namespace lathe::runtime
