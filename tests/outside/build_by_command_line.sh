#!/bin/sh
# build_by_command_line.sh OUT.so SDK.tar.gz COMPILE LINK: builds the SDK's example from the archive
# alone, like a vendor who has only a compiler. COMPILE and LINK are the compiler's command lines
# with the flags that this machine needs. All steps of the guide are here.
set -eu
out=$PWD/$1
archive=$PWD/$2
compile=$3
link=$4
work=$(mktemp -d "$PWD/outside.XXXXXX")
tar xzf "$archive" -C "$work"
sdk=$work/lathe_sdk
flags="-std=c++20 -O0 -fPIC -fvisibility=hidden -fvisibility-inlines-hidden -I$sdk"
"$sdk/plugins/sdk/embed_manifest" "$sdk/example/example.json" > "$work/manifest.cc"
objects=
for source in "$work/manifest.cc" "$sdk"/example/*.cc "$sdk"/base/*.cc "$sdk"/ir/*.cc "$sdk"/plugins/sdk/*.cc "$sdk"/target/*.cc; do
  object=$work/$(echo "${source#"$work/"}" | tr / _).o
  $compile $flags -c "$source" -o "$object"
  objects="$objects $object"
done
$link -shared $objects -o "$out" "-Wl,--version-script=$sdk/plugins/sdk/plugin.lds" -Wl,--exclude-libs,ALL -Wl,-Bsymbolic
rm -rf "$work"
