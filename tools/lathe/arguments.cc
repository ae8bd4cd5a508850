#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "tools/lathe/command.h"

namespace lathe::cli {
namespace {

constexpr Option kCommon[] = {
    {"--color", "WHEN", "colour the output: auto (on a terminal), always or never"},
    {"--help", nullptr, "show this text", 'h'},
};

[[noreturn]] void Fail(std::string name, std::string message, std::string expected,
                       std::string found, std::string help) {
  throw UsageError(Diagnostic{.name = std::move(name),
                              .message = std::move(message),
                              .expected = std::move(expected),
                              .found = std::move(found),
                              .help = std::move(help)});
}

std::string HelpOn(std::string_view command) {
  const std::string name(command);
  // `help` knows whole commands only.
  const bool part = name.find(' ') != std::string::npos;
  return (part ? "`lathe " + name + " --help`" : "`lathe help " + name + "`") +
         " shows what there is";
}

const Option* FindOption(std::span<const Option> options, std::string_view text) {
  auto fits = [&](const Option& option) {
    return text == option.name ||
           (option.letter != 0 && text.size() == 2 && text[0] == '-' && text[1] == option.letter);
  };
  for (const Option& option : options) {
    if (fits(option)) return &option;
  }
  for (const Option& option : kCommon) {
    if (fits(option)) return &option;
  }
  return nullptr;
}

[[noreturn]] void UnknownOption(std::string_view command, std::span<const Option> options,
                                const std::string& name) {
  std::vector<std::string> known;
  for (const Option& option : options) known.emplace_back(option.name);
  for (const Option& option : kCommon) known.emplace_back(option.name);
  Fail("cli-unknown-option", "`lathe " + std::string(command) + "` has no option `" + name + "`",
       NearOrAll(name, known), "`" + name + "`",
       HelpOn(command) + "; a file's name that begins with `-` goes behind `--`");
}

std::string CountText(int fewest, int most) {
  if (fewest == most) return std::to_string(fewest);
  if (most > 1000) return "at least " + std::to_string(fewest);
  return std::to_string(fewest) + " to " + std::to_string(most);
}

}  // namespace

std::span<const Option> CommonOptions() { return kCommon; }

std::string Arguments::Get(std::string_view option, std::string_view fallback) const {
  auto it = values_.find(option);
  return it == values_.end() ? std::string(fallback) : it->second.back();
}

std::vector<std::string> Arguments::All(std::string_view option) const {
  auto it = values_.find(option);
  return it == values_.end() ? std::vector<std::string>() : it->second;
}

int64_t Arguments::Integer(std::string_view option, int64_t fallback, int64_t lowest,
                           int64_t highest) const {
  if (!Has(option)) return fallback;
  const std::string text = Get(option);
  int64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < lowest ||
      value > highest) {
    Fail("cli-bad-value", "option `" + std::string(option) + "` has a bad value",
         "an integer from " + std::to_string(lowest) + " to " + std::to_string(highest),
         "`" + text + "`", "give a number");
  }
  return value;
}

double Arguments::Number(std::string_view option, double fallback, double lowest,
                         double highest) const {
  if (!Has(option)) return fallback;
  const std::string text = Get(option);
  double value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() ||
      !(value >= lowest && value <= highest)) {
    Fail("cli-bad-value", "option `" + std::string(option) + "` has a bad value",
         "a number from " + std::to_string(lowest) + " to " + std::to_string(highest),
         "`" + text + "`", "give a number");
  }
  return value;
}

bool Arguments::color() const {
  const std::string when = Get("--color", "auto");
  if (when == "auto") return ColorsOn(STDOUT_FILENO);
  if (when == "always" || when == "never") return when == "always";
  Fail("cli-bad-value", "option `--color` has a bad value", "auto, always or never",
       "`" + when + "`", "choose one of them");
}

Arguments ParseArguments(std::string_view command, std::span<const Option> options, int fewest,
                         int most, std::span<const std::string> given) {
  Arguments out;
  bool options_end = false;
  for (size_t i = 0; i < given.size(); ++i) {
    const std::string& text = given[i];
    // Negative numbers are arguments.
    const bool is_number =
        text.size() > 1 && (text[1] == '.' || (text[1] >= '0' && text[1] <= '9'));
    if (options_end || text.size() < 2 || text[0] != '-' || is_number) {
      out.positional_.push_back(text);
      continue;
    }
    if (text == "--") {
      options_end = true;
      continue;
    }
    const size_t equals = text.find('=');
    const std::string name = text.substr(0, equals);
    const Option* option = FindOption(options, name);
    if (option == nullptr) UnknownOption(command, options, name);
    std::string value;
    if (option->value == nullptr) {
      if (equals != std::string::npos) {
        Fail("cli-unexpected-value", "option `" + name + "` takes no value", "`" + name + "`",
             "`" + text + "`", HelpOn(command));
      }
    } else if (equals != std::string::npos) {
      value = text.substr(equals + 1);
    } else if (i + 1 < given.size()) {
      value = given[++i];
    } else {
      Fail("cli-missing-value", "option `" + name + "` needs a value",
           "`" + name + " " + option->value + "`", "nothing behind it", HelpOn(command));
    }
    out.values_[option->name].push_back(std::move(value));
  }
  const int count = static_cast<int>(out.positional_.size());
  if (!out.Has("--help") && (count < fewest || count > most)) {
    Fail("cli-argument-count",
         "`lathe " + std::string(command) + "` does not take " + std::to_string(count) +
             " arguments",
         CountText(fewest, most), std::to_string(count), HelpOn(command));
  }
  return out;
}

size_t LeadingOptions(std::span<const std::string> words) {
  size_t count = 0;
  while (count < words.size() && words[count].starts_with('-'))
    count += words[count] == "--color" ? 2 : 1;
  return std::min(count, words.size());
}

std::pair<std::string, std::string> SplitPair(std::string_view option, const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    Fail("cli-bad-value", "option `" + std::string(option) + "` has a bad value", "`NAME=VALUE`",
         "`" + text + "`", "put a `=` between name and value");
  }
  return {text.substr(0, equals), text.substr(equals + 1)};
}

std::pair<std::string, int64_t> SplitInteger(std::string_view option, const std::string& text,
                                             const std::string& help) {
  auto [name, number] = SplitPair(option, text);
  int64_t value = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (error != std::errc() || end != number.data() + number.size()) {
    Fail("cli-bad-value", "`" + std::string(option) + " " + text + "` has a bad value",
         "an integer", "`" + number + "`", help);
  }
  return {std::move(name), value};
}

}  // namespace lathe::cli
