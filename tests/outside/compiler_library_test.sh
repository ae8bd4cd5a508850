#!/bin/sh
# compiler_library_test.sh DIST.tar.gz SDK.tar.gz: uses the release's compiler in a C++ program, as
# its README says. Checks what the library exports, and that gcc and clang can include all its
# headers.
set -eu
tree=$PWD
. tests/outside/unpack.sh
cd "$LATHE_HOME"
PATH="$work/tools:$PATH"
export PATH
# clang with the same libraries. The clang of a normal machine finds them itself.
sysroot=$tree/external/sysroot_amd64
gcc_libraries=$sysroot/usr/lib/gcc-cross/x86_64-linux-gnu/12
cat > "$work/tools/clang++" <<END
#!/bin/sh
export LD_LIBRARY_PATH=$tree/external/clang/usr/lib/x86_64-linux-gnu:$tree/external/clang/lib/x86_64-linux-gnu
exec $tree/external/clang/usr/lib/llvm-19/bin/clang --driver-mode=g++ --target=x86_64-linux-gnu -nostdlibinc \\
  -isystem $sysroot/usr/x86_64-linux-gnu/include/c++/12 -isystem $sysroot/usr/x86_64-linux-gnu/include/c++/12/x86_64-linux-gnu \\
  -isystem $sysroot/usr/x86_64-linux-gnu/include --sysroot=$sysroot -fuse-ld=lld -B$gcc_libraries -L$gcc_libraries \\
  -L$sysroot/usr/x86_64-linux-gnu/lib "\$@"
END
chmod +x "$work/tools/clang++"

# No symbol of the C++ library is exported: the program's own would take precedence everywhere.
nm -D --defined-only lib/liblathe_compiler.so | awk '{ print $3 }' > exports.txt
if grep -Ev '^(lathe_|_Z.*5lathe|_Z.*4absl|AbslInternal|LATHE_1)' exports.txt; then
  echo "exports more than Lathe's and Abseil's"
  exit 1
fi
test "$(grep -c '^lathe_' exports.txt)" -ge 50
test "$(grep -c '^_Z' exports.txt)" -ge 2000
echo "liblathe_compiler.so: $(wc -c < lib/liblathe_compiler.so) bytes, $(wc -l < exports.txt) symbols, $(find include -type f | wc -l) headers"

# The README's program, with each compiler.
sed -n '/^    cat > add.cc/,/^    .\/add/p' README.md | sed 's/^    //' > example.sh
for compiler in g++ clang++; do
  sed "s|^g++|$compiler|; s|^./add|env -i HOME=$work ./add|" example.sh > "by_$compiler.sh"
  sh -eu "by_$compiler.sh" > sum.txt
  test "$(cat sum.txt)" = "2 4 6 8 10 "
done

# One registry: C++ finds what C registers, also if the runtime's library is linked too.
cat > one.cc <<'END'
#include <cstdio>
#include "runtime/c_api.h"
#include "runtime/registry.h"
static int Answer(void*, const lathe_value*, int32_t, lathe_value* result) {
  result->kind = LATHE_VALUE_INT;
  result->v_int = 42;
  return 0;
}
int main() {
  lathe_function* function = nullptr;
  if (lathe_function_new(Answer, nullptr, nullptr, &function) != nullptr) return 1;
  if (lathe_global_register("acme.answer", function, 0) != nullptr) return 2;
  const lathe::runtime::Function found = lathe::runtime::FindGlobal("acme.answer");
  if (!found) return 3;
  std::printf("%d", found().As<int>());
}
END
g++ -std=c++20 -isystem include one.cc -o one -Llib -llathe_compiler -llathe_runtime "-Wl,-rpath,$PWD/lib"
test "$(./one)" = 42

# A board, which is this machine, and a program for it that has the remote library only.
cat > board.cc <<'END'
#include <cstdio>
#include <cstdlib>
#include "runtime/rpc/remote.h"
using namespace lathe::remote;
int main(int, char** argv) {
  const Session board = Session::Connect("127.0.0.1", std::atoi(argv[1]));
  const Tensor there = Tensor::From<float>({1, 2, 3}, {3}, board.device(kDLCPU));
  for (const float element : there.To<float>()) std::printf("%g ", element);
}
END
for compiler in g++ clang++; do
  "$compiler" -std=c++17 -isystem include board.cc -o "board_by_$compiler" -Llib -llathe_remote "-Wl,-rpath,$PWD/lib"
done
env -i HOME="$work" bin/lathe-rpc-server --port 0 > server.txt 2> server_log.txt &
server=$!
trap 'kill $server' EXIT
tries=0
until grep -q "listening on" server.txt; do
  tries=$((tries + 1))
  test $tries -lt 300 || { cat server_log.txt; exit 1; }
  sleep 0.1
done
port=$(sed -n 's/.*listening on 127.0.0.1:\([0-9]*\).*/\1/p' server.txt)
for compiler in g++ clang++; do
  test "$(env -i HOME="$work" "./board_by_$compiler" "$port")" = "1 2 3 "
done

# Includes every header of Lathe.
find include -name '*.h' ! -path 'include/absl/*' | sed 's|include/||' | sort > headers.txt
sed 's/.*/#include "&"/' headers.txt > all.cc
for compiler in g++ clang++; do "$compiler" -std=c++20 -isystem include -fsyntax-only all.cc; done
