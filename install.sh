#!/bin/sh
# Installs a release of Posetta: the program, its manual pages and its completions.
#
#   sh install.sh --from RELEASE [--prefix DIR] [--target NAME]
#
# RELEASE is where the archive and SHA256SUMS of a release are: a directory, or an address (file://, https://).
# Nothing is unpacked before its checksum was compared.
set -eu

say() { echo "install.sh: $*" >&2; }
fail() { say "$*"; exit 1; }

from=${POSETTA_RELEASE:-}
prefix=${HOME:-}/.local
target=
while [ $# -gt 0 ]; do
    case $1 in
        --from | --prefix | --target)
            [ $# -ge 2 ] || fail "$1 needs a value"
            case $1 in
                --from) from=$2 ;;
                --prefix) prefix=$2 ;;
                --target) target=$2 ;;
            esac
            shift 2
            ;;
        -h | --help)
            sed -n '2,7s/^# \{0,1\}//p' "$0"
            exit 0
            ;;
        *) fail "unknown argument $1 (--help lists them)" ;;
    esac
done
[ -n "$from" ] || fail "where is the release? say --from DIRECTORY or --from ADDRESS, or set POSETTA_RELEASE"
case $from in
    file://* | https://*) ;;
    *://*) fail "only file:// and https:// are fetched: $from" ;;
esac
case $prefix in
    /*) ;;
    *) fail "--prefix must be an absolute path: $prefix" ;;
esac

# The name that builds have for this machine.
if [ -z "$target" ]; then
    case $(uname -m) in
        x86_64 | amd64) machine=x86_64 ;;
        aarch64 | arm64) machine=aarch64 ;;
        *) fail "no build for the processor $(uname -m); build from source: cargo install --path crates/posetta-cli" ;;
    esac
    case $(uname -s) in
        Linux) target=$machine-unknown-linux-gnu ;;
        Darwin) target=$machine-apple-darwin ;;
        *) fail "no build for the system $(uname -s); build from source: cargo install --path crates/posetta-cli" ;;
    esac
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# fetch NAME: puts a file of the release into the work directory.
fetch() {
    case $from in
        file://*) cp "${from#file://}/$1" "$work/$1" ;;
        https://*)
            if command -v curl >/dev/null; then
                curl --proto '=https' --tlsv1.2 -fsSL -o "$work/$1" "$from/$1"
            elif command -v wget >/dev/null; then
                wget -q -O "$work/$1" "$from/$1"
            else
                fail "curl or wget is needed to fetch $from"
            fi
            ;;
        *) cp "$from/$1" "$work/$1" ;;
    esac
}

fetch SHA256SUMS 2>/dev/null || fail "no SHA256SUMS in $from"
# The one archive for this machine. A name with a slash would lead elsewhere.
line=$(grep -E "^[0-9a-f]{64}  posetta-[0-9A-Za-z.+-]+-$target\.tar\.gz\$" "$work/SHA256SUMS" || true)
[ -n "$line" ] || fail "no build for $target in $from"
[ "$(printf '%s\n' "$line" | wc -l)" -eq 1 ] || fail "several builds for $target in $from; name one release"
archive=${line#*  }
fetch "$archive" || fail "cannot fetch $archive from $from"

if command -v sha256sum >/dev/null; then
    actual=$(sha256sum "$work/$archive" | cut -d ' ' -f 1)
elif command -v shasum >/dev/null; then
    actual=$(shasum -a 256 "$work/$archive" | cut -d ' ' -f 1)
else
    fail "sha256sum or shasum is needed to compare checksums"
fi
[ "$actual" = "${line%% *}" ] || fail "$archive has another checksum than SHA256SUMS says; nothing is installed"

name=${archive%.tar.gz}
tar -C "$work" -xzf "$work/$archive" || fail "cannot unpack $archive"
[ -f "$work/$name/bin/posetta" ] || fail "$archive holds no bin/posetta"
"$work/$name/bin/posetta" --version >/dev/null || fail "the program does not run on this machine; build from source"

mkdir -p "$prefix/bin"
(cd "$work/$name" && find share -type d) | while read -r directory; do mkdir -p "$prefix/$directory"; done
(cd "$work/$name" && find share -type f) | while read -r file; do cp "$work/$name/$file" "$prefix/$file"; done
# A program that runs is not written over: the new one takes its place.
cp "$work/$name/bin/posetta" "$prefix/bin/.posetta.new"
chmod 755 "$prefix/bin/.posetta.new"
mv -f "$prefix/bin/.posetta.new" "$prefix/bin/posetta"

echo "installed $("$prefix/bin/posetta" --version) as $prefix/bin/posetta"
case ":${PATH:-}:" in
    *":$prefix/bin:"*) ;;
    *) echo "$prefix/bin is not on your PATH" ;;
esac
