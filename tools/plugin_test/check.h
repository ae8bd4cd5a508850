// A check of the conformance kit: one property that a plugin must have, tried in a child process.
//
// The process that starts the checks loads no plugin and starts no thread, so each check begins in
// a fresh copy of it. If a plugin crashes, that check fails, with the signal, and no other check
// does.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "runtime/plugin_loader/manifest.h"
#include "target/target_schema.h"

namespace lathe::kit {

// The plugin under test.
struct Subject {
  std::string path;  // absolute path of the plugin
  runtime::Manifest manifest;
  std::vector<target::TargetSchema> targets;  // the first is the one that checks compile for
  std::string target;                         // the first target, with attributes; "": its kind
  std::string program;                        // path of this program, to start new processes
  std::string folder;                         // a folder for files
  std::vector<std::string> beside;            // other plugins to load beside it
};

struct Check {
  std::string theme;  // "device"
  std::string name;   // "copy-strided"
  std::function<absl::Status(const Subject&)> run;
  std::string full_name() const { return theme + "/" + name; }
};

// A result that says: the check does not apply to this plugin. It neither passes nor fails, and is
// counted separately.
absl::Status NotApplicable(const std::string& why);
bool IsNotApplicable(const absl::Status& status);
absl::Status Failed(const std::string& what);
// A result that says: the check passed, and this is what it measured.
absl::Status Measured(const std::string& what);
bool IsMeasured(const absl::Status& status);
// Fails with `what` unless `holds`.
absl::Status Require(bool holds, const std::string& what);

// Runs `body` on a few threads at once, and returns the first failure. Fails with `thread-refused`
// if the system has not so many threads: the check then says nothing about the plugin.
absl::Status OnThreads(const std::function<absl::Status()>& body);

// The themes, in the order of the card. Each function appends its theme's checks.
using Checks = std::vector<Check>;
void AddHygieneChecks(const Subject& subject, Checks* checks);
void AddHandshakeChecks(const Subject& subject, Checks* checks);
void AddSkewChecks(const Subject& subject, Checks* checks);
void AddFailureChecks(const Subject& subject, Checks* checks);
void AddLifetimeChecks(const Subject& subject, Checks* checks);
void AddDeviceChecks(const Subject& subject, Checks* checks);
void AddQueueChecks(const Subject& subject, Checks* checks);
void AddIrChecks(const Subject& subject, Checks* checks);
void AddCodegenChecks(const Subject& subject, Checks* checks);
void AddIntrinsicChecks(const Subject& subject, Checks* checks);
void AddModuleChecks(const Subject& subject, Checks* checks);
void AddSpeedChecks(const Subject& subject, Checks* checks);
void AddCoexistenceChecks(const Subject& subject, Checks* checks);

// The program's second task: loads a module that a module check saved, and runs it with only the
// runtime.
int RunSavedModule(const std::string& file);

#define KIT_RETURN_IF_ERROR(expression)                                              \
  do {                                                                               \
    if (absl::Status kit_status = (expression); !kit_status.ok()) return kit_status; \
  } while (false)

}  // namespace lathe::kit
