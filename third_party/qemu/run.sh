#!/bin/bash
# usage: run.sh PROGRAM ARGS...
# Runs a program of another target under the pinned emulator, and anything else (a script, a
# program of this machine) as it is.
set -u
if [ "$(head -c4 "$1" | od -An -tx1 | tr -d ' ')" != 7f454c46 ]; then
  exec "$@"
fi
# Byte 18 of an ELF file names the machine.
case $(od -An -tu2 -j18 -N2 "$1" | tr -d ' ') in
  183) emulator=aarch64 sysroot=sysroot_arm64/usr/aarch64-linux-gnu ;;
  40) emulator=arm sysroot=sysroot_armhf/usr/arm-linux-gnueabihf ;;
  243) emulator=riscv64 sysroot=sysroot_riscv64/usr/riscv64-linux-gnu ;;
  *) exec "$@" ;;
esac
for root in "${RUNFILES_DIR:-}" "${TEST_SRCDIR:-}" "$0.runfiles"; do
  if [ -x "$root/qemu/usr/bin/qemu-$emulator-static" ]; then
    exec "$root/qemu/usr/bin/qemu-$emulator-static" -L "$root/$sysroot" "$@"
  fi
done
echo "run.sh: qemu-$emulator-static is not in the runfiles" >&2
exit 1
