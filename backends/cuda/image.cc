#include "backends/cuda/image.h"

#include "plugins/sdk/bytes.h"

namespace lathe::cuda {
namespace {

constexpr std::string_view kMagic = "LatheCUDA3";

// FNV-1a. The driver does not check what it loads, so damaged bytes must be found here.
int64_t Checksum(std::string_view bytes) {
  uint64_t hash = 14695981039346656037u;
  for (const char c : bytes) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 1099511628211u;
  }
  return static_cast<int64_t>(hash);
}

void WriteNumber(const LaunchNumber& number, sdk::Writer* out) {
  out->Int(number.constant);
  out->Ints(number.params);
}

LaunchNumber ReadNumber(sdk::Reader* in) {
  LaunchNumber number;
  number.constant = in->Int();
  number.params = in->Ints();
  return number;
}

[[noreturn]] void Damaged(const char* what) {
  throw sdk::Error(LATHE_INVALID_ARGUMENT, "module-damaged",
                   std::string("the module's bytes are damaged: ") + what);
}

}  // namespace

std::string WriteImage(const Image& image) {
  sdk::Writer body("");
  body.Text(image.arch);
  body.Int(image.is_ptx ? 1 : 0);
  body.Int(image.argument_alignment);
  body.Text(image.code);
  body.Text(image.source);
  body.Text(image.log);
  body.Text(image.metadata);
  body.Int(static_cast<int64_t>(image.kernels.size()));
  for (size_t i = 0; i < image.kernels.size(); ++i) {
    sdk::WriteKernel(image.kernels[i], &body);
    body.Text(image.symbols.at(i));
    const std::vector<TensorMap>& maps = image.maps.at(i);
    body.Int(static_cast<int64_t>(maps.size()));
    for (const TensorMap& map : maps) {
      body.Ints({map.param, map.is_bfloat16 ? 1 : 0, map.box_rows});
      WriteNumber(map.columns, &body);
      WriteNumber(map.elements, &body);
    }
  }
  const std::string bytes = body.Take();
  sdk::Writer out(kMagic);
  out.Int(Checksum(bytes));
  out.Text(bytes);
  return out.Take();
}

Image ReadImage(std::string_view bytes) {
  sdk::Reader outer(kMagic, bytes);
  const int64_t checksum = outer.Int();
  const std::string text = outer.Text();
  if (!outer.done() || checksum != Checksum(text)) Damaged("their checksum is another");
  sdk::Reader in("", text);
  Image image;
  image.arch = in.Text();
  image.is_ptx = in.Int() != 0;
  image.argument_alignment = in.Int();
  image.code = in.Text();
  image.source = in.Text();
  image.log = in.Text();
  image.metadata = in.Text();
  const int64_t count = in.Int();
  for (int64_t i = 0; i < count; ++i) {
    image.kernels.push_back(sdk::ReadKernel(&in));
    image.symbols.push_back(in.Text());
    std::vector<TensorMap>& maps = image.maps.emplace_back();
    for (int64_t left = in.Int(); left > 0; --left) {
      TensorMap& map = maps.emplace_back();
      const std::vector<int64_t> numbers = in.Ints();
      if (numbers.size() != 3) Damaged("a tensor map is described wrongly");
      map.param = numbers[0];
      map.is_bfloat16 = numbers[1] != 0;
      map.box_rows = numbers[2];
      map.columns = ReadNumber(&in);
      map.elements = ReadNumber(&in);
    }
  }
  if (!in.done()) Damaged("something follows them");
  return image;
}

}  // namespace lathe::cuda
