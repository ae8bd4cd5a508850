#!/bin/sh
# gcc_tools.sh FOLDER: puts the pinned assembler and linker into FOLDER under the plain names that
# gcc looks for.
set -eu
mkdir "$1"
ln -s "$PWD/external/gcc/usr/bin/x86_64-linux-gnu-as" "$1/as"
cat > "$1/ld.lld" <<END
#!/bin/sh
export LD_LIBRARY_PATH=$PWD/external/clang/usr/lib/x86_64-linux-gnu:$PWD/external/clang/lib/x86_64-linux-gnu
exec $PWD/external/clang/usr/lib/llvm-19/bin/ld.lld "\$@"
END
chmod +x "$1/ld.lld"
