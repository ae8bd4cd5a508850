#!/bin/sh
# model_by_bazel_test.sh DIST.tar.gz SDK.tar.gz MODEL CLASSIFY TOP5: a user's own Bazel workspace with
# a release as a repository. A model becomes a library of a C++ program, which runs; for boards its
# code is compiled, and the runtime is there. With LATHE_TEST_DATA also MobileNetV2, whose object is
# little larger than its weights. The test's own Bazel fetches nothing.
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

# A real model: what it says of a picture was recorded.
data=${LATHE_TEST_DATA:-/nowhere}/models
if ! test -f "$data/mobilenet_v2_f32.onnx"; then
  echo "SKIPPED: MobileNetV2 from C++: LATHE_TEST_DATA names no folder with models/mobilenet_v2_f32.onnx"
  exit 0
fi
cp "$data/mobilenet_v2_f32.onnx" mobilenet.onnx
cp "$tree/$5" top5.cc
cat >> BUILD <<'END'
lathe_model(
    name = "mobilenet",
    src = "mobilenet.onnx",
)
cc_binary(
    name = "top5",
    srcs = ["top5.cc"],
    deps = [":mobilenet"],
)
END
run_bazel build //:top5
bazel-bin/top5 "$data/cat_png_1x3x224x224_f32.npy" | tee found.txt
cat > recorded.txt <<'END'
282 0.3549
281 0.1391
285 0.0991
278 0.0521
283 0.0443
END
paste -d' ' found.txt recorded.txt | awk '
  $1 != $3 || $2 - $4 > 0.001 || $4 - $2 > 0.001 { print "not as recorded: " $0; wrong = 1 }
  END { exit wrong || NR != 5 }'
# The file of the model is its weights and 13 kB.
object=$(stat -L -c %s bazel-bin/mobilenet.o) weights=$(stat -L -c %s mobilenet.onnx)
echo "object: $object bytes, weights: $weights"
test "$object" -le $((weights + 2000000))
