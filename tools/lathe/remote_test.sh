#!/bin/bash
# Other machines on the command line: `lathe remote` and `lathe board`, with servers of this machine.
set -u
root=$PWD
lathe=$root/$1
worker=$root/$2
small=$root/$3
programs=$root/examples/programs
work=$TEST_TMPDIR/work
mkdir -p "$work"
cd "$work" || exit 1
export LATHE_CACHE_DIR=$TEST_TMPDIR/cache
. "$root/tools/lathe/expect.sh"

# -- remote.
for part in serve tracker proxy ls run shell; do
  expect 0 "usage: lathe remote $part" "$lathe" remote $part --help
  expect 2 "--no-such-option" "$lathe" remote $part --no-such-option
done
expect 2 "serve, tracker, proxy, ls, run, shell or keygen" "$lathe" remote
expect 2 "there is no \`lathe remote seve\`" "$lathe" remote seve
expect 2 "error[cli-argument-count]" "$lathe" remote keygen
expect 0 "holds a new secret" "$lathe" remote keygen secret
expect 3 "error[rpc-secret-file]" "$lathe" remote keygen secret  # never replaced
check grep -q "secret exists: it is not replaced" out
check grep -q "^  help: name a new file, or remove it" out
for name in --force - -5; do
  expect 2 "error[cli-unknown-option]" "$lathe" remote keygen $name
  check test ! -e "./$name"
done
# On a disk without room no part of a secret stays.
full() { (ulimit -f 0; exec "$@" 2>&1) | cat; return "${PIPESTATUS[0]}"; }
expect 3 "never cannot be written: File too large" full "$lathe" remote keygen never
check test ! -e never
# Help of the commands that have parts, however it is asked for.
for part in remote board "remote keygen" "board run"; do
  expect 0 "usage: lathe $part" "$lathe" $part -h
  expect 0 "usage: lathe $part" "$lathe" $part --help --color never
done
expect 0 "usage: lathe board" "$lathe" board ls --help
expect 2 "error[cli-unknown-option]" "$lathe" remote --no-such-option
expect 2 "needs to know what to do" "$lathe" remote --color never
expect 2 "error[cli-bad-value]" "$lathe" board --color blue
expect 0 "rk3399" "$lathe" board --color=never ls
expect 0 "llvm -mtriple=aarch64" "$lathe" board target rpi4 --color never
expect 2 "\`lathe board run\` has no option \`--no\`" "$lathe" board --color never run rk3399 add.lathe --no
# Exit codes of what runs until Ctrl-C.
echo hunter2 > bad_secret
chmod 600 bad_secret
for part in serve tracker proxy; do
  expect 2 "[rpc-insecure]" "$lathe" remote $part --port 0 --host 0.0.0.0
  expect 3 "[rpc-log-file]" "$lathe" remote $part --port 0 --log-file /none/log
  expect 3 "[rpc-secret-file]" "$lathe" remote $part --port 0 --secret-file bad_secret
  check grep -q "^  help: \`lathe remote keygen FILE\`" out
done
expect 3 "error[rpc-unreachable]" "$lathe" remote ls --tracker 127.0.0.1:1

# Starts a part in the background; its port.
background() {
  : > listening  # not what the one before said
  "$lathe" remote "$@" --port 0 --secret-file secret >> listening 2>&1 &
  started="$started $!"
  for _ in $(seq 600); do
    port=$(sed -n 's/^listening on 127.0.0.1:\([0-9]*\)$/\1/p' listening)
    [ -n "$port" ] && return
    sleep 0.1
  done
  echo "FAILED: $* does not listen"
  cat listening
  failures=$((failures + 1))
}
started=
background tracker
tracker=127.0.0.1:$port
expect 0 "no devices, and nobody waits" "$lathe" remote ls --tracker "$tracker" --secret-file secret
background serve --tracker "$tracker" --key rk3399
for _ in $(seq 600); do
  "$lathe" remote ls --tracker "$tracker" --secret-file secret > out
  grep -q free out && break
  sleep 0.1
