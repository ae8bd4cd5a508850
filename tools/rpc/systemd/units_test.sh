#!/bin/bash
# usage: units_test.sh SERVER TRACKER PROXY: systemd accepts the units, and the options that they
# give are those of the programs.
set -u
here=$PWD
failures=0
fail() { echo "FAILED: $*"; failures=$((failures + 1)); }
work=$TEST_TMPDIR
for program in "$1" "$2" "$3"; do
  name=$(basename "$program")
  unit=tools/rpc/systemd/$name.service
  command=$(sed -n 's/^ExecStart=//p' "$unit")
  [ "${command%% *}" = "/usr/local/bin/$name" ] || fail "$unit starts $command"
  for option in $(grep -o -- ' --[a-z-]*' <<< "$command") $(grep -o -- '"--[a-z-]*' "$unit" | tr -d '"'); do
    "$program" --help | grep -q -- " $option " || fail "$name has no $option"
  done
  # systemd wants programs that are there.
  sed "s|/usr/local/bin/$name|$here/$program|" "$unit" > "$work/$name.service"
  command -v systemd-analyze > /dev/null || continue
  SYSTEMD_LOG_LEVEL=warning systemd-analyze verify --man=no "$work/$name.service" > "$work/said" 2>&1 ||
    { fail "systemd-analyze verify $unit"; cat "$work/said"; }
  grep "$name" "$work/said" && fail "warnings for $unit"
done
command -v systemd-analyze > /dev/null || echo "SKIPPED: no systemd-analyze here, units were not verified"
[ $failures -eq 0 ] || exit 1
echo "all passed"
