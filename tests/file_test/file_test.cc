#include "tests/file_test/file_test.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string_view>

#include "base/error.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"

namespace lathe::tests {
namespace {

struct Step {
  std::string name;
  FileTestOptions options;
};

struct Case {
  std::string title;
  std::string heading;  // the whole line
  int line = 0;
  std::vector<Step> steps;
  std::string input, expected;
};

struct TestFile {
  std::string preamble;
  std::vector<Case> cases;
};

[[noreturn]] void Stop(const std::string& message) {
  std::fprintf(stderr, "%s\n", message.c_str());
  std::exit(2);
}

std::string_view Trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\n')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\n')) text.remove_suffix(1);
  return text;
}

// "simplify, unroll(steps=3, all=1)"
std::vector<Step> ParseSteps(std::string_view text, const std::string& where) {
  std::vector<Step> steps;
  while (!(text = Trim(text)).empty()) {
    Step step;
    const size_t end = std::min(text.find_first_of(",("), text.size());
    step.name = Trim(text.substr(0, end));
    text.remove_prefix(end);
    if (!text.empty() && text[0] == '(') {
      const size_t close = text.find(')');
      if (close == std::string_view::npos) Stop(where + ": `(` without `)`");
      std::stringstream options{std::string(text.substr(1, close - 1))};
      for (std::string option; std::getline(options, option, ',');) {
        const size_t equals = option.find('=');
        if (equals == std::string::npos) Stop(where + ": an option is written name=value");
        step.options[std::string(Trim(std::string_view(option).substr(0, equals)))] =
            Trim(std::string_view(option).substr(equals + 1));
      }
      text.remove_prefix(close + 1);
    }
    if (!(text = Trim(text)).empty()) {
      if (text[0] != ',') Stop(where + ": steps are separated by commas");
      text.remove_prefix(1);
    }
    steps.push_back(std::move(step));
  }
  return steps;
}

TestFile ReadTestFile(const std::string& path) {
  std::ifstream in(path);
  if (!in) Stop("cannot read " + path);
  TestFile file;
  bool expecting = false;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.starts_with("== ")) {
      const std::string where = path + ":" + std::to_string(number);
      const size_t colon = line.rfind(": ");
      if (colon == std::string::npos)
        Stop(where + ": a case begins `== title: transformation, ...`");
      Case item;
      item.title = line.substr(3, colon - 3);
      item.heading = line;
      item.line = number;
      item.steps = ParseSteps(std::string_view(line).substr(colon + 2), where);
      if (item.steps.empty()) Stop(where + ": the case names no transformation");
      file.cases.push_back(std::move(item));
      expecting = false;
    } else if (file.cases.empty()) {
      file.preamble += line + "\n";
    } else if (line == "--" && !expecting) {
      expecting = true;
    } else {
      (expecting ? file.cases.back().expected : file.cases.back().input) += line + "\n";
    }
  }
  return file;
}

ir::NodeRef ReadInput(std::string_view text) {
  const std::string name = "input";
  std::string_view rest = text;
  // The first word that starts neither a `given` line nor a comment decides.
  for (;;) {
    rest = Trim(rest);
    if (!rest.starts_with("given ") && !rest.starts_with("#")) break;
    rest.remove_prefix(std::min(rest.find('\n'), rest.size()));
  }
  if (rest.starts_with("program")) return ir::ParseProgram(text, name);
  if (rest.starts_with("module") || rest.starts_with("func")) return ir::ParseModule(text, name);
  if (rest.starts_with("graph ") || rest.starts_with("type ")) {
    return ir::ParseGraphModule(text, name);
  }
  return ir::ParseStmt(text, name);
}

std::string Run(const Case& item, const std::vector<Transformation>& table) {
  try {
    const ir::NodeRef input = ReadInput(item.input);
    ir::NodeRef node = input;
    for (const Step& step : item.steps) {
      if (step.name == "parse") continue;
      const Transformation* found = nullptr;
      for (const Transformation& candidate : table) {
        if (candidate.name == step.name) found = &candidate;
      }
      if (found == nullptr) {
        std::vector<std::string> names = {"parse"};
        for (const Transformation& candidate : table) names.push_back(candidate.name);
        Stop("line " + std::to_string(item.line) + ": there is no transformation `" + step.name +
             "`; there are " + QuotedList(names));
      }
      node = found->run(node, step.options);
    }
    if (Trim(item.expected) == "unchanged" && node.same_as(input)) return "unchanged\n";
    std::string text = ir::ToText(node);
    if (text.empty() || text.back() != '\n') text += '\n';
    return text;
  } catch (const Error& error) {
    return std::string(error.what()) + "\n";
  } catch (const InternalError& error) {
    return std::string(error.what()) + "\n";
  }
}

// Trailing blank lines separate cases and mean nothing.
std::string Normal(std::string_view text) { return std::string(Trim(text)) + "\n"; }

void ShowDifference(const std::string& expected, const std::string& actual) {
  std::stringstream a(expected), b(actual);
  std::string x, y;
  for (int line = 1;; ++line) {
    const bool has_x = static_cast<bool>(std::getline(a, x)),
               has_y = static_cast<bool>(std::getline(b, y));
    if (!has_x && !has_y) break;
    if (has_x && has_y && x == y) continue;
    std::printf("  first difference, line %d\n    expected: %s\n    actual:   %s\n", line,
                has_x ? x.c_str() : "(end)", has_y ? y.c_str() : "(end)");
    break;
  }
  std::printf("  actual output:\n");
  std::stringstream lines(actual);
  for (std::string line; std::getline(lines, line);) std::printf("    %s\n", line.c_str());
}

bool RunFile(const std::string& path, const std::vector<Transformation>& table, bool update) {
  TestFile file = ReadTestFile(path);
  if (file.cases.empty()) Stop(path + ": no cases");
  bool good = true;
  std::string updated = file.preamble;
  for (Case& item : file.cases) {
    const std::string actual = Normal(Run(item, table));
    const std::string expected = Normal(item.expected);
    const bool same = actual == expected;
    if (!update) {
      std::printf("%s %s:%d %s\n", same ? "ok    " : "FAILED", path.c_str(), item.line,
                  item.title.c_str());
      if (!same) ShowDifference(expected, actual);
    }
    good = good && same;
    updated += item.heading + "\n" + Normal(item.input) + "--\n" + actual + "\n";
  }
  if (update) {
    const char* workspace = std::getenv("BUILD_WORKSPACE_DIRECTORY");
    const std::string target =
        workspace != nullptr && path[0] != '/' ? std::string(workspace) + "/" + path : path;
    std::ofstream out(target);
    out << updated.substr(0, updated.size() - 1);
    if (!out) Stop("cannot write " + target);
    std::printf("%s %s\n", good ? "as it was:" : "updated:  ", target.c_str());
  }
  return good || update;
}

}  // namespace

int FileTestMain(int argc, char** argv, const std::vector<Transformation>& table) {
  bool update = false;
  std::vector<std::string> paths;
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--autoupdate")
      update = true;
    else
      paths.emplace_back(argv[i]);
  }
  if (paths.empty()) Stop("usage: FILE... [--autoupdate]");
  bool good = true;
  for (const std::string& path : paths) good = RunFile(path, table, update) && good;
  return good ? 0 : 1;
}

}  // namespace lathe::tests
