#!/bin/bash
# Models on the command line: import, compile, run, bench, profile, view, compare, and what wrong
# inputs, pictures, labels and files give: message and exit code.
set -u
root=$PWD
lathe=$root/$1
small=$root/$2
picture=$root/$3
work=$TEST_TMPDIR/work
mkdir -p "$work"
cd "$work" || exit 1
export LATHE_CACHE_DIR=$TEST_TMPDIR/cache
. "$root/tools/lathe/expect.sh"

# -- import and compile.
expect 0 "input:   picture: float32[batch, 3, 16, 16]" "$lathe" import "$small" -o small.lathe --input picture=batch,3,16,16
check grep -q "output:  scores" out
expect 0 "picture: float32[n, 3, 16, 16]" "$lathe" import "$small" -o open.lathe
expect 0 "picture: float32[1, 3, 16, 16]" "$lathe" import "$small" -o one.lathe --input picture=1x3x16x16:float32
expect 0 "" "$lathe" compile one.lathe -o one.so
expect 0 "" "$lathe" compile "$small" -o direct.so --input picture=1x3x16x16
check cmp one.so direct.so
expect 0 "" "$lathe" compile one.lathe -o one.tar
expect 0 "" "$lathe" compile one.lathe -o one.o --symbol small_model --target "llvm -mtriple=aarch64-linux-gnu"
expect 0 "target:    llvm -keys=cpu -mattr=+neon" "$lathe" inspect one.o
expect 0 "nn.conv2d" "$lathe" compile "$small" -o -.lathe --opt-level 0
expect 0 "plan               same answer" "$lathe" bisect "$small" --extent n=2
expect 0 "arena: " "$lathe" explain one.lathe
expect 0 "result:  " "$lathe" import "$small" -o narrow.lathe --input picture=1x3x16x16 --products bfloat16
expect 0 'cast(' "$lathe" compile narrow.lathe --opt-level 0 -o -.lathe
expect 2 "error[cli-bad-value]" "$lathe" import "$small" -o no.lathe --products int8
expect 2 "error[cli-unknown-suffix]" "$lathe" import "$small" -o small.txt
expect 2 "error[cli-unknown-suffix]" "$lathe" import "$small"
expect 1 "error[onnx-input-unknown]" "$lathe" import "$small" -o no.lathe --input data=1x3x16x16
expect 1 "error[model-input-mismatch]" "$lathe" import "$small" -o no.lathe --input picture=1x3x16x16:int8
expect 1 "error[model-input-mismatch]" "$lathe" compile one.lathe -o no.so --input picture=2x3x16x16
expect 2 "error[cli-bad-value]" "$lathe" import "$small" -o no.lathe --input picture=1x3x
expect 2 "error[cli-bad-value]" "$lathe" import "$small" -o no.lathe --input picture=1x3x16x16:word
expect 2 "error[cli-bad-value]" "$lathe" import "$small" -o no.lathe --input 1x3x16x16
expect 2 "error[cli-bad-value]" "$lathe" compile "$small" -o no.so --symbol small
expect 3 "error[model-file]" "$lathe" import missing.onnx -o no.lathe
expect 1 "error[model-format]" "$lathe" import "$picture" -o no.lathe
check grep -q "ONNX" out
expect 3 "error[output-folder]" "$lathe" import "$small" -o missing/no.lathe
head -c 3000 "$small" > cut.onnx
expect 1 "error[onnx-malformed]" "$lathe" import cut.onnx -o no.lathe
head -c 3000 one.lathe > cut.lathe
expect 1 "error[model-file-corrupt]" "$lathe" compile cut.lathe -o no.so
check test ! -e no.lathe -a ! -e no.so
check test -z "$(find . -name '.new-*' -o -name '.lathe-*')"

