#include "tests/faults/program.h"

#include <exception>
#include <new>
#include <utility>

#include "base/error.h"

namespace lathe::faults {

Outcome RunOnce(const Program& program) {
  try {
    std::string wrong = program.run();
    return {wrong.empty() ? Ending::kRight : Ending::kWrong, std::move(wrong)};
  } catch (const std::bad_alloc&) {
    return {Ending::kNoMemory, {}};
  } catch (const Error& error) {
    if (error.name() == "out-of-memory" || error.name() == "device-out-of-memory")
      return {Ending::kNoMemory, {}};
    const bool named =
        !error.name().empty() && error.name() != "internal-error" && error.name() != "exception";
    return {named ? Ending::kError : Ending::kWrong, error.what()};
  } catch (const std::exception& error) {
    return {Ending::kWrong, error.what()};
  }
}

}  // namespace lathe::faults
