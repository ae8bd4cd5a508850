#include "graph/import/tflite/flatbuffer.h"

#include "base/error.h"

namespace lathe::graph::tflite {

void FlatBuffer::Fail(const std::string& problem, uint64_t at) const {
  throw Error(Diagnostic{
      .name = "tflite-malformed",
      .message = "the bytes are no TFLite model: " + problem,
      .found = "byte " + std::to_string(at) + " of " + std::to_string(bytes_.size()),
      .help = "the file may be cut off or damaged: compare its size with the original's, or copy "
              "it again"});
}

std::string_view FlatBuffer::Take(uint64_t at, uint64_t count, const char* what) const {
  if (at > bytes_.size() || count > bytes_.size() - at) {
    Fail(std::string(what) + " has " + std::to_string(count) + " bytes beyond the end of the file",
         at);
  }
  const uint64_t left = reads_left_.load(std::memory_order_relaxed);
  if (count > left) Fail("its parts overlap so often that it would never be read", at);
  reads_left_.store(left - count, std::memory_order_relaxed);
  return bytes_.substr(at, count);
}

Table FlatBuffer::Root() const {
  return {*this, Read<uint32_t>(0, "the place of the model"), "the model"};
}

Table::Table(const FlatBuffer& file, uint64_t at, const char* what) : file_(&file), at_(at) {
  const auto back = file.Read<int32_t>(at, what);
  const int64_t fields = static_cast<int64_t>(at) - back;
  if (fields < 0) file.Fail(std::string(what) + " has its fields before the file", at);
  fields_ = static_cast<uint64_t>(fields);
  const auto size = file.Read<uint16_t>(fields_, what);
  if (size < 4 || size % 2 != 0) {
    file.Fail(std::string(what) + " has a list of fields of " + std::to_string(size) + " bytes",
              fields_);
  }
  count_ = (size - 4U) / 2U;
  file.Take(fields_, size, what);
}

uint64_t Table::OffsetOf(uint32_t field) const {
  if (field >= count_) return 0;
  return file_->Read<uint16_t>(fields_ + 4 + 2 * uint64_t{field}, "a field");
}

uint64_t Table::Follow(uint64_t at, const char* what) const {
  return at + file_->Read<uint32_t>(at, what);
}

Table Table::Sub(uint32_t field, const char* what) const {
  const uint64_t offset = OffsetOf(field);
  return offset == 0 ? Table() : Table(*file_, Follow(at_ + offset, what), what);
}

std::string_view Table::Vector(uint32_t field, uint64_t width, const char* what) const {
  const uint64_t offset = OffsetOf(field);
  if (offset == 0) return {};
  const uint64_t at = Follow(at_ + offset, what);
  return file_->Take(at + 4, width * file_->Read<uint32_t>(at, what), what);
}

std::string_view Table::Text(uint32_t field, const char* what) const {
  return Vector(field, 1, what);
}

std::vector<Table> Table::Tables(uint32_t field, const char* what) const {
  const uint64_t offset = OffsetOf(field);
  if (offset == 0) return {};
  const uint64_t at = Follow(at_ + offset, what);
  const auto count = file_->Read<uint32_t>(at, what);
  file_->Take(at + 4, 4 * uint64_t{count}, what);
  std::vector<Table> tables;
  tables.reserve(count);
  for (uint64_t i = 0; i < count; ++i) {
    tables.emplace_back(*file_, Follow(at + 4 + 4 * i, what), what);
  }
  return tables;
}

}  // namespace lathe::graph::tflite