# A header for a program that links the object.
expect 0 "" "$lathe" compile "$small" -o linked.o --symbol small_model --header small_model.h
check grep -q "class SmallModel : public lathe::CompiledModel" small_model.h
check grep -q "void SetPicture(const float\* data, int64_t extent0)" small_model.h
check grep -q "lathe::ModelOutput<float> Scores() const" small_model.h
check grep -q 'extern "C" const lathe_artifact small_model;' small_model.h
expect 0 "" "$lathe" compile "$small" -o other.o --symbol small_model --header other.h --target "llvm -mtriple=riscv64-linux-gnu"
check grep -q "class Other : public lathe::CompiledModel" other.h
expect 0 "" "$lathe" compile "$small" -o loaded.so --header loaded.h
check grep -q "explicit Loaded(const std::string& path)" loaded.h
cat > short.lathe <<'END'
graph main(%x: bfloat16[4]) {
  %0 = negative(%x)
  return %0
}
END
expect 1 "error[header-element-type]" "$lathe" compile short.lathe -o short.o --symbol short --header short.h
check test ! -e short.o -a ! -e short.h

# -- run.
expect 0 "scores: float32[1, 10]" "$lathe" run one.so --input picture=random
check grep -q "min " out
cp out from_so
for file in one.lathe one.tar direct.so; do
  expect 0 "" "$lathe" run $file --input picture=random
  check cmp out from_so
done
expect 0 "scores: float32[4, 10]" "$lathe" run "$small" --input picture=zeros:4x3x16x16
expect 0 "scores: float32[4, 10]" "$lathe" run open.lathe --input picture=zeros:4x3x16x16
expect 0 "" "$lathe" run one.so --input picture=random --out scores=scores.npy
check test "$(head -c 6 scores.npy | tail -c 5)" = NUMPY
check test ! -s out
# Pictures: resized to the input, or by the options.
expect 0 "scores:" "$lathe" run one.so --input "picture=$picture" --top 3
check test "$(wc -l < out)" -eq 5
cp out plain
expect 0 "" "$lathe" run one.so --input "picture=$picture" --top 3 --resize 16x16 --divide 255 --mean 0 --std 1,1,1 --layout NCHW
check cmp out plain
expect 0 "" "$lathe" run one.so --input "picture=$picture" --top 3 --bgr
check test "$(cmp -s out plain; echo $?)" -eq 1
expect 0 "" "$lathe" run one.so --input "picture=$picture" --top 3 --resize 20 --crop 16 --mean 0.485,0.456,0.406 --std 0.229,0.224,0.225
printf '%s\n' zero one two three four five six seven eight nine > labels.txt
expect 0 "label" "$lathe" run one.so --input "picture=$picture" --top 10 --softmax --labels labels.txt
check test "$(awk 'NR > 2 { sum += $2 } END { print (sum > 0.999 && sum < 1.001) }' out)" = 1
check test "$(awk 'NR > 2 { print $3 }' out | sort)" = "$(sort labels.txt)"
head -9 labels.txt > nine.txt
expect 1 "error[run-labels]" "$lathe" run one.so --input "picture=$picture" --top 3 --labels nine.txt
check grep -q "expected: 10 lines" out
expect 3 "error[file-unreadable]" "$lathe" run one.so --input "picture=$picture" --top 3 --labels none.txt
# Results have the names that the model gives them, although nothing is computed for them.
cat > handed_on.lathe <<'END'
graph main(%x: float32[4]) {
  %inner = nn.relu(%x)
  %first = identity(%inner)
  %second = negative(%inner)
  %both = (%first, %second)
  return %both
}
END
expect 0 "first: float32[4]" "$lathe" run handed_on.lathe --input x=random --out second=second.npy
check grep -q NUMPY second.npy
# Wrong inputs.
expect 1 "perhaps \`picture\`" "$lathe" run one.so --input pictures=random
check grep -q "error\[run-input-unknown\]" out
expect 1 "\`picture\` (float32[1, 3, 16, 16])" "$lathe" run one.so
check grep -q "error\[run-input-missing\]" out
expect 1 "error[run-input-shape]" "$lathe" run one.so --input picture=random:1x3x16x15
expect 1 "--input picture=random:1x3x16x16" "$lathe" run open.lathe --input picture=random
expect 1 "error[run-input-shape]" "$lathe" run one.so --input picture=scores.npy
expect 1 "error[run-input-shape]" "$lathe" run one.so --input "picture=$picture" --resize 20
expect 1 "error[run-input-shape]" "$lathe" run one.so --input "picture=$picture" --layout NHWC
expect 1 "error[picture-crop]" "$lathe" run one.so --input "picture=$picture" --resize 10 --crop 16
expect 1 "error[run-input-format]" "$lathe" run one.so --input picture=labels.txt
head -c 2000 "$picture" > cut.png
expect 3 "error[picture-malformed]" "$lathe" run one.so --input picture=cut.png
printf '\xff\xd8\xff\xe0nothing' > bad.jpg
expect 3 "error[picture-malformed]" "$lathe" run one.so --input picture=bad.jpg
expect 3 "error[file-unreadable]" "$lathe" run one.so --input picture=missing.png
expect 2 "error[cli-bad-value]" "$lathe" run one.so --input "picture=$picture" --resize 0
expect 2 "error[cli-bad-value]" "$lathe" run one.so --input "picture=$picture" --mean 1,2
expect 2 "error[cli-bad-value]" "$lathe" run one.so --input "picture=$picture" --std 0
expect 2 "error[cli-bad-value]" "$lathe" run one.so --input "picture=$picture" --layout HWC
expect 2 "error[cli-bad-value]" "$lathe" run one.so --input picture=random:1xn
expect 2 "its inputs have names" "$lathe" run one.so random
expect 2 "\`lathe bench\` measures" "$lathe" run one.so --input picture=random --time
expect 1 "error[run-no-such-output]" "$lathe" run one.so --input picture=random --out score=s.npy
expect 1 "error[run-no-such-output]" "$lathe" run one.so --input picture=random --out a.npy --out b.npy
expect 1 "error[run-top]" "$lathe" run open.lathe --input picture=random:2x3x16x16 --top 1
expect 1 "error[run-no-such-output]" "$lathe" run one.so --input picture=random --top 1 --scores other
expect 1 "error[model-format]" "$lathe" run "$picture"
cat > f.lathe <<'END'
program f { placeholder A: float32[8] compute B[i in range(8)] = A[i] * 2.0 args [A, B] }
END
expect 0 "" "$lathe" compile f.lathe -o f.so
expect 2 "are for models" "$lathe" run f.so --input A=random
expect 3 "error[model-plan]" "$lathe" bench f.so

