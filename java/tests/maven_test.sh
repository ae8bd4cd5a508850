#!/bin/bash
# maven_test.sh MAVEN.tar JAR COMPILE_H: the folder has what Maven looks for, and nothing else.
set -eu
tar=$1 jar=$2 header=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
tar -C "$folder" -xf "$tar"
version=$(sed -n 's/.*kVersion = "\(.*\)";/\1/p' "$header")
place=$folder/dev/lathe/lathe/$version
expected="lathe-$version.jar lathe-$version.jar.md5 lathe-$version.jar.sha1 lathe-$version.pom lathe-$version.pom.md5 lathe-$version.pom.sha1"
found=$(cd "$place" && LC_ALL=C ls | tr '\n' ' ')
[ "$found" = "$expected " ] || { echo "found $found"; exit 1; }
cmp "$place/lathe-$version.jar" "$jar"
for part in jar pom; do
  file=$place/lathe-$version.$part
  [ "$(cat "$file.sha1")" = "$(sha1sum < "$file" | cut -d' ' -f1)" ]
  [ "$(cat "$file.md5")" = "$(md5sum < "$file" | cut -d' ' -f1)" ]
done
grep -q "<version>$version</version>" "$place/lathe-$version.pom"
