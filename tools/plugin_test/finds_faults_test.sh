#!/bin/sh
# finds_faults_test.sh PROGRAM EVIL_FOLDER: a plugin that misbehaves fails the check that is about it, the kit lives on, and its card
# says how many. Each line: the plugin, a check, what the report must say.
set -u
program=$1
evil=$2
failures=0

must() { # plugin, check, text
  out=$("$program" --time-limit 2 --only "$2" "$evil/evil_$1.so" 2>&1)
  code=$?
  if [ "$code" -ne 1 ] || ! printf '%s\n' "$out" | grep -q "FAILED.*$3"; then
    echo "evil_$1: $2 should fail with \`$3\`; exit code $code:"
    printf '%s\n' "$out"
    failures=$((failures + 1))
  fi
}

must init_crashes handshake/init-and-shutdown 'Segmentation'
must init_aborts handshake/init-and-shutdown 'Aborted'
must init_exits handshake/init-and-shutdown 'exit'
must init_hangs handshake/init-and-shutdown '2 s\|2000'
must init_throws handshake/init-and-shutdown 'evil-init throws\|Aborted'
must init_fails handshake/init-and-shutdown 'evil-init'
must init_fails_silently handshake/init-and-shutdown 'without an error object'
must shutdown_fails handshake/shutdown-twice 'evil-shutdown'
must refuses handshake/query-is-pure 'refuses'
must no_entry hygiene/one-export 'lathe_plugin_query_v0'
must short_table handshake/versions 'struct_size'
must lies_about_abi handshake/versions 'abi_major'
must null_version handshake/versions 'sdk_version'
must null_init handshake/required-members 'NULL'
must other_manifest handshake/same-manifest 'manifest'
must no_interface handshake/interfaces 'not there'
must null_copy handshake/interfaces 'lacks a required member'
must short_device handshake/interfaces 'lacks a required member'
must leaks coexistence/through-the-loader '4096 bytes'
must good failure/device-says-no 'succeeded'

# Several at once: the kit reaches the card.
out=$("$program" --time-limit 2 --only handshake "$evil/evil_init_crashes.so")
printf '%s\n' "$out" | grep -q 'evil_init_crashes 6.6.6: handshake [0-9]*/9' || { echo "no card: $out"; failures=$((failures + 1)); }
exit $((failures > 0))
