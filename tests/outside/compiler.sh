#!/bin/sh
# compiler.sh FOLDER: makes the pinned gcc 12 available as FOLDER/g++, a plain C++ compiler that can
# be called from anywhere. It stands for the compiler of a vendor's machine, and contains all flags
# that this tree needs. Run it in the folder that holds external/.
set -eu
mkdir -p "$1"
folder=$(cd "$1" && pwd)
root=$PWD/external
ln -s "$root/gcc/usr/bin/x86_64-linux-gnu-as" "$folder/as"
for tool in ar nm strip objcopy objdump; do
  cat > "$folder/$tool" <<END
#!/bin/sh
export LD_LIBRARY_PATH=$root/gcc/usr/lib/x86_64-linux-gnu:$root/gcc/lib/x86_64-linux-gnu
exec $root/gcc/usr/bin/x86_64-linux-gnu-$tool "\$@"
END
done
cat > "$folder/ld.lld" <<END
#!/bin/sh
export LD_LIBRARY_PATH=$root/clang/usr/lib/x86_64-linux-gnu:$root/clang/lib/x86_64-linux-gnu
exec $root/clang/usr/lib/llvm-19/bin/ld.lld "\$@"
END
libraries=$root/sysroot_amd64/usr/lib/gcc-cross/x86_64-linux-gnu/12
sysroot=$root/sysroot_amd64/usr/x86_64-linux-gnu
cat > "$folder/g++" <<END
#!/bin/sh
export LD_LIBRARY_PATH=$root/gcc/usr/lib/x86_64-linux-gnu:$root/gcc/lib/x86_64-linux-gnu
exec $root/gcc/usr/bin/x86_64-linux-gnu-g++-12 -B $root/gcc/usr/lib/gcc/x86_64-linux-gnu/12 -B $folder \\
  -nostdinc++ -isystem $sysroot/include/c++/12 -isystem $sysroot/include/c++/12/x86_64-linux-gnu \\
  -isystem $libraries/include -isystem $sysroot/include \\
  --sysroot=$root/sysroot_amd64 -fuse-ld=lld -fno-use-linker-plugin -B$libraries -B$sysroot/lib -L$libraries -L$sysroot/lib "\$@"
END
for tool in ar nm strip objcopy objdump ld.lld g++; do chmod +x "$folder/$tool"; done