# -- bench and profile.
expect 0 "median" "$lathe" bench one.so --repeat 12 --warmup 1 --threads 1
check grep -q "^runs     12$" out
expect 0 '"p99"' "$lathe" bench "$small" --input picture=random:2x3x16x16 --json --seconds 0.01
expect 0 "" "$lathe" bench one.so --repeat 5 --json -o figures.json
check grep -q '"runs": 5' figures.json
expect 2 "error[cli-bad-value]" "$lathe" bench one.so --repeat 0
expect 1 "error[run-input-shape]" "$lathe" bench open.lathe
expect 0 "relu1" "$lathe" profile one.so --repeat 3 --html page.html --trace trace.json
check grep -q "scores" out
check grep -q '"traceEvents"' trace.json
check grep -q '"displayTimeUnit"' trace.json
check grep -q 'application/json' page.html
expect 0 "more steps)" "$lathe" profile one.so --repeat 1 --rows 2

# -- view.
expect 0 "" "$lathe" view one.so -o view.html
check grep -q '"relu1"' view.html
expect 0 "" "$lathe" view one.lathe -o view.html
check grep -q "blocks of" view.html
expect 2 "error[cli-unknown-suffix]" "$lathe" view one.so
expect 1 "error[run-input-shape]" "$lathe" view open.lathe -o view.html
expect 0 "" "$lathe" view open.lathe -o view.html --input picture=random:3x3x16x16

