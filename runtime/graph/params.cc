// Parameter files:
//
//   "LATHEPAR"  u32 version  u32 tensors
//   per tensor: u32 name size, name; u8 code, u8 bits, u16 lanes; u32 rank, i64 each extent;
//               16 byte digest of its data
//   16 byte digest of everything before
//   the data of each tensor, each after zeros up to a multiple of 64 bytes from the beginning
//
// Little endian.
#include "runtime/graph/params.h"

#include <unordered_set>
#include <utility>

#include "base/digest.h"
#include "runtime/graph/bytes.h"
#include "runtime/graph/sizes.h"
#include "runtime/status.h"

namespace lathe::runtime::graph {
namespace {

constexpr std::string_view kMagic = "LATHEPAR";
constexpr uint64_t kDataAlignment = 64;
// The fewest bytes that the description of a tensor takes.
constexpr size_t kLeastEntry = 28;

uint64_t Padding(uint64_t at) { return (kDataAlignment - at % kDataAlignment) % kDataAlignment; }

absl::Status Corrupt(size_t at, std::string_view what) {
  return MakeStatus(absl::StatusCode::kInvalidArgument, "params-corrupt",
                    {"the parameter file is damaged at byte ", std::to_string(at), ": ", what});
}

absl::Status OtherVersion(uint64_t found) {
  return MakeStatus(
      absl::StatusCode::kInvalidArgument, "params-version",
      {"the parameter file is of another version\nexpected: ", std::to_string(kParamsVersion),
       "\nfound: ", std::to_string(found), "\nhelp: save the parameters again with this version"});
}

struct Entry {
  std::string name;
  DataType dtype;
  std::vector<int64_t> shape;
  Digest digest;
  uint64_t bytes = 0;
};

bool ReadEntry(ByteReader& reader, Entry* entry) {
  uint64_t code = 0, bits = 0, lanes = 0;
  size_t rank = 0;
  if (!reader.Text(&entry->name) || !reader.Number(1, &code) || !reader.Number(1, &bits) ||
      !reader.Number(2, &lanes) || !reader.Count(8, &rank) || rank > static_cast<size_t>(kMaxRank))
    return false;
  entry->dtype = DataType(DLDataType{static_cast<uint8_t>(code), static_cast<uint8_t>(bits),
                                     static_cast<uint16_t>(lanes)});
  if (!IsElementType(entry->dtype)) return false;
  entry->shape.resize(rank);
  for (int64_t& extent : entry->shape)
    if (!reader.Int64(&extent)) return false;
  const std::optional<uint64_t> bytes = BytesOf(entry->dtype, entry->shape);
  if (!bytes) return false;
  entry->bytes = *bytes;
  return reader.ReadDigest(&entry->digest);
}

absl::StatusOr<std::vector<Entry>> ReadEntries(ByteReader& reader, std::string_view bytes) {
  size_t count = 0;
  if (!reader.Count(kLeastEntry, &count)) return Corrupt(reader.at(), "its number of tensors");
  std::vector<Entry> entries(count);
  std::unordered_set<std::string_view> names;
  for (size_t i = 0; i < count; ++i) {
    const size_t at = reader.at();
    if (!ReadEntry(reader, &entries[i]))
      return Corrupt(at, "the description of tensor " + std::to_string(i));
    if (!names.insert(entries[i].name).second)
      return Corrupt(at, "a second tensor `" + entries[i].name + "`");
  }
  Digest stored;
  const size_t end = reader.at();
  if (!reader.ReadDigest(&stored) || stored != DigestOf(bytes.substr(0, end)))
    return Corrupt(end, "its descriptions have another digest than was stored");
  return entries;
}

}  // namespace

absl::StatusOr<std::string> EncodeParams(std::span<const NamedTensor> tensors) {
  std::vector<std::string> data;
  std::unordered_set<std::string_view> names;
  std::string out(kMagic);
  PutNumber(out, kParamsVersion, 4);
  PutNumber(out, tensors.size(), 4);
  for (const NamedTensor& named : tensors) {
    if (!names.insert(named.name).second)
      return MakeStatus(absl::StatusCode::kInvalidArgument, "params-duplicate",
                        {"two parameters have the name `", named.name, "`"});
    std::string& bytes = data.emplace_back(static_cast<size_t>(named.tensor.num_bytes()), '\0');
    LATHE_RETURN_IF_ERROR(named.tensor.CopyToHost(bytes.data(), bytes.size()));
    PutText(out, named.name);
    const DLDataType dtype = named.tensor.dtype().dl();
    PutNumber(out, dtype.code, 1);
    PutNumber(out, dtype.bits, 1);
    PutNumber(out, dtype.lanes, 2);
    PutNumber(out, static_cast<uint64_t>(named.tensor.rank()), 4);
    for (const int64_t extent : named.tensor.shape())
      PutNumber(out, static_cast<uint64_t>(extent), 8);
    PutDigest(out, DigestOf(bytes));
  }
  PutDigest(out, DigestOf(out));
  for (std::string& bytes : data) {
    out.append(Padding(out.size()), '\0');
    out += bytes;
    bytes = std::string();  // a model's weights need not exist twice
  }
  return out;
}

absl::StatusOr<std::vector<NamedTensor>> DecodeParams(std::string_view bytes) {
  ByteReader reader(bytes);
  LATHE_RETURN_IF_ERROR(
      ReadHeader(reader, kMagic, {kParamsVersion, kParamsVersion}, {Corrupt, OtherVersion}));
  LATHE_ASSIGN_OR_RETURN(const std::vector<Entry> entries, ReadEntries(reader, bytes));
  std::vector<NamedTensor> out;
  for (const Entry& entry : entries) {
    const size_t at = reader.at();
    std::string_view zeros, data;
    if (!reader.Bytes(Padding(at), &zeros) ||
        zeros.find_first_not_of('\0') != std::string_view::npos ||
        !reader.Bytes(entry.bytes, &data))
      return Corrupt(at, "it ends before the data of `" + entry.name + "`");
    if (DigestOf(data) != entry.digest)
      return Corrupt(at, "the data of `" + entry.name + "` have another digest than was stored");
    LATHE_ASSIGN_OR_RETURN(Tensor tensor,
                           Tensor::FromHost(data.data(), data.size(), entry.shape, entry.dtype));
    out.push_back({entry.name, std::move(tensor)});
  }
  if (reader.left() != 0) return Corrupt(reader.at(), "its parts do not fill it");
  return out;
}

}  // namespace lathe::runtime::graph
