#!/bin/sh
# drops_into_release_test.sh DIST.tar.gz PLUGIN.so SDK.tar.gz: puts a plugin that was built outside
# of the tree into an unpacked release. The release must find it, and it must pass the conformance
# test.
set -eu
dist=$PWD/$1
plugin=$PWD/$2
sdk=$PWD/$3
cd "$TEST_TMPDIR"
tar xzf "$dist"
tar xzf "$sdk" lathe_sdk/example
cp "$plugin" lathe/lib/lathe/plugins/libexample.so
export LATHE_CACHE_DIR="$TEST_TMPDIR/cache"
unset LATHE_PLUGIN_PATH RUNFILES_DIR TEST_SRCDIR RUNFILES_MANIFEST_FILE || true
lathe/bin/lathe plugins > plugins.txt
cat plugins.txt
grep -q 'example 0.1.0 (found)' plugins.txt
grep -q 'llvm 0.1.0 (found)' plugins.txt
lathe/bin/lathe-plugin-test --quiet --expected lathe_sdk/example/expected_failures.txt lathe/lib/lathe/plugins/libexample.so
