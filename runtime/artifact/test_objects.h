// The compiled C files of testdata, for tests.
#pragma once

#include <functional>
#include <string>

#include "runtime/artifact/elf_object.h"

namespace lathe::runtime {

// The contents of testdata/NAME.MACHINE.o; the test fails where there is no such file.
std::string ReadTestObject(const std::string& name, const std::string& machine);
// For the machine the test runs on.
std::string ReadTestObject(const std::string& name);

// Addresses of kernels.c's functions, wherever they were loaded from, and of what they do when they
// are right.
struct TestKernels {
  // `find` gives the address of a symbol.
  template <class Find>
  explicit TestKernels(Find find) : find_(find) {}
  // Calls every function and compares with what C says. `count` is how often it was called on this
  // image before.
  void Check(int count = 0) const;

 private:
  template <class R, class... A>
  R Call(const char* name, A... arguments) const {
    return reinterpret_cast<R (*)(A...)>(find_(name))(arguments...);
  }
  std::function<void*(const char*)> find_;
};

// One file of a tar archive, as tar programs write it, and the archive's end.
std::string TestTarEntry(const std::string& name, const std::string& contents, char type = '0');
inline const std::string kTestTarEnd(1024, '\0');

// Gives kernels.c what it wants of a test: TestCallback, which doubles.
SymbolSource TestSymbols();

}  // namespace lathe::runtime