# -- compare. A Python of our own stands in for one with and without the peer.
expect 2 "error[cli-bad-value]" "$lathe" compare "$small" --with caffe
expect 2 "ONNX Runtime reads ONNX files" "$lathe" compare one.lathe
expect 2 "PyTorch does not read ONNX files" "$lathe" compare "$small" --with pytorch
expect 3 "error[compare-python]" "$lathe" compare "$small" --input picture=random:1x3x16x16 --python ./no_python
printf '#!/bin/sh\necho "No module named onnxruntime"\nexit 77\n' > without
printf '#!/bin/sh\necho "it fails"\nexit 1\n' > fails
chmod +x without fails
expect 3 "error[compare-peer]" "$lathe" compare "$small" --input picture=random:1x3x16x16 --python ./without
check grep -q "pip install numpy onnxruntime" out
expect 3 "error[compare-failed]" "$lathe" compare "$small" --input picture=random:1x3x16x16 --python ./fails
check grep -q "it fails" out
peer=${LATHE_PEER_PYTHON:-python3}
if "$peer" -c 'import onnxruntime' 2> /dev/null; then
  expect 0 "agrees" "$lathe" compare "$small" --input picture=random:1x3x16x16 --python "$peer" --layers
  check grep -q "^relu2" out
  expect 1 "error[compare-differs]: \`conv1\` (Conv)" "$lathe" compare "$small" --input picture=random:1x3x16x16 --python "$peer" --rtol 0 --atol 0
else
  echo "SKIPPED: no onnxruntime for $peer: nothing was compared with it (LATHE_PEER_PYTHON names a Python that has it)."
fi

