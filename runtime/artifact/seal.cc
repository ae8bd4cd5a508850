#include "runtime/artifact/seal.h"

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/digest.h"
#include "lathe/abi/kernel.h"
#include "runtime/artifact/bytes.h"
#include "runtime/status.h"

namespace lathe::runtime {
namespace {

constexpr std::string_view kMagic("lathe seal 1\n\0\0\0", 16);
constexpr size_t kDigestBytes = 16, kConstantBytes = 32;
// After the list of constants: their number, the digest, the magic.
constexpr size_t kTailBytes = 8 + kDigestBytes + kMagic.size();

void Put(std::string& out, uint64_t number) {
  for (int i = 0; i < 8; ++i) out += static_cast<char>(number >> (8 * i));
}

Digest ReadDigest(const char* at) {
  return {ReadLittle<uint64_t>(at), ReadLittle<uint64_t>(at + 8)};
}

struct SealedConstant {
  uint64_t offset, bytes;
  Digest digest;
};

// The parts of a file, as views.
struct Seal {
  std::string_view contents;              // before the seal
  std::string_view list;                  // the constants, and their number
  std::vector<SealedConstant> constants;  // in the order of the file, within `contents`
  Digest digest;
};

// Empty if the numbers in the seal are inconsistent.
std::optional<Seal> ReadSeal(std::string_view file) {
  const std::string_view rest = file.substr(0, file.size() - kTailBytes);
  const char* tail = rest.data() + rest.size();
  const auto count = ReadLittle<uint64_t>(tail);
  if (count > rest.size() / kConstantBytes) return std::nullopt;
  Seal seal;
  seal.contents = rest.substr(0, rest.size() - count * kConstantBytes);
  seal.list = file.substr(seal.contents.size(), count * kConstantBytes + 8);
  seal.digest = ReadDigest(tail + 8);
  uint64_t end = 0;
  for (uint64_t i = 0; i < count; ++i) {
    const char* at = seal.list.data() + i * kConstantBytes;
    const SealedConstant constant = {ReadLittle<uint64_t>(at), ReadLittle<uint64_t>(at + 8),
                                     ReadDigest(at + 16)};
    if (constant.offset < end ||
        !WithinBounds(constant.offset, constant.bytes, seal.contents.size()))
      return std::nullopt;
    end = constant.offset + constant.bytes;
    seal.constants.push_back(constant);
  }
  return seal;
}

void Put(std::string& out, const Digest& digest) {
  Put(out, digest.low);
  Put(out, digest.high);
}

// The digest over the digests of the bytes between constants, and over the list.
Digest DigestOfAllBut(const Seal& seal) {
  std::string all;
  uint64_t begin = 0;
  for (const SealedConstant& constant : seal.constants) {
    Put(all, DigestOf(seal.contents.substr(begin, constant.offset - begin)));
    begin = constant.offset + constant.bytes;
  }
  Put(all, DigestOf(seal.contents.substr(begin)));
  all += seal.list;
  return DigestOf(all);
}

// The digest that is part of a borrowed constant's symbol.
std::optional<Digest> StatedDigest(std::string_view piece,
                                   absl::Span<const ArtifactConstant> constants) {
  constexpr std::string_view kPrefix = LATHE_CONSTANT_PREFIX;
  Digest digest;
  for (const ArtifactConstant& constant : constants) {
    if (constant.data.data() == piece.data() && constant.data.size() == piece.size() &&
        constant.symbol.starts_with(kPrefix) &&
        Digest::Parse(std::string_view(constant.symbol).substr(kPrefix.size()), &digest))
      return digest;
  }
  return std::nullopt;
}

}  // namespace

std::string SealOf(const Pieces& contents, absl::Span<const ArtifactConstant> constants) {
  std::string digests, list, between;
  uint64_t at = 0, count = 0;
  for (const std::string_view piece : contents.views()) {
    if (const std::optional<Digest> stated = StatedDigest(piece, constants)) {
      Put(digests, DigestOf(between));
      between.clear();
      Put(list, at);
      Put(list, piece.size());
      Put(list, *stated);
      ++count;
    } else {
      between += piece;
    }
    at += piece.size();
  }
  Put(digests, DigestOf(between));
  Put(list, count);
  std::string out = list;
  Put(out, DigestOf(digests + list));
  out += kMagic;
  return out;
}

bool IsSealed(std::string_view file) { return file.size() >= kTailBytes && file.ends_with(kMagic); }

std::string_view WithoutSeal(std::string_view file) {
  if (!IsSealed(file)) return file;
  const std::optional<Seal> seal = ReadSeal(file);
  return seal ? seal->contents : file;
}

absl::Status CheckSeal(std::string_view file, std::string_view name, SealCheck what) {
  if (!IsSealed(file)) return absl::OkStatus();
  const auto damaged = [&](std::string_view part) {
    return MakeStatus(absl::StatusCode::kDataLoss, "artifact-damaged",
                      absl::StrCat("`", name, "` has changed since it was written: ", part,
                                   "; it is damaged: build or copy it again"));
  };
  const std::optional<Seal> seal = ReadSeal(file);
  if (!seal) return damaged("its last bytes list constants that lie outside of it");
  if (DigestOfAllBut(*seal) != seal->digest)
    return damaged("its code or metadata does not have the digest that its last bytes state");
  if (what == SealCheck::kCode) return absl::OkStatus();
  for (const SealedConstant& constant : seal->constants) {
    if (DigestOf(seal->contents.substr(constant.offset, constant.bytes)) != constant.digest) {
      return damaged(absl::StrCat("the constant of ", constant.bytes, " bytes at byte ",
                                  constant.offset, " does not have its digest"));
    }
  }
  return absl::OkStatus();
}

}  // namespace lathe::runtime
