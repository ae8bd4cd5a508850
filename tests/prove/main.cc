// prove --seed=S --programs=N [--compile] [--passes=PERCENT]: random programs under random
// schedules.
#include <charconv>
#include <iostream>
#include <string_view>

#include "driver/default_plugins.h"
#include "tests/prove/prove.h"

namespace {

// The number behind `flag`=; false where `argument` is another flag or no number.
bool Number(std::string_view argument, std::string_view flag, int64_t* out) {
  if (!argument.starts_with(flag)) return false;
  argument.remove_prefix(flag.size());
  const auto [end, error] =
      std::from_chars(argument.data(), argument.data() + argument.size(), *out);
  return error == std::errc() && end == argument.data() + argument.size();
}

}  // namespace

int main(int argc, char** argv) {
  lathe::prove::ProveOptions options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    int64_t number = 0;
    if (Number(argument, "--seed=", &number)) {
      options.seed = static_cast<uint64_t>(number);
    } else if (Number(argument, "--programs=", &number)) {
      options.programs = number;
    } else if (Number(argument, "--passes=", &number)) {
      options.passes_percent = static_cast<int>(number);
    } else if (Number(argument, "--failures=", &number)) {
      options.most_failures = number;
    } else if (argument == "--compile") {
      options.compile_percent = 100;
    } else {
      std::cerr << "prove: unknown argument `" << argument
                << "`\nusage: prove [--seed=S] [--programs=N] [--compile] [--passes=PERCENT] "
                   "[--failures=N]\n";
      return 2;
    }
  }
  if (options.compile_percent > 0) lathe::driver::UseDefaultPlugins();
  lathe::prove::Report report;
  lathe::prove::Prove(options, report, std::cout);
  Print(report, std::cout);
  return report.failures == 0 ? 0 : 1;
}
