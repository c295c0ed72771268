# shellcheck shell=bash disable=SC2154  # packages.sh sets the variables
# Part of Tests/System/packages.sh: the life of the .deb on a copy of this machine.
root=$work/machine/root upper=$work/machine/upper
mount --bind "$made" "$root/mnt"
mount --rbind /dev "$root/dev"
mount -t proc proc "$root/proc"
mount -t tmpfs run "$root/run"
inside() { chroot "$root" env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive "$@"; }
package() { inside dpkg "$@" >"$work/dpkg" 2>&1 || { cat "$work/dpkg"; fail "dpkg $*"; }; }

# Replaces systemctl with a script that records the requests, except deb-systemd-helper's daemon-reload.
mkdir -p "$root/run/systemd/system"
rm -f "$root/usr/sbin/policy-rc.d"
printf '#!/bin/sh\n[ "$*" = daemon-reload ] || echo "$*" >>/run/asked\n' >"$root/usr/local/bin/systemctl"
chmod 755 "$root/usr/local/bin/systemctl"
asked() {  # WHAT WANTED…: expects exactly these requests since the last call
  local what=$1
  shift
  touch "$root/run/asked"
  diff <(printf '%s' "${@/%/$'\n'}") "$root/run/asked" || fail "$what makes other requests of systemd"
  : >"$root/run/asked"
}
unit=/usr/lib/systemd/system/flow.service
start() {  # [SUBJECT]: runs the command of the unit, and waits until it serves the subject
  local command
  command=$(sed -n 's/^ExecStart=//p' "$root$unit")
  # shellcheck disable=SC2086
  begin "$root" 65534 "flowclient check ${1:-}" $command
}

package --install "/mnt/${deb##*/}"
asked "the installation" "--system daemon-reload"
[ ! -e "$root/etc/systemd/system/multi-user.target.wants/flow.service" ] || fail "the service is enabled"
[ "$(inside flowclient --version)" = "$(inside FlowServer --version | sed s/FlowServer/flowclient/)" ] || fail "the programs differ in version"
inside bash -n /usr/share/bash-completion/completions/flowclient
head -n 1 "$root/usr/share/zsh/vendor-completions/_flowclient" | grep -q '^#compdef flowclient' || fail "zsh does not see the completion"
inside dpkg --verify flow-server | diff /dev/null - || fail "dpkg --verify finds differences"
start
end

# The admin enables the service and edits its file; the next version of the package ships a changed file.
echo 'SUBJECT orders' >>"$root/etc/flow/server.flow"
cp "$root/etc/flow/server.flow" "$work/edited"
ln -s "$unit" "$root/etc/systemd/system/multi-user.target.wants/flow.service"
start orders
dpkg-deb --raw-extract "$deb" "$work/next"
sed -i 's/^Version: .*/Version: 99.0.0-1/' "$work/next/DEBIAN/control"
echo '# New in 99.0.0.' >>"$work/next/etc/flow/server.flow"
dpkg-deb --root-owner-group -Zgzip -z1 --build "$work/next" "$made/next.deb" >/dev/null
package --force-confold --install /mnt/next.deb
asked "the upgrade" "--system daemon-reload" "try-restart flow.service"
cmp "$work/edited" "$root/etc/flow/server.flow" || fail "the upgrade has changed the admin's file"
[ -L "$root/etc/systemd/system/multi-user.target.wants/flow.service" ] || fail "the upgrade has disabled the service"
end
start orders
end

echo 'secret all' >"$root/etc/flow/tokens"
package --remove flow-server
asked "the removal" "stop flow.socket flow.service" "--system daemon-reload"
for gone in /usr/bin/FlowServer /usr/bin/flowclient "$unit" /usr/share/doc/flow-server; do
  [ ! -e "$root$gone" ] || fail "the removal leaves $gone"
done
cmp "$work/edited" "$root/etc/flow/server.flow" || fail "the removal changes or deletes the admin's file"

package --purge flow-server
asked "the purge"
[ "$(cat "$root/etc/flow/tokens")" = 'secret all' ] || fail "the purge deletes a file that the package does not own"

# After the purge only files of the admin, of this test, of dpkg and of man may be left.
rm -r "$root/etc/flow" "$root/usr/local/bin/systemctl"
left=$(find "$upper" ! -type d -printf './%P\n' | grep -vE '^\./(var/lib/dpkg/|var/log/|var/cache/man/|usr/sbin/policy-rc\.d$)' || true)
[ -z "$left" ] || fail "the purge leaves: $left"
while read -r folder; do
  [ -d "/$folder" ] || fail "the purge leaves the folder $folder"
done < <(cd "$upper" && find . -type d)
echo "installed, started, upgraded, removed, purged: nothing is left"
