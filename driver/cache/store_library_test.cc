// Entries with libraries: whole models in the cache.
#include <utime.h>

#include <filesystem>
#include <set>

#include "base/file.h"
#include "base/pieces.h"
#include "driver/cache/watched_store.h"
#include "runtime/artifact/seal.h"

namespace lathe::driver {
namespace {

namespace fs = std::filesystem;

// A library of that many bytes, as an artefact's file is sealed.
absl::Status WriteLibrary(const std::string& path, uint64_t number, size_t size) {
  const std::string bytes = BytesOf(number, size);
  WriteFile(path, bytes + runtime::SealOf(Pieces(bytes), {}));
  return absl::OkStatus();
}

TEST(CacheStore, AnEntryMayHaveALibrary) {
  const std::string folder = FreshFolder("library");
  Watched one(folder);
  const auto write = [](const std::string& path) { return WriteLibrary(path, 1, 5000); };
  EXPECT_FALSE(one.store.FindLibrary(KeyOf(1)));
  ASSERT_TRUE(one.store.PutWithLibrary(KeyOf(1), {"model", "one", ""}, write).ok());
  const std::optional<std::string> path = one.store.FindLibrary(KeyOf(1));
  ASSERT_TRUE(path);
  EXPECT_EQ(ReadFile(*path).substr(0, 5000), BytesOf(1, 5000));
  const std::vector<CacheItem> items = *one.store.List();
  ASSERT_EQ(items.size(), 1);
  EXPECT_GT(items[0].file_bytes, 5000);
  EXPECT_EQ(items[0].kind, "model");
  EXPECT_TRUE(items[0].has_library);
  EXPECT_EQ(one.store.Verify()->whole, 1);
  // Damage anywhere is found.
  std::string bytes = ReadFile(*path);
  bytes[2500] ^= 1;
  WriteFile(*path, bytes);
  EXPECT_FALSE(one.store.FindLibrary(KeyOf(1)));
  EXPECT_EQ(one.said, std::vector<std::string>{"cache-entry-damaged"});
  EXPECT_EQ(one.store.List()->size(), 0);
  EXPECT_FALSE(fs::exists(*path));
  // An entry without its library is none.
  ASSERT_TRUE(one.store.PutWithLibrary(KeyOf(1), {"model", "one", ""}, write).ok());
  fs::remove(*path);
  EXPECT_FALSE(one.store.FindLibrary(KeyOf(1)));
  EXPECT_EQ(one.store.List()->size(), 0);
  EXPECT_EQ(one.said.size(), 1);
}

TEST(CacheStore, VerifyReadsLibraries) {
  const std::string folder = FreshFolder("verify_library");
  Watched one(folder);
  for (const uint64_t number : {1, 2}) {
    const auto write = [&](const std::string& path) { return WriteLibrary(path, number, 3000); };
    ASSERT_TRUE(one.store.PutWithLibrary(KeyOf(number), {"model", "", ""}, write).ok());
  }
  const std::string path = *one.store.FindLibrary(KeyOf(2));
  fs::resize_file(path, 2000);
  const auto verified = one.store.Verify();
  ASSERT_TRUE(verified.ok());
  EXPECT_EQ(verified->whole, 1);
  EXPECT_EQ(verified->damaged, std::vector<std::string>{one.store.PathOf(KeyOf(2))});
  EXPECT_FALSE(fs::exists(path));
  // So is an entry whose library is missing.
  fs::remove(*one.store.FindLibrary(KeyOf(1)));
  EXPECT_EQ(one.store.Verify()->damaged, std::vector<std::string>{one.store.PathOf(KeyOf(1))});
  EXPECT_EQ(one.store.List()->size(), 0);
}

TEST(CacheStore, LibrariesCountForTheLimit) {
  const std::string folder = FreshFolder("library_limit");
  Watched one(folder, 10000);
  const auto put = [&](uint64_t number, size_t size) {
    const auto write = [&](const std::string& path) { return WriteLibrary(path, number, size); };
    return one.store.PutWithLibrary(KeyOf(number), {"model", "", ""}, write);
  };
  const auto libraries = [&] {
    std::set<std::string> out;
    for (const auto& item : fs::directory_iterator(folder)) {
      if (item.path().extension() == ".so") out.insert(item.path().stem().string());
    }
    return out;
  };
  EXPECT_TRUE(put(1, 6000).ok());  // more than half
  EXPECT_EQ(libraries().size(), 0);
  for (const uint64_t number : {2, 3, 4}) {
    EXPECT_TRUE(put(number, 4000).ok());
    struct utimbuf times{static_cast<time_t>(1000 + number), static_cast<time_t>(1000 + number)};
    ASSERT_EQ(utime(one.store.PathOf(KeyOf(number)).c_str(), &times), 0);
  }
  // The oldest went, with its library.
  EXPECT_EQ(libraries(), (std::set<std::string>{KeyOf(3).ToString(), KeyOf(4).ToString()}));
  // A failure to write leaves nothing, and is said.
  const absl::Status failed = one.store.PutWithLibrary(KeyOf(5), {"model", "", ""},
                                                       [](const std::string& path) -> absl::Status {
                                                         WriteFile(path, "half");
                                                         return absl::UnavailableError("no room");
                                                       });
  EXPECT_EQ(runtime::StatusName(failed), "cache-unwritable");
  EXPECT_EQ(libraries().size(), 2);
  // A writer that died between library and entry leaves a library; it goes when it is old.
  const std::string orphan = folder + "/" + KeyOf(6).ToString() + ".so";
  WriteFile(orphan, "left");
  EXPECT_EQ(one.store.List()->size(), 2);
  EXPECT_TRUE(fs::exists(orphan));
  struct utimbuf times{1000, 1000};
  ASSERT_EQ(utime(orphan.c_str(), &times), 0);
  ASSERT_TRUE(one.store.Clear().ok());
  EXPECT_FALSE(fs::exists(orphan));
  EXPECT_EQ(libraries().size(), 0);
}

TEST(CacheStore, LeftoversOfInterruptedWritersGo) {
  const std::string folder = FreshFolder("library_leftovers");
  Watched one(folder);
  const auto put = [&](uint64_t number) {
    const auto write = [&](const std::string& path) { return WriteLibrary(path, number, 500); };
    return one.store.PutWithLibrary(KeyOf(number), {"model", "", ""}, write);
  };
  ASSERT_TRUE(put(1).ok());
  const std::string left = folder + "/" + std::string(NewFile::kPrefix) + "abcdef.so";
  WriteFile(left, std::string(100000, 'x'));
  ASSERT_TRUE(put(2).ok());
  EXPECT_TRUE(fs::exists(left)) << "its writer may still be at work";
  struct utimbuf times{1000, 1000};
  ASSERT_EQ(utime(left.c_str(), &times), 0);
  ASSERT_TRUE(put(3).ok());
  EXPECT_FALSE(fs::exists(left));
}

}  // namespace
}  // namespace lathe::driver
