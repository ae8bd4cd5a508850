// The compiled C files of testdata, for tests.
#pragma once

#include <functional>
#include <string>

#include "runtime/artifact/elf_object.h"

namespace lathe::runtime {

// The contents of testdata/NAME.MACHINE.o; the test fails if there is no such file.
std::string ReadTestObject(const std::string& name, const std::string& machine);
// The file for the machine on which the test runs.
std::string ReadTestObject(const std::string& name);

// The addresses of kernels.c's functions, and checks of their results; independent of how they were
// loaded.
struct TestKernels {
  // `find` returns the address of a symbol.
  template <class Find>
  explicit TestKernels(Find find) : find_(find) {}
  // Calls every function and compares with the results of the C source. `count` is the number of
  // earlier calls on this image.
  void Check(int count = 0) const;

 private:
  template <class R, class... A>
  R Call(const char* name, A... arguments) const {
    return reinterpret_cast<R (*)(A...)>(find_(name))(arguments...);
  }
  std::function<void*(const char*)> find_;
};

// One file of a tar archive, as tar programs write it, with the archive's end.
std::string TestTarEntry(const std::string& name, const std::string& contents, char type = '0');
inline const std::string kTestTarEnd(1024, '\0');

// The symbol that kernels.c imports: TestCallback, which doubles its argument.
SymbolSource TestSymbols();

}  // namespace lathe::runtime
