#include "tools/lathe/kept_model.h"

#include <sys/stat.h>

#include <filesystem>
#include <utility>
#include <variant>

#include "driver/cache/compile_cache.h"
#include "driver/cache/file_digest.h"
#include "driver/cache/key.h"
#include "driver/compile.h"
#include "tools/lathe/model_compiler_digest.h"

namespace lathe::cli {
namespace {

// The kinds of entries: the names of a model's external files, and a compiled model.
constexpr char kFiles[] = "files", kModel[] = "model";

timespec Now() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return now;
}

// Was the file last changed before that time? No tool can set the time of an inode's change.
bool UnchangedSince(const std::string& path, const timespec& time) {
  struct stat info{};
  if (stat(path.c_str(), &info) != 0) return false;
  const timespec& changed = info.st_ctim;
  return changed.tv_sec != time.tv_sec ? changed.tv_sec < time.tv_sec
                                       : changed.tv_nsec < time.tv_nsec;
}

uint64_t SizeOf(const std::string& path) {
  std::error_code failed;
  const uint64_t bytes = std::filesystem::file_size(path, failed);
  return failed ? 0 : bytes;
}

// Texts as the bytes of an entry, each with a zero behind it.
std::string BytesOf(const std::vector<std::string>& texts) {
  std::string bytes;
  for (const std::string& text : texts) bytes += text + '\0';
  return bytes;
}
std::vector<std::string> TextsOf(std::string_view bytes) {
  std::vector<std::string> texts;
  for (size_t end = bytes.find('\0'); end != std::string_view::npos; end = bytes.find('\0')) {
    texts.emplace_back(bytes.substr(0, end));
    bytes.remove_prefix(end + 1);
  }
  return texts;
}

void AddInputs(const graph::ModelInputs& inputs, driver::KeyBuilder* key) {
  key->Add(std::to_string(inputs.size()));
  for (const auto& [name, input] : inputs) {
    key->Add(name).Add(input.dtype ? input.dtype->ToString() : "");
    key->Add(std::to_string(input.shape.size()));
    for (const graph::ModelExtent& extent : input.shape) {
      const int64_t* const number = std::get_if<int64_t>(&extent);
      key->Add(number != nullptr ? "=" + std::to_string(*number) : std::get<std::string>(extent));
    }
  }
}

}  // namespace

KeptModel::KeptModel(const Arguments& arguments, const graph::ModelFormat& format,
                     const graph::ModelInputs& inputs, const GraphBuild& build)
    : cache_(build.options.cache),
      build_(build),
      path_(arguments.positional()[0]),
      folder_(path_.substr(0, path_.rfind('/') + 1)),
      started_(Now()) {
  if (cache_ == nullptr || !cache_->store().enabled() || arguments.Has("--records") ||
      arguments.Has("--lock"))
    return;
  const absl::StatusOr<std::string> stamp = driver::FileStamp(path_),
                                    digest = driver::FileDigest(path_, cache_->store());
  if (!stamp.ok() || !digest.ok()) return;  // the import says why
  stamp_ = *stamp;
  driver::KeyBuilder key(kModelCompilerDigest);
  key.Add(format.name).Add(*digest).Add(arguments.Get("--function"));
  key.Add(std::to_string(build.options.opt_level)).Add(build.options.main_device);
  key.Add(arguments.Has("--no-records") ? "no records" : "");
  for (const auto& [kind, target] : build.options.devices) key.Add(kind);
  AddInputs(inputs, &key);
  content_ = key.Finish().ToString();
}

std::optional<Digest> KeptModel::KeyOf(const std::vector<std::string>& external_files) const {
  std::string content = content_;
  for (const std::string& file : external_files) {
    const absl::StatusOr<std::string> digest = driver::FileDigest(folder_ + file, cache_->store());
    if (!digest.ok()) return std::nullopt;
    content += *digest;
  }
  std::vector<target::Target> targets = {build_.host};
  for (const auto& [kind, target] : build_.options.devices) targets.push_back(target);
  // The passes over graphs that are left out are among those of the context.
  return cache_->KeyOf(kModel, content, targets, build_.options.context);
}

// Which external files a model has is known from its own file, the shapes and the options.
std::optional<runtime::Module> KeptModel::Find() {
  if (content_.empty()) return std::nullopt;
  const Digest names = driver::KeyBuilder(kFiles).Add(content_).Finish();
  const std::optional<driver::CacheEntry> entry = cache_->store().Find(names);
  if (!entry || entry->kind != kFiles) return std::nullopt;
  const std::optional<Digest> key = KeyOf(TextsOf(entry->bytes));
  if (!key) return std::nullopt;
  const std::optional<driver::CacheEntry> model = cache_->store().Find(*key);
  const std::optional<std::string> library =
      model ? cache_->store().FindLibrary(*key) : std::nullopt;
  if (!library) return std::nullopt;
  absl::StatusOr<runtime::Module> module = runtime::LoadModuleFile(*library);
  if (!module.ok()) return std::nullopt;
  if (build_.options.note) {
    for (const std::string& note : TextsOf(model->bytes)) build_.options.note(note);
  }
  return *std::move(module);
}

void KeptModel::Keep(const runtime::Module& made, const std::vector<std::string>& external_files,
                     const std::vector<std::string>& notes) {
  if (content_.empty()) return;
  // What is compiled is about as large as the model.
  uint64_t bytes = SizeOf(path_);
  bool unchanged = UnchangedSince(path_, started_);
  const auto stamps = [&] {
    std::vector<std::string> all;
    for (const std::string& file : external_files)
      all.push_back(driver::FileStamp(folder_ + file).value_or(""));
    return all;
  };
  for (const std::string& file : external_files) {
    bytes += SizeOf(folder_ + file);
    unchanged = unchanged && UnchangedSince(folder_ + file, started_);
  }
  driver::CacheStore& store = cache_->store();
  if (!unchanged || bytes > store.options().max_bytes / 2) return;
  const std::vector<std::string> before = stamps();
  const std::optional<Digest> key = KeyOf(external_files);
  // A link may have come to name another file, which need not be new.
  if (!key || stamps() != before || driver::FileStamp(path_).value_or("") != stamp_) return;
  const std::string label = std::filesystem::path(path_).filename().string();
  const auto write = [&](const std::string& path) { return driver::ExportLibrary(made, path); };
  const driver::CacheEntry model = {kModel, label + " for " + build_.host.ToString(),
                                    BytesOf(notes)};
  if (!store.PutWithLibrary(*key, model, write).ok()) return;
  const Digest list = driver::KeyBuilder(kFiles).Add(content_).Finish();
  static_cast<void>(store.Put(list, {kFiles, label, BytesOf(external_files)}));
}

}  // namespace lathe::cli
