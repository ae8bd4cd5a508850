# Sourced by the tests of `lathe`: commands with their exit codes and texts.
failures=0

# expect CODE TEXT COMMAND...: the exit code, and a text in standard output and error together.
expect() {
  local code=$1 text=$2
  shift 2
  "$@" > out 2>&1 < /dev/null
  local got=$?
  if [ $got -ne "$code" ] || { [ -n "$text" ] && ! grep -qF -- "$text" out; }; then
    echo "FAILED: $*"
    echo "  expected exit code $code and: $text"
    echo "  found exit code $got and:"
    sed 's/^/    /' out | head -40
    failures=$((failures + 1))
  fi
}

check() {
  if ! "$@"; then
    echo "FAILED: $*"
    failures=$((failures + 1))
  fi
}
