#include "driver/door.h"

#include "base/error.h"
#include "ir/thread_scopes.h"
#include "ir/verifier.h"
#include "lower/memory_use.h"

namespace lathe::driver {
namespace {

void CheckMemory(const ir::Func& func, const target::MemoryScope& memory) {
  const auto refuse = [&](std::string found, std::string help) {
    throw Error(Diagnostic{.name = "target-memory",
                           .message = "the buffers of function `" + func->name +
                                      "` do not fit into `" + memory.scope + "`",
                           .expected = "at most " + std::to_string(memory.bytes) + " bytes at once",
                           .found = std::move(found),
                           .help = std::move(help)});
  };
  int64_t bytes = 0;
  try {
    bytes = lower::ScopeBytes(func, memory.scope, static_cast<int64_t>(memory.alignment));
  } catch (const Error& error) {
    if (error.name() != "memory-size-symbolic") throw;
    refuse(error.diagnostic().message,
           "give its stage constant extents, by tiles of constant size");
  }
  if (static_cast<uint64_t>(bytes) > memory.bytes)
    refuse(std::to_string(bytes) + " bytes", "use smaller tiles, or attach the stage further in");
}

}  // namespace

void CheckAtDoor(const ir::Module& module, const target::TargetSchema& schema) {
  const bool tile = schema.stage == target::ContractStage::kTile;
  ir::VerifyModule(module, tile ? ir::Stage::kTile : ir::Stage::kFlat);
  const bool has_threads = !schema.machine.axes.empty();
  for (const target::MemoryScope& memory : schema.machine.memory) {
    if (memory.bytes == 0 || (has_threads && ir::ScopeRank(memory.scope) == 1)) continue;
    for (const ir::Func& func : module->functions) CheckMemory(func, memory);
  }
}

}  // namespace lathe::driver
