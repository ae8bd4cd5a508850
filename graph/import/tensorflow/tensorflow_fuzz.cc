// Fuzzes frozen graphs of TensorFlow: any bytes give a graph or an error that names what is wrong.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/error.h"
#include "graph/import/tensorflow/import.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lathe::graph::tensorflow;  // NOLINT(google-build-using-namespace)
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    ImportModel(ParseModel(bytes));
  } catch (const lathe::Error& error) {
    LATHE_CHECK(!error.name().empty());
  }
  return 0;
}