# -- compare with PyTorch, whose values have other names. A script stands in for its Python: it hands out what
# was computed here before.
# more_outputs NAME...: fields of protobuf that make values of a model outputs, too.
more_outputs() {
  local items="" size=0 name
  for name; do
    items+=$(printf '\\x62\\x%02x\\x0a\\x%02x%s' $((${#name} + 2)) ${#name} "$name")
    size=$((size + ${#name} + 4))
  done
  printf "\\x3a\\x$(printf %02x $size)$items"
}
# stand_in NAME MODEL: a Python with the values of a model. Two are the same, as dropout makes them, and conv1 is
# missing, as if it were one operator with relu1.
stand_in() {
  local i=0 op list="" files=()
  mkdir "$1.values"
  { cat "$2"; more_outputs sum relu1 pool1 conv2 relu2 mean product; } > "$1.onnx"
  for op in dropout add relu max_pool2d conv2d relu mean mm; do
    files+=(--out "$1.values/layer_$i.npy")
    list+="{\"name\": \"t.$i\", \"op\": \"aten::$op\", \"place\": \"net.$i\"}, "
    i=$((i + 1))
  done
  expect 0 "" "$lathe" run "$1.onnx" --input picture=random:1x3x16x16 "${files[@]}"
  mv "$1.values/layer_0.npy" "$1.values/output_0.npy"
  cp "$1.values/layer_1.npy" "$1.values/layer_0.npy"
  printf 1 > "$1.values/count"
  printf '[%s]' "${list%, }" > "$1.values/layers.json"
  printf '#!/bin/sh\ncp %s/* "$2"\n' "$PWD/$1.values" > "$1"
  chmod +x "$1"
}
stand_in same "$small"
for name in relu1 relu2; do
  LC_ALL=C sed "s/$name\"\x04Relu/$name\"\x04Selu/" "$small" > selu.onnx
  stand_in other_$name selu.onnx
done
printf '#!/bin/sh\ngrep -q "\\"layers\\": true" "$2/request.json" && echo "no graph" && exit 78\nexec %s "$@"\n' \
  "$PWD/other_relu2" > no_layers
printf '#!/bin/sh\n%s "$@"\necho "{" > "$2/layers.json"\n' "$PWD/other_relu2" > bad_list
chmod +x no_layers bad_list
with_pytorch() { # PYTHON ARGUMENT...
  local python=$1
  shift
  "$lathe" compare "$small" --input picture=random:1x3x16x16 --with pytorch --peer-model model.pt --python "./$python" "$@"
}
expect 0 "agrees" with_pytorch same
check test "$(wc -l < out)" -eq 2
# The folder for temporary files is missing; it has a folder with the name of the file to write.
TMPDIR=$PWD/nowhere expect 3 "error[output-folder]: cannot write to the folder for temporary files" with_pytorch same
mkdir -p taken/compare
TMPDIR=$PWD/taken expect 0 "agrees" with_pytorch same
expect 0 "\`t.2\` (aten::relu, net.2)" with_pytorch same --layers
check grep -q "^conv1 *none$" out
check grep -q "^relu1 .* \`t.2\`" out
check grep -q "^sum .* \`t.0\`" out
check grep -q "^flat .* \`t.6\`" out
check grep -q "^scores .* output 0$" out
expect 1 "error[compare-differs]: \`relu2\` (Relu) is the first value that differs" with_pytorch other_relu2
check grep -q "^sum .* \`t.0\`" out
check grep -q "^relu2 *none$" out
check grep -q "note: \`sum\` (Add) before it agrees" out
expect 1 "\`conv1\` (Conv) is the first value that differs" with_pytorch other_relu1
check test "$(grep -c note: out)" -eq 0
expect 3 "error[compare-layers]" with_pytorch no_layers
check grep -q "found: no graph" out
expect 1 "json-malformed" with_pytorch bad_list
expect 2 "compares the values of an ONNX file" "$lathe" compare one.lathe --with pytorch --peer-model model.pt --layers
expect 1 "compare the ONNX file" "$lathe" compare one.lathe --with pytorch --peer-model model.pt --python ./other_relu2

# -- What is in progress is shown on one line, however narrow the terminal is.
script -qec "stty cols 20 && '$lathe' compile '$small' -o narrow.so --input picture=1x3x16x16 --no-cache" /dev/null < /dev/null > terminal
tr '\r' '\n' < terminal | sed -n 's/^\x1b\[K\(.*\.\.\.\)$/\1/p' > shown
check test "$(wc -l < shown)" -gt 3
check test "$(awk 'length > 19' shown | wc -l)" -eq 0

# -- Colours, of output and of errors, are for terminals that know them.
echo 'program tiny { placeholder A: float32[4] compute B[i in range(4)] = A[i] + 1.0 args [A, B] }' > tiny.lathe
on_terminal() { TERM=$1 script -qec "'$lathe' lower tiny.lathe; '$lathe' lower none" /dev/null < /dev/null > terminal; }
on_terminal xterm
check grep -q $'\x1b' terminal
check test "$(grep -c $'\x1b.*error' terminal)" -eq 1
on_terminal dumb
check grep -q "error\[file-unreadable\]" terminal
check test "$(grep -c $'\x1b' terminal)" -eq 0

# -- Ctrl-C leaves nothing.
"$lathe" bench one.so --seconds 60 -o never.txt &
pid=$!
sleep 0.5
kill -INT $pid
wait $pid
check test $? -eq 130
check test ! -e never.txt

# -- MobileNetV2 on pictures: the classes that were recorded.
data=${LATHE_TEST_DATA:-}
if [ -n "$data" ] && [ -e "$data/models/mobilenet_v2_f32.onnx" ]; then
  expect 0 "282     0.354" "$lathe" run "$data/models/mobilenet_v2_f32.onnx" --input "input=$data/images/cat.png" \
    --resize 256 --crop 224 --mean 0.485,0.456,0.406 --std 0.229,0.224,0.225 --top 5 --softmax \
    --labels "$data/labels/squeeze-labels.txt"
  check test "$(awk '$1 ~ /^[0-9]+$/ { printf "%s ", $1 }' out)" = "282 281 285 278 283 "
  check grep -q "tiger cat" out
  # The best class of eight pictures, with its part.
  awk '/^  "/ { name = $1; gsub(/[":]/, "", name) } /"f32"/ { state = 1; next } state == 1 && $1 ~ /^[0-9]+,/ { class = $1 + 0; state = 2 }
    state == 2 && $1 ~ /^0[.]/ { print name, class, $1; state = 0 }' "$data/models/mobilenet_v2_expected.json" > expected.txt
  check test "$(wc -l < expected.txt)" -eq 8
  while read -r name class part; do
    expect 0 "" "$lathe" run "$data/models/mobilenet_v2_f32.onnx" --input "input=$data/images/$name" \
      --resize 256 --crop 224 --mean 0.485,0.456,0.406 --std 0.229,0.224,0.225 --top 1 --softmax
    check awk -v class="$class" -v part="$part" 'NR == 3 { good = $1 == class && $2 - part < 0.01 && part - $2 < 0.01 }
      END { exit !good }' out
  done < expected.txt
else
  echo "SKIPPED: no models of LATHE_TEST_DATA (shared/data): MobileNetV2 did not look at the cat."
fi
exit $((failures > 0))
