# unpack.sh, sourced by the tests: sets up what a vendor has. Unpacks the release and the SDK's
# archive into a new folder, together with the vendor's own project (a copy of the example), and
# goes there.
#   $work/lathe          the release        $work/acme/lathe_sdk    the SDK
#   $work/acme           the project        $work/tools             a compiler
# Arguments: DIST.tar.gz SDK.tar.gz
work=$TEST_TMPDIR/vendor
mkdir -p "$work/acme"
sh tests/outside/compiler.sh "$work/tools"
tar xzf "$1" -C "$work"
tar xzf "$2" -C "$work/acme"
cp "$work"/acme/lathe_sdk/example/* "$work/acme/"
unset LATHE_PLUGIN_PATH RUNFILES_DIR TEST_SRCDIR RUNFILES_MANIFEST_FILE || true
export LATHE_CACHE_DIR="$work/cache" LATHE_HOME="$work/lathe"
cd "$work/acme"

# drop_in LIBRARY: puts the library into the release. The release must find it, it must pass the
# conformance test, and a kernel must run on it.
drop_in() {
  cp "$1" "$LATHE_HOME/lib/lathe/plugins/libexample.so"
  "$LATHE_HOME/bin/lathe" plugins | tee plugins.txt
  grep -q 'example 0.1.0 (found)' plugins.txt
  grep -q 'llvm 0.1.0 (found)' plugins.txt
  "$LATHE_HOME/bin/lathe-plugin-test" --quiet --expected expected_failures.txt "$LATHE_HOME/lib/lathe/plugins/libexample.so"
  cat > scale.lathe <<'END'
program scale {
  placeholder A: float32[8]
  compute B[i in range(8)] = A[i] * 2.0 + 1.0
  args [A, B]
}
END
  "$LATHE_HOME/bin/lathe" run scale.lathe --target=example zeros:8 | tee run.txt
  grep -q '1 1 1 1 1 1 1 1' run.txt
}
