#!/bin/sh
# by_cmake_test.sh DIST.tar.gz SDK.tar.gz CMAKE: a vendor's own CMake project, made as the guide
# says. The test builds it from the archive alone, runs its conformance tests with ctest, and drops
# its library into the release. It also builds the Kestrel and the Osprey (docs/design/stranger.md).
set -eu
export PATH="$PWD/$3/cmake/data/bin:$(dirname "$(ls "$PWD/$3"/ninja-*.data/scripts/ninja)"):$PATH"
. tests/outside/unpack.sh
cp -r lathe_sdk/plugins/example/kestrel lathe_sdk/plugins/example/osprey .
export OSPREY_CC="$work/tools/g++"
cat > CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.16)
project(acme CXX)
enable_testing()
add_subdirectory(lathe_sdk)
lathe_plugin(example MANIFEST example.json SOURCES example.cc EXPECTED_FAILURES expected_failures.txt STATIC_LIBSTDCXX)
lathe_plugin(kestrel MANIFEST kestrel/kestrel.json SOURCES kestrel/kestrel.cc EXPECTED_FAILURES kestrel/expected_failures.txt)
lathe_plugin(osprey MANIFEST osprey/osprey.json SOURCES osprey/osprey.cc EXPECTED_FAILURES osprey/expected_failures.txt)
END
cmake -G Ninja -S . -B build -DCMAKE_CXX_COMPILER="$work/tools/g++" -DCMAKE_CXX_FLAGS=-O0 -DLATHE_HOME="$LATHE_HOME"
cmake --build build --parallel 2
(cd build && ctest --output-on-failure)
drop_in build/libexample.so

# The guide's matrix product, on the Kestrel's matrix unit and with plain loops on the CPU.
cp build/libkestrel.so "$LATHE_HOME/lib/lathe/plugins/"
sed -n '/^    program mm/,/^    }/p' lathe_sdk/README.md | sed 's/^    //' > mm.lathe
(sed '/schedule {/,$d' mm.lathe; echo '}') > plain.lathe
"$LATHE_HOME/bin/lathe" run mm.lathe --target=kestrel random random --out tiles.npy
"$LATHE_HOME/bin/lathe" run plain.lathe --target=kestrel random random --out loops.npy
cmp tiles.npy loops.npy

# A product of int8 on the Osprey's cores: with their dot products, and with plain loops.
cp build/libosprey.so "$LATHE_HOME/lib/lathe/plugins/"
(sed '/schedule {/,$d' osprey/matvec.lathe; echo '}') > plain.lathe
"$LATHE_HOME/bin/lathe" run osprey/matvec.lathe --target=osprey random random --out cores.npy
"$LATHE_HOME/bin/lathe" run plain.lathe random random --out loops.npy
cmp cores.npy loops.npy
