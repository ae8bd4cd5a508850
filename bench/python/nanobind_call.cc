// A reference for calls from Python: nanobind's binding of a function of three objects, in
// nanobind's own idiom.
#include <nanobind/nanobind.h>

namespace {

struct Thing {
  int number = 0;
};

}  // namespace

NB_MODULE(nanobind_call, module) {
  nanobind::class_<Thing>(module, "Thing").def(nanobind::init<>());
  module.def("nop", [](const Thing&, const Thing&, const Thing&) {});
}
