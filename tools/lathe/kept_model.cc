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

uint64_t BytesOf(const std::string& path) {
  std::error_code failed;
  const uint64_t bytes = std::filesystem::file_size(path, failed);
  return failed ? 0 : bytes;
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
  const absl::StatusOr<std::string> digest = driver::FileDigest(path_, cache_->store());
  if (!digest.ok()) return;  // the import says why
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

// Which external files a model has is known from its file alone.
std::optional<runtime::Module> KeptModel::Find() {
  if (content_.empty()) return std::nullopt;
  const Digest names = driver::KeyBuilder(kFiles).Add(content_).Finish();
  const std::optional<driver::CacheEntry> entry = cache_->store().Find(names);
  if (!entry || entry->kind != kFiles) return std::nullopt;
  std::vector<std::string> files;
  std::string_view rest = entry->bytes;
  for (size_t end = rest.find('\0'); end != std::string_view::npos; end = rest.find('\0')) {
    files.emplace_back(rest.substr(0, end));
    rest.remove_prefix(end + 1);
  }
  const std::optional<Digest> key = KeyOf(files);
  if (!key) return std::nullopt;
  const std::optional<std::string> library = cache_->store().FindLibrary(*key);
  if (!library) return std::nullopt;
  absl::StatusOr<runtime::Module> module = runtime::LoadModuleFile(*library);
  if (!module.ok()) return std::nullopt;
  return *std::move(module);
}

void KeptModel::Keep(const runtime::Module& made, const std::vector<std::string>& external_files) {
  if (content_.empty()) return;
  // What is compiled is about as large as the model.
  uint64_t bytes = BytesOf(path_);
  bool unchanged = UnchangedSince(path_, started_);
  std::string names;
  for (const std::string& file : external_files) {
    bytes += BytesOf(folder_ + file);
    unchanged = unchanged && UnchangedSince(folder_ + file, started_);
    names += file + '\0';
  }
  driver::CacheStore& store = cache_->store();
  if (!unchanged || bytes > store.options().max_bytes / 2) return;
  const std::optional<Digest> key = KeyOf(external_files);
  if (!key) return;
  const std::string label = std::filesystem::path(path_).filename().string();
  const auto write = [&](const std::string& path) { return driver::ExportLibrary(made, path); };
  const driver::CacheEntry model = {kModel, label + " for " + build_.host.ToString(), ""};
  if (!store.PutWithLibrary(*key, model, write).ok()) return;
  const Digest list = driver::KeyBuilder(kFiles).Add(content_).Finish();
  static_cast<void>(store.Put(list, {kFiles, label, names}));
}

}  // namespace lathe::cli
