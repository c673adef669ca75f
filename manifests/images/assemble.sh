#!/bin/sh
# assemble.sh JARS OUT RUNTIMES "JAVA OPTIONS" NAME=MAIN [NAME=MAIN ...]
#
# Lays out an image's files below OUT, in three folders that become its layers, what changes least first:
#   runtime    the JDK's modules that we use, and the C library's files that they need, as they are on this machine
#   libraries  other people's jars
#   program    our jars, and for each NAME an executable that starts MAIN (no shell is in the image, so it is the JDK's own)
# Needs Linux and a JDK 25: JAVA_HOME's, else one in /usr/lib/jvm. Does nothing when OUT was made from the same inputs. RUNTIMES keeps
# linked runtimes.
set -eu
jars=$1 out=$2 runtimes=$3 options=$4
shift 4
if ! grep -q '^JAVA_VERSION="25' "${JAVA_HOME:-/nonexistent}/release" 2>/dev/null; then
  JAVA_HOME=$(grep -l '^JAVA_VERSION="25' /usr/lib/jvm/*/release 2>/dev/null | sed 's|/release$||' | head -n 1)
  [ -n "$JAVA_HOME" ] || { echo "no JDK 25 found for the image's runtime: set JAVA_HOME" >&2; exit 1; }
fi
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)

# java.desktop stays out: what refers to it (bean annotations) lives without.
modules=java.base,java.logging,java.management,java.naming,java.net.http,java.xml,jdk.httpserver,jdk.management,jdk.unsupported

digest() { sha256sum | cut -c1-16; }
release=$(cat "$JAVA_HOME/release"; uname -m; ldd --version 2>&1 | head -n 1)
key=$({ echo "$release $modules $options $*"; cat "$here"/*; cd "$jars"; sha256sum -- *.jar; } | digest)
[ "$(cat "$out/key" 2>/dev/null || true)" = "$key" ] && exit 0
rm -rf "$out"
mkdir -p "$out/runtime" "$out/libraries/opt/plainsail/lib/app" "$out/program/opt/plainsail/lib/app"

# Both images have the same runtime, byte for byte: one layer, pulled once.
runtime=$runtimes/runtime-$(echo "$release $modules" | digest)
if [ ! -d "$runtime" ]; then
  mkdir -p "$runtimes"
  making=$(mktemp -d "$runtimes/.making-XXXXXX")
  "$JAVA_HOME/bin/jlink" --add-modules "$modules" --vm=server --no-header-files --no-man-pages --output "$making/jre"
  mv "$making/jre" "$runtime" 2>/dev/null || [ -d "$runtime" ]
  rm -rf "$making"
fi

# The executables: each has a text file beside the jars with its class path and options.
first=${1%%=*} main=${1#*=}
launchers=
for other in "$@"; do
  [ "$other" = "$first=$main" ] && continue
  echo "main-class=${other#*=}" > "$out/${other%%=*}.properties"
  launchers="$launchers --add-launcher ${other%%=*}=$out/${other%%=*}.properties"
done
ours=$(cd "$jars" && ls | grep -E '^(webhook|epp|dra|certs)-[0-9].*\.jar$')
jar=$(echo "$ours" | grep -E '^(webhook|epp)-')
# shellcheck disable=SC2086
"$JAVA_HOME/bin/jpackage" --type app-image --dest "$out/made" --name "$first" --runtime-image "$runtime" --input "$jars" \
  --main-jar "$jar" --main-class "$main" $launchers \
  --java-options "$options -Dstdout.encoding=UTF-8 -Dstderr.encoding=UTF-8"
made=$out/made/$first
rm -f "$made"/lib/*.png "$made/lib/app/.jpackage.xml"

mkdir -p "$out/runtime/opt/plainsail/lib"
mv "$made/lib/runtime" "$out/runtime/opt/plainsail/lib/runtime"
for file in $ours; do mv "$made/lib/app/$file" "$out/program/opt/plainsail/lib/app/"; done
mv "$made/lib/app/"*.jar "$out/libraries/opt/plainsail/lib/app/"
mv "$made/lib/app/"*.cfg "$out/program/opt/plainsail/lib/app/"
mv "$made/lib/libapplauncher.so" "$out/program/opt/plainsail/lib/"
mv "$made/bin" "$out/program/opt/plainsail/bin"
rm -rf "$out/made" "$out"/*.properties

# The C library's files that the loader of this machine finds for the runtime; and what native code inside jars wants besides.
needs() { # needs FILE...: the files that these load
  for file in "$@"; do
    ldd "$file" 2>/dev/null | sed -n 's/.* => \(\/[^ ]*\) .*/\1/p; s/^\t\(\/[^ ]*\) (.*/\1/p'
  done | grep -v "^$out" | sort -u
}
add() { # add LAYER: copies the files named on standard input, unless the runtime has them
  while read -r file; do
    [ -e "$out/runtime$file" ] && continue
    mkdir -p "$out/$1$(dirname "$file")"
    cp -L "$file" "$out/$1$file"
  done
}
java=$out/runtime/opt/plainsail/lib/runtime
needs "$java"/bin/java "$java"/lib/*.so "$java"/lib/server/*.so "$out"/program/opt/plainsail/bin/* | add runtime
native=$(mktemp -d)
for file in $(grep -lF META-INF/native/ "$out"/libraries/opt/plainsail/lib/app/*.jar || true); do
  (cd "$native" && "$JAVA_HOME/bin/jar" xf "$file" META-INF/native)
done
find "$native" -name "*linux_$(uname -m | sed 's/aarch64/aarch_64/').so" > "$out/native"
while read -r file; do needs "$file" | add libraries; done < "$out/native"
rm -rf "$native" "$out/native"
mkdir -p "$out/runtime/etc" "$out/runtime/tmp"
echo 'hosts: files dns' > "$out/runtime/etc/nsswitch.conf"
echo 'plainsail:x:65532:65532:Plainsail:/tmp:/nologin' > "$out/runtime/etc/passwd"
echo 'plainsail:x:65532:' > "$out/runtime/etc/group"
echo "$release" > "$out/runtime/etc/plainsail-runtime"

# The cache from which the JVM starts, classes loaded and linked: made by the very runtime and jars of the image in a rehearsal of the
# program. A JVM takes it only for the jars that it saw, by name, order, size and time, hence the time that jib gives every file. Without a
# cache the program starts as well, but later; so a rehearsal that fails costs time at the start, not the image.
find "$out/runtime" "$out/libraries" "$out/program" -type f -exec touch -d @1 {} +
whole=$out/whole
mkdir "$whole"
for layer in runtime libraries program; do cp -al "$out/$layer/." "$whole/"; done
if "$JAVA_HOME/bin/java" "$here/Rehearsal.java" "${first#plainsail-}" "$out/rehearsal.log" "-XX:AOTCacheOutput=$out/plainsail.aot" \
  "$whole/opt/plainsail/bin/$first" && [ -s "$out/plainsail.aot" ]; then
  mv "$out/plainsail.aot" "$out/program/opt/plainsail/lib/app/plainsail.aot"
  for file in "$out"/program/opt/plainsail/lib/app/*.cfg; do
    echo 'java-options=-XX:AOTCache=$APPDIR/plainsail.aot' >> "$file"
  done
  chmod 644 "$out/program/opt/plainsail/lib/app/plainsail.aot"
else
  echo "$first starts without an AOT cache: its rehearsal failed, see $out/rehearsal.log" >&2
fi
rm -rf "$whole"

echo "$key" > "$out/key"
