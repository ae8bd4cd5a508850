#!/bin/sh
# release_test.sh DIST.tar.gz SDK.tar.gz MODEL PICTURE: a release in a bare folder, used with an empty
# environment as its README says. Checks its programs and the texts of its licences.
set -eu
model=$PWD/$3 picture=$PWD/$4
. tests/outside/unpack.sh
cd "$LATHE_HOME"
bare() { env -i HOME="$work" "$@"; }

for part in abseil mbedtls libjpeg-turbo libpng llvm zlib zstd ncurses opencl-headers gcc glibc; do
  test "$(wc -c < "share/lathe/licences/$part-LICENSE")" -gt 1000 || { echo "no licence of $part"; exit 1; }
  grep -q "$part-LICENSE" share/lathe/licences/README.md
done
grep -q "Apache License" share/lathe/licences/LICENSE

bare bin/lathe plugins | tee plugins.txt
grep -q "llvm 0.1.0 (found)" plugins.txt
bare bin/lathe doctor || test $? -eq 3  # 3: something is missing here, such as a GPU
# The README's program.
sed -n "/^    cat > scale/,/^    END/p" README.md | sed "s/^    //" > example.sh
sh -eu example.sh
bare bin/lathe run scale.lathe zeros:8 | tee run.txt
grep -q "1 1 1 1 1 1 1 1" run.txt
bare bin/lathe compile scale.lathe -o scale.so
bare bin/lathe run scale.so zeros:8 | grep -q "1 1 1 1 1 1 1 1"
bare bin/lathe compile scale.lathe -o alone.so --no-cache --isolate
cmp scale.so alone.so

# A model: from its file to what it says of a picture, compiled and at once.
bare bin/lathe import "$model" -o small.lathe --input picture=1x3x16x16
bare bin/lathe compile small.lathe -o small.so
for file in small.so small.lathe; do
  bare bin/lathe run $file --input "picture=$picture" --top 3 | tee $file.txt
  test "$(wc -l < $file.txt)" -eq 5
done
cmp small.so.txt small.lathe.txt
bare bin/lathe bench small.so --repeat 3 | grep -q "^median"
bare bin/lathe profile small.so --repeat 3 --html profile.html > profile.txt
bare bin/lathe view small.lathe -o view.html
for page in profile view; do grep -q '"scores"' $page.html; done

for program in server tracker proxy; do
  bare "bin/lathe-rpc-$program" --help | grep -q "usage: lathe-rpc-$program"
  test -s "share/lathe/systemd/lathe-rpc-$program.service"
done

# A program found on PATH looks for plugins beside itself, and not in the current folder: anyone
# could have put files there.
mkdir -p "$work/elsewhere/lathe/plugins"
printf 'not a plugin' > "$work/elsewhere/lathe/plugins/libplanted.so"
(cd "$work/elsewhere" && bare PATH="$LATHE_HOME/bin:$PATH" lathe plugins) > plugins.txt
cat plugins.txt
if grep -q "elsewhere" plugins.txt; then echo "the current folder was searched"; exit 1; fi
grep -q "llvm 0.1.0 (found)" plugins.txt

# Without one of its plugins, the others still work, and the error names what is missing.
for plugin in lathe_c lathe_cuda llvm opencl; do
  mv "lib/lathe/plugins/lib$plugin.so" "$work/taken.so"
  target=${plugin#lathe_}
  bare bin/lathe plugins > plugins.txt
  if grep -q "^ *$target 0.1.0" plugins.txt; then echo "$target is still there"; exit 1; fi
  test "$(grep -c "0.1.0 (found)" plugins.txt)" = 3
  if bare bin/lathe compile scale.lathe --target="$target" -o taken.so 2> error.txt; then
    echo "compiled for $target without its plugin"
    exit 1
  fi
  cat error.txt
  grep -q "error\[target-unknown-kind\]" error.txt
  if test "$plugin" != llvm; then bare bin/lathe run scale.lathe zeros:8 | grep -q "1 1 1 1 1 1 1 1"; fi
  mv "$work/taken.so" "lib/lathe/plugins/lib$plugin.so"
done
