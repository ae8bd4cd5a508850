#include "plugins/sdk/bytes.h"

#include <memory>

#include "lathe/abi/names.h"
#include "plugins/sdk/value.h"

namespace lathe::sdk {
namespace {

[[noreturn]] void Damaged(const std::string& what) {
  throw Error(LATHE_INVALID_ARGUMENT, "module-damaged", "the module's bytes are damaged: " + what);
}

class WordModule final : public ModuleNode {
 public:
  WordModule(std::string magic, RunWords run, WordFunctions functions, std::string metadata)
      : magic_(std::move(magic)),
        run_(std::move(run)),
        functions_(std::move(functions)),
        metadata_(std::move(metadata)) {}

  Function GetFunction(std::string_view name) override {
    const auto found = functions_.find(std::string(name));
    if (found == functions_.end()) return nullptr;
    return [this, &words = found->second](const Args& args) { return run_(words, args); };
  }
  std::string Save() override { return SaveWordFunctions(magic_, functions_, metadata_); }
  std::string Describe(std::string_view what) override {
    return what == LATHE_DESCRIBE_METADATA ? metadata_ : "";
  }

 private:
  const std::string magic_;
  const RunWords run_;
  const WordFunctions functions_;
  const std::string metadata_;
};

}  // namespace

void Writer::Int(int64_t value) {
  for (int shift = 0; shift < 64; shift += 8)
    bytes_ += static_cast<char>(static_cast<uint64_t>(value) >> shift);
}

void Writer::Text(std::string_view text) {
  Int(static_cast<int64_t>(text.size()));
  bytes_ += text;
}

void Writer::Ints(const std::vector<int64_t>& values) {
  Int(static_cast<int64_t>(values.size()));
  for (int64_t value : values) Int(value);
}

Reader::Reader(std::string_view magic, std::string_view bytes) : rest_(bytes) {
  if (!bytes.starts_with(magic)) Damaged("they do not begin as they should");
  rest_.remove_prefix(magic.size());
}

std::string_view Reader::TakeBytes(uint64_t count) {
  if (count > rest_.size()) Damaged("they end too early");
  const std::string_view taken = rest_.substr(0, count);
  rest_.remove_prefix(count);
  return taken;
}

int64_t Reader::Int() {
  uint64_t value = 0;
  const std::string_view bytes = TakeBytes(8);
  for (size_t i = 8; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return static_cast<int64_t>(value);
}

std::string Reader::Text() { return std::string(TakeBytes(static_cast<uint64_t>(Int()))); }

std::vector<int64_t> Reader::Ints() {
  const auto count = static_cast<uint64_t>(Int());
  if (count > rest_.size() / 8) Damaged("they end too early");
  std::vector<int64_t> values(count);
  for (int64_t& value : values) value = Int();
  return values;
}

std::string SaveWordFunctions(std::string_view magic, const WordFunctions& functions,
                              std::string_view metadata) {
  Writer writer(magic);
  for (const auto& [name, words] : functions) {
    writer.Text(name);
    writer.Ints(words);
  }
  // The metadata has the empty name: the format of SDKs without metadata stays readable.
  if (!metadata.empty()) {
    writer.Text("");
    writer.Text(metadata);
  }
  return writer.Take();
}

ModuleLoader WordModuleLoader(std::string magic, RunWords run) {
  return [magic = std::move(magic),
          run = std::move(run)](std::string_view bytes) -> std::unique_ptr<ModuleNode> {
    WordFunctions functions;
    std::string metadata;
    for (Reader reader(magic, bytes); !reader.done();) {
      const std::string name = reader.Text();
      if (name.empty()) {
        metadata = reader.Text();
      } else {
        functions[name] = reader.Ints();
      }
    }
    return std::make_unique<WordModule>(magic, run, std::move(functions), std::move(metadata));
  };
}

}  // namespace lathe::sdk
