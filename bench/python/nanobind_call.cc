// A reference for calls from Python: what nanobind makes of a function of three objects, in its own
// idiom.
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