done
expect 0 "rk3399               127.0.0.1:$port" "$lathe" remote ls --tracker "$tracker" --secret-file secret
expect 0 '"key": "rk3399"' "$lathe" remote ls --tracker "$tracker" --secret-file secret --json
expect 3 "error[rpc-secret]" "$lathe" remote ls --tracker "$tracker"
expect 2 "expected one of them, found both" "$lathe" remote ls --tracker "$tracker" --host "$tracker"
expect 2 "two ways to a device" "$lathe" remote shell --tracker "$tracker" --host "$tracker"
expect 0 "usage: lathe remote run ARTEFACT" "$lathe" help remote run
expect 0 "a tracker lends this device" "$lathe" help remote serve
# The server by itself: also while the tracker lends it.
expect 0 "session    none: it is free" "$lathe" remote ls --host "127.0.0.1:$port" --secret-file secret
expect 0 '"crashes_ever"' "$lathe" remote ls --host "127.0.0.1:$port" --secret-file secret --json
expect 3 "error[rpc-secret]" "$lathe" remote ls --host "127.0.0.1:$port"
# A kernel on the lent device, and directly on a server.
expect 0 "" "$lathe" compile "$programs/vector_add.lathe" -o add.tar
export LATHE_REMOTE_SECRET_FILE=$PWD/secret
expect 0 "C: float32[100]" "$lathe" remote run add.tar random:100 random --tracker "$tracker" --key rk3399
background serve --key other
expect 0 "time: median" "$lathe" remote run add.tar random:100 random --host "127.0.0.1:$port" --time
expect 0 "" "$lathe" remote run add.tar random:16 random --host "127.0.0.1:$port" --out there.npy
expect 0 "" "$lathe" remote run add.tar vector_add there.npy there.npy --host "127.0.0.1:$port" --out there.npy
expect 3 "error[rpc-no-device]" "$lathe" remote run add.tar random:8 random --host "127.0.0.1:$port" --key none
expect 1 "error[run-argument-count]" "$lathe" remote run add.tar random:8 --host "127.0.0.1:$port"
expect 2 "expected: HOST:PORT" "$lathe" remote run add.tar random:8 random --host nowhere
# Models: inputs by name, several outputs, and what fits no model.
expect 0 "" "$lathe" compile "$small" -o small.tar --input picture=1x3x16x16
expect 0 "time: median" "$lathe" remote run small.tar --input picture=random --host "127.0.0.1:$port" --time
expect 0 "" "$lathe" run small.tar --input picture=random --out here.npy
expect 0 "" "$lathe" remote run small.tar --input picture=random --host "127.0.0.1:$port" --out far.npy
check cmp here.npy far.npy
expect 1 "error[run-input-missing]" "$lathe" remote run small.tar --host "127.0.0.1:$port"
expect 1 "error[model-plan]" "$lathe" remote run small.tar --function none --host "127.0.0.1:$port"
expect 2 "its inputs have names" "$lathe" remote run small.tar random --host "127.0.0.1:$port"
expect 2 "is for models" "$lathe" remote run add.tar --input a=random --host "127.0.0.1:$port"

# -- remote shell.
shell() { "$lathe" remote shell --host "127.0.0.1:$port" "$@"; }
expect 0 "C: float32[8]" shell -c "run add.tar random:8 random" -c ls
expect 0 "a b" shell -c "put add.tar 'a b'" -c ls -c "get 'a b' back.tar" -c "rm 'a b'"
check cmp add.tar back.tar
expect 0 "cpu(0)" shell -c devices -c machine -c quit -c nonsense
expect 0 "uploads a file" shell -c help
expect 2 "error[cli-unknown-command]" shell -c nonsense -c ls
expect 2 "error[cli-argument-count]" shell -c "put"
expect 2 "a quotation has no end" shell -c "put 'x"
expect 3 "error[session-file-missing]" shell -c "get none"
script() { printf '# by lines\n\nput add.tar\nls\n' | shell; }
expect 0 "add.tar" script

# -- remote ls, of a server with a session, with a crash behind it, and of a proxy.
shell -c machine > /dev/null
expect 0 "last end   session" "$lathe" remote ls --host "127.0.0.1:$port"
sleep 60 | shell > /dev/null 2>&1 &
asleep=$!
for _ in $(seq 600); do
  "$lathe" remote ls --host "127.0.0.1:$port" > out
  grep -q "open, from" out && break
  sleep 0.1
