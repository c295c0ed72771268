#!/usr/bin/env bash
# Makes the packages and uses them: installs, starts, upgrades, removes and purges the .deb on a temporary copy of this machine; runs
# the tarball with glibc and libgcc_s alone; builds the image from its Dockerfile and runs it. Needs root, and a kernel that lets it
# make namespaces and overlays.
set -euo pipefail
cd "$(dirname "$0")/../.."
[ -n "${FLOW_BIN:-}" ] || { echo "set FLOW_BIN to the folder that Scripts/programs prints" >&2; exit 64; }
fail() { echo "packages: $*" >&2; exit 1; }

# Runs this script again in new namespaces for the network, mounts and processes; all of these end with it.
if [ -z "${FLOW_WORK:-}" ]; then
  FLOW_WORK=$(mktemp -d)
  export FLOW_WORK
  trap 'rm -rf --one-file-system "$FLOW_WORK"' EXIT
  alone=(unshare --mount --net --pid --fork --kill-child --mount-proc)
  "${alone[@]}" true || fail "unshare cannot make namespaces: be root, on a machine that allows it"
  "${alone[@]}" Tests/System/packages.sh
  exit
fi
work=$FLOW_WORK

echo "-- made twice, the same"
made=$work/made
mapfile -t files < <(Packaging/package --programs "$FLOW_BIN" --out "$made")
(umask 077; TZ=Asia/Tokyo LC_ALL=C Packaging/package --programs "$FLOW_BIN" --out "$work/again" >/dev/null)
for file in "${files[@]}"; do cmp "$file" "$work/again/${file##*/}" || fail "${file##*/} differs when it is made again"; done
(cd "$made" && sha256sum --check --quiet SHA256SUMS)
deb=$(echo "$made"/*.deb) tarball=$(echo "$made"/*.tar.gz)
du --apparent-size --block-size=K "$made"/*
python3 Tests/System/packages/sbom.py "$made" docs/install.md

echo "-- lintian"
lintian --allow-root --no-cfg --fail-on error,warning "$deb"
ip link set lo up

# Runs a command in a folder as its root; replaces the subshell that calls it.
alone() {  # FOLDER USER COMMAND…
  local root=$1 user=$2
  shift 2
  exec env -i "$(command -v chroot)" --userspec "$user:$user" --groups "" "$root" "$@"
}
# Starts a command in a folder as its root, and waits until ASK, a command there, exits with 0.
server=""
begin() {  # FOLDER USER ASK COMMAND…
  local root=$1 user=$2 ask=$3
  shift 3
  alone "$root" "$user" "$@" >"$work/log" 2>&1 &
  server=$!
  for _ in $(seq 100); do
    # shellcheck disable=SC2086
    if chroot "$root" $ask >"$work/answer" 2>&1; then cat "$work/answer"; return; fi
    kill -0 "$server" 2>/dev/null || break
    sleep 0.1
  done
  cat "$work/log" "$work/answer" >&2
  fail "$* does not answer"
}
end() {
  kill -TERM "$server"
  for _ in $(seq 300); do kill -0 "$server" 2>/dev/null || break; sleep 0.1; done
  ! kill -KILL "$server" 2>/dev/null || fail "the server has not ended within 30 s after SIGTERM"
  wait "$server" || { cat "$work/log"; fail "the server ended with $?"; }
}

echo "-- the .deb"
mkdir -p "$work/machine"
mount -t tmpfs machine "$work/machine"
mkdir "$work/machine"/{upper,work,root}
mount -t overlay overlay -o "lowerdir=/,upperdir=$work/machine/upper,workdir=$work/machine/work" "$work/machine/root" ||
  fail "this kernel has no overlayfs on tmpfs: the .deb cannot be installed on a copy of this machine"
. Tests/System/packages/deb.sh

echo "-- the tarball"
small=$work/small
mkdir -p "$small/usr/local" "$small/proc"
# Swift reads a program's arguments from /proc.
mount -t proc proc "$small/proc"
tar -C "$small/usr/local" --strip-components=1 -xzf "$tarball"
ldd "$small"/usr/local/bin/* | grep -oE '/[^ ]+\.so[^ ]*' | sort -u | while read -r library; do install -D "$library" "$small$library"; done
(cd "$small" && find . -name '*.so*' | sort)
chroot "$small" /usr/local/bin/FlowServer check /usr/local/share/doc/flow/examples/server.flow
begin "$small" 65534 "/usr/local/bin/flowclient check numbers" /usr/local/bin/FlowServer demo
end

echo "-- the image"
. Tests/System/packages/image.sh
echo "the packages are as they should be"
