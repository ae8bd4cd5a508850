// A check of the conformance kit: one thing that a plugin must do, tried in a child process.
//
// The process that runs the checks loads no plugin and starts no thread, so that each check begins
// in a fresh copy of it; a plugin that crashes fails that check, by its signal, and no other.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "runtime/plugin_loader/manifest.h"
#include "target/target_schema.h"

namespace lathe::kit {

// What is tested.
struct Subject {
  std::string path;  // of the plugin, absolute
  runtime::Manifest manifest;
  std::vector<target::TargetSchema> targets;  // the first is the one that checks compile for
  std::string target;                         // its name with attributes; "" for its kind alone
  std::string program;                        // this program, for checks that need a new process
  std::string folder;                         // for files
  std::vector<std::string> beside;            // other plugins, for coexistence
};

struct Check {
  std::string theme;  // "device"
  std::string name;   // "copy-strided"
  std::function<absl::Status(const Subject&)> run;
  std::string full_name() const { return theme + "/" + name; }
};

// The check does not concern this plugin: it neither passes nor fails, and is counted apart.
absl::Status NotApplicable(const std::string& why);
bool IsNotApplicable(const absl::Status& status);
absl::Status Failed(const std::string& what);
// The check passed, and says what it measured.
absl::Status Measured(const std::string& what);
bool IsMeasured(const absl::Status& status);
// Fails with `what` unless `holds`.
absl::Status Require(bool holds, const std::string& what);

// The themes, in the order of the card. Each appends its checks.
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

// The program's second task: loads what a module check saved and runs it, with the runtime alone.
int RunSavedModule(const std::string& file);

#define KIT_RETURN_IF_ERROR(expression)                                              \
  do {                                                                               \
    if (absl::Status kit_status = (expression); !kit_status.ok()) return kit_status; \
  } while (false)

}  // namespace lathe::kit
