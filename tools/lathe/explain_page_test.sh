#!/bin/bash
# The explainer's page in a real browser: it renders, without errors and without asking the network.
set -u
lathe=$PWD/$1
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
for program in blur gemm_tiled softmax vector_add; do
  "$lathe" explain "$programs/$program.lathe" -o "$program.html" || fail "lathe explain $program"
  flags=(--headless --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run
    --disable-background-networking --user-data-dir="$TEST_TMPDIR/profile" --enable-logging=stderr
    --virtual-time-budget=2000 --window-size=1200,2400)
  # What the browser made of the page: every stage's card is reached by its link in the graph.
  timeout 60 "$browser" "${flags[@]}" --dump-dom "file://$PWD/$program.html" > dom 2> log || fail "$program: no page"
  for id in $(grep -o 'href="#stage-[^"]*"' dom | sed 's/.*#//; s/"//'); do
    grep -q "id=\"$id\"" dom || fail "$program: no card $id"
  done
  grep -q '<svg' dom || fail "$program: no graph"
  grep -i 'CONSOLE.*\(error\|refused\|failed\)' log && fail "$program: errors in the page"
  timeout 60 "$browser" "${flags[@]}" --screenshot="$PWD/$program.png" "file://$PWD/$program.html" > log 2>&1
  size=$(stat -c %s "$program.png" 2> /dev/null || echo 0)
  [ "$size" -gt 20000 ] || fail "$program: the picture has $size bytes: an empty page?"
  if [ -n "${TEST_UNDECLARED_OUTPUTS_DIR:-}" ]; then cp "$program.png" "$TEST_UNDECLARED_OUTPUTS_DIR"; fi
done
exit $((failures > 0))
