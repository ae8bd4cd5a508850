#!/bin/bash
# The pages of explain, view and profile in a real browser: they render, without errors and without
# asking the network.
set -u
lathe=$PWD/$1
model=$PWD/$2
programs=$PWD/examples/programs
browser=
for name in chromium chromium-browser google-chrome; do
  browser=${browser:-$(command -v "$name")}
done
if [ -z "$browser" ]; then
  echo "SKIPPED: no browser on this machine (chromium, google-chrome): the page was not looked at."
  echo "Install one (Debian: chromium) and run this test again."
  exit 0
fi
cd "$TEST_TMPDIR" || exit 1
export HOME=$TEST_TMPDIR XDG_CONFIG_HOME=$TEST_TMPDIR XDG_CACHE_HOME=$TEST_TMPDIR
failures=0
fail() {
  echo "FAILED: $*"
  failures=$((failures + 1))
}
flags=(--headless --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run
  --disable-background-networking --user-data-dir="$TEST_TMPDIR/profile" --enable-logging=stderr
  --virtual-time-budget=2000 --window-size=1200,2400)
# What the browser made of a page: `dom`, and a picture that is not empty.
look() {
  timeout 60 "$browser" "${flags[@]}" --dump-dom "file://$PWD/$1.html" > dom 2> log || fail "$1: no page"
  grep -i 'CONSOLE.*\(error\|refused\|failed\)' log && fail "$1: errors in the page"
  timeout 60 "$browser" "${flags[@]}" --screenshot="$PWD/$1.png" "file://$PWD/$1.html" > log 2>&1
  local size
  size=$(stat -c %s "$1.png" 2> /dev/null || echo 0)
  [ "$size" -gt 20000 ] || fail "$1: the picture has $size bytes: an empty page?"
  if [ -n "${TEST_UNDECLARED_OUTPUTS_DIR:-}" ]; then cp "$1.png" "$TEST_UNDECLARED_OUTPUTS_DIR"; fi
}
for program in blur gemm_tiled softmax vector_add; do
  "$lathe" explain "$programs/$program.lathe" -o "$program.html" || fail "lathe explain $program"
  look "$program"
  # Every stage's card is reached by its link in the graph.
  for id in $(grep -o 'href="#stage-[^"]*"' dom | sed 's/.*#//; s/"//'); do
    grep -q "id=\"$id\"" dom || fail "$program: no card $id"
  done
  grep -q '<svg' dom || fail "$program: no graph"
done

# A model: a box for each step, input and output; the last row of the steps; memory; no times.
input=picture=random:2x3x16x16
"$lathe" view "$model" --input "$input" -o view.html || fail "lathe view"
"$lathe" profile "$model" --input "$input" --html profile.html > table || fail "lathe profile"
for page in view profile; do
  grep -o 'https\?://[^"'"'"']*' "$page.html" | grep -v '^http://www.w3.org/2000/svg$' && fail "$page: names another place"
  look $page
  steps=$(grep -o 'id="row[0-9]*"' dom | wc -l)
  [ "$steps" -gt 3 ] || fail "$page: $steps rows of steps"
  [ "$(grep -o 'class="node"' dom | wc -l)" -eq $((steps + 2)) ] || fail "$page: boxes"
  [ "$(grep -o 'class="memory"' dom | wc -l)" -gt 2 ] || fail "$page: memory"
  grep -q 'data-drawn="yes"' dom || fail "$page: the script did not end"
  grep -q '>scores<' dom || fail "$page: the output's name"
done
grep -q '>time<' dom || fail "profile: no times"

# What a search has measured.
"$lathe" tune "$programs/gemm_tiled.lathe" --trials 6 --log tune.jsonl > /dev/null || fail "lathe tune"
"$lathe" tune report tune.jsonl -o tune.html || fail "lathe tune report"
look tune
[ "$(grep -o '<circle' dom | wc -l)" -ge 4 ] || fail "tune: no trials in the chart"
grep -q 'class="best" d="M' dom || fail "tune: no line of the best"

# Names of a model are text, whatever they look like.
sed 's/relu1/<b>q1/g; s/picture/<\/main>/g' "$model" > names.onnx
"$lathe" view names.onnx --input '</main>=random:2x3x16x16' -o names.html || fail "lathe view names.onnx"
look names
grep -q '&lt;b&gt;q1' dom || fail "names: <b>q1 is no text"
grep -q '<b>' dom && fail "names: <b> is an element"
grep -q 'data-drawn="yes"' dom || fail "names: the script did not end"
exit $((failures > 0))
