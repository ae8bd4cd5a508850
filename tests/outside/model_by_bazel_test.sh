#!/bin/sh
# model_by_bazel_test.sh DIST.tar.gz SDK.tar.gz MODEL CLASSIFY: a user's own Bazel workspace with a
# release as a repository. A model becomes a library of a C++ program, which runs; for boards its
# code is compiled, and the runtime is there. The test's own Bazel fetches nothing.
set -eu
tree=$PWD
. tests/outside/unpack.sh
mkdir -p "$work/user/examples/model"
cp "$tree/$3" "$work/user/small.onnx"
sed 's|examples/model/small.h|small.h|' "$tree/$4" > "$work/user/classify.cc"
cd "$work/user"
cat > WORKSPACE <<'END'
workspace(name = "user")
local_repository(name = "lathe", path = "../lathe")
END
: > small.lock  # of a build that used no records
cat > BUILD <<'END'
load("@lathe//rules:lathe.bzl", "lathe_model")
lathe_model(
    name = "small",
    src = "small.onnx",
    inputs = {"picture": "batch,3,16,16"},
    records = "small.lock",
)
cc_test(
    name = "classify",
    srcs = ["classify.cc"],
    deps = [":small"],
)
[platform(
    name = cpu + "_board",
    constraint_values = ["@platforms//cpu:" + cpu, "@platforms//os:linux"],
) for cpu in ["aarch64", "riscv64"]]
END
overrides=
for name in platforms remote_coverage_tools rules_cc rules_java; do
  cp -rL "$tree/external/$name" "$work/$name"
  touch "$work/$name/WORKSPACE"
  overrides="$overrides --override_repository=$name=$work/$name"
done
export HOME="$work"
run_bazel() {
  command=$1
  shift
  bazel --nohome_rc --output_user_root="$work/bazel" --max_idle_secs=15 --host_jvm_args=-Xmx1g "$command" --color=no --curses=no \
    --noshow_progress --jobs=2 --spawn_strategy=local $overrides --repo_env=CC="$work/tools/g++" \
    --repo_env=PATH="$work/tools:$PATH" --cxxopt=-std=c++17 "$@"
}
trap 'bazel --nohome_rc --output_user_root="$work/bazel" shutdown' EXIT
run_bazel test --test_output=all //:classify
for cpu in aarch64 riscv64; do
  run_bazel build --platforms=//:${cpu}_board //:small_code
  "$LATHE_HOME/bin/lathe" inspect bazel-bin/small.o | tee inspected.txt
  grep -q "target: .*mtriple=$cpu" inspected.txt
  test -s "$LATHE_HOME/lib/boards/$cpu/liblathe_graph.so"
done
