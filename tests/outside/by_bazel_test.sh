#!/bin/sh
# by_bazel_test.sh DIST.tar.gz SDK.tar.gz: a vendor's own Bazel workspace, made as the guide says.
# The test builds it from the archive alone, runs its conformance test, and drops its library into
# the release. The test runs its own Bazel, which writes only to the test's folder and fetches
# nothing.
set -eu
tree=$PWD
. tests/outside/unpack.sh
cat > WORKSPACE <<'END'
workspace(name = "acme")
local_repository(name = "lathe_sdk", path = "lathe_sdk")
END
cat > BUILD <<'END'
load("@lathe_sdk//plugins/sdk:plugin.bzl", "lathe_plugin")
lathe_plugin(
    name = "example",
    srcs = ["example.cc"],
    expected_failures = "expected_failures.txt",
    manifest = "example.json",
)
END
# Bazel's own tools load these, by default from the network.
overrides=
for name in platforms remote_coverage_tools rules_cc rules_java; do
  cp -rL "$tree/external/$name" "$work/$name"
  touch "$work/$name/WORKSPACE"
  overrides="$overrides --override_repository=$name=$work/$name"
done
export HOME="$work"
run_bazel() {
  bazel --nohome_rc --output_user_root="$work/bazel" --max_idle_secs=15 --host_jvm_args=-Xmx1g "$@"
}
trap 'run_bazel shutdown' EXIT
run_bazel test --color=no --curses=no --noshow_progress --jobs=2 --spawn_strategy=local $overrides \
  --repo_env=CC="$work/tools/g++" --repo_env=PATH="$work/tools:$PATH" --copt=-O0 --copt=-fno-gnu-unique --test_output=errors \
  --test_env=LATHE_HOME="$LATHE_HOME" --test_env=LATHE_CACHE_DIR="$LATHE_CACHE_DIR" //...
drop_in bazel-bin/libexample.so