done
check grep -q "open, from 127.0.0.1" out
kill $asleep
background serve --key broken --worker /bin/false
expect 3 "error[session-crashed]" shell -c ls
# The next worker was started meanwhile, and has ended, too.
for _ in $(seq 600); do
  "$lathe" remote ls --host "127.0.0.1:$port" > out 2>&1 || break
  sleep 0.1
done
expect 3 "1 sessions, 1 crashes" "$lathe" remote ls --host "127.0.0.1:$port"
background proxy
proxy=127.0.0.1:$port
expect 0 "devices    none" "$lathe" remote ls --host "$proxy"
"$lathe" remote serve --proxy "$proxy" --key phone > dialled 2>&1 &
started="$started $!"
for _ in $(seq 600); do
  "$lathe" remote ls --host "$proxy" > out
  grep -q "phone: 1 free" out && break
  sleep 0.1
done
check grep -q "phone: 1 free, 0 with clients" out
expect 0 '"healthy"' "$lathe" remote ls --host "$proxy" --json
# A log that is rotated while sessions come and go: no line is lost, and each has its time.
background serve --key logged --log-file log
for i in 1 2 3 4 5 6; do
  shell -c machine > /dev/null
  [ $i -eq 3 ] && mv log log.1
done
check test "$(cat log.1 log | grep -c 'session [0-9]*: begins')" = 6
check test -s log
expect 1 "" grep -vE '^20[0-9]{2}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]Z ' log
expect 3 "[rpc-port]" "$lathe" remote serve --port "$port" --port-end "$port"
# A server whose tracker is not there says so.
background serve --key alone --tracker 127.0.0.1:1
expect 3 "error[remote-unhealthy]" "$lathe" remote ls --host "127.0.0.1:$port"
unset LATHE_REMOTE_SECRET_FILE
kill $started
wait $started

# -- board.
expect 0 "rk3399     aarch64" "$lathe" board ls
expect 0 "llvm -mtriple=aarch64-linux-gnu -mcpu=cortex-a72" "$lathe" board target rpi4
expect 0 "usage: lathe board run" "$lathe" board run --help
expect 2 "perhaps \`rk3399\`" "$lathe" board target rk3398
expect 2 "error[cli-unknown-board]" "$lathe" board run nothing add.lathe
expect 2 "error[cli-unknown-command]" "$lathe" board
expect 2 "error[cli-unknown-command]" "$lathe" board walk
expect 2 "error[cli-no-board]" "$lathe" board run rk3399 "$programs/vector_add.lathe"
expect 2 "error[cli-argument-count]" "$lathe" board run rk3399
expect 3 "there is no worker" "$lathe" board run x86_64 "$programs/vector_add.lathe" --worker none
expect 3 "error[session-crashed]" "$lathe" board run x86_64 "$programs/vector_add.lathe" --worker /bin/false
expect 3 "error[rpc-unreachable]" "$lathe" board run x86_64 "$programs/vector_add.lathe" --host 127.0.0.1:1
check grep -q "^  help:" out
# A program that is not there needs no board, nor does a model.
expect 3 "cannot read \`nosuch.lathe\`" "$lathe" board run x86_64 nosuch.lathe --host 127.0.0.1:1
expect 3 "nosuch.onnx" "$lathe" board run x86_64 nosuch.onnx --host 127.0.0.1:1
# This machine as its own board, with and without a launcher.
this() { local program=$1; shift; "$lathe" board run x86_64 "$program" "$@" --worker "$worker"; }
expect 0 "results: equal to the interpreter's" this "$programs/gemm_tiled.lathe" random random
expect 0 "time: median" this "$programs/vector_add.lathe" random:8 random --launcher "env A=b" --repeat 3 --no-check
expect 0 "results: equal to those of this machine" this "$small" --input picture=random:1x3x16x16
expect 2 "its inputs have names" this "$small" random
# A kernel for another machine is refused, and so is a result that is not the interpreter's.
expect 3 "error[artifact-machine]" this "$programs/vector_add.lathe" random:8 random --target "llvm -mtriple=aarch64-linux-gnu"
cat > halves.lathe <<'END'
program halves {
  placeholder A: float32[64]
  compute B[i in range(64)] = exp(A[i])
  args [A, B]
}
END
expect 1 "error[board-differs]" this halves.lathe random --tolerance 0

[ $failures -eq 0 ] || { echo "$failures failed"; exit 1; }
echo "all passed"
