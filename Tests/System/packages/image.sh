# shellcheck shell=bash disable=SC2154  # packages.sh sets the variables
# Part of Tests/System/packages.sh: the image. The Dockerfile's build stage needs a network, so this passes its result instead.
Packaging/package --programs "$FLOW_BIN" --out "$work/built/made" image >/dev/null
store=(buildah --storage-driver vfs --root "$work/store" --runroot "$work/run")
"${store[@]}" build --quiet --isolation chroot --format docker --build-context "build=$work/built" \
  --file Packaging/Dockerfile --tag flow . >"$work/build.log" 2>&1 || { cat "$work/build.log"; fail "the image cannot be built"; }
"${store[@]}" inspect --type image flow >"$work/image.json"
mapfile -t settings < <(python3 - "$work/image.json" <<'PYTHON'
import json, sys

config = json.load(open(sys.argv[1]))["Docker"]["config"]
assert config["StopSignal"] == "SIGTERM" and set(config["ExposedPorts"]) == {"3569/tcp", "8569/tcp"}, config
assert config["Healthcheck"]["Test"][0] == "CMD", config
print(config["User"].split(":")[0])
print(" ".join(config["Healthcheck"]["Test"][1:]))
print(" ".join(config["Entrypoint"] + config["Cmd"]))
PYTHON
)
user=${settings[0]} health=${settings[1]} command=${settings[2]}
[[ $user =~ ^[1-9][0-9]*$ ]] || fail "the image runs as \"$user\", which is no number or root"
container=$("${store[@]}" from flow)
folder=$("${store[@]}" mount "$container")
size=$(du -sb "$folder" | cut -f 1)
[ "$size" -le 40000000 ] || fail "the image has $size bytes, more than 40 MB"
echo "$((size / 1024)) KiB; $health; $command"

mkdir -p "$folder/run/secrets" "$folder/proc"
mount -t proc proc "$folder/proc"
refuses() {  # ARGUMENT…: expects the server to exit and to say that it lacks tokens
  alone "$folder" "$user" /usr/bin/FlowServer "$@" >"$work/log" 2>&1 &
  local refusing=$!
  for _ in $(seq 100); do kill -0 "$refusing" 2>/dev/null || break; sleep 0.1; done
  ! kill "$refusing" 2>/dev/null || fail "a server that others reach starts without tokens: $*"
  ! wait "$refusing" || fail "a server that does not start exits with 0: $*"
  grep -qE -- '--token-file|flow-tokens' "$work/log" || { cat "$work/log"; fail "it does not say that it lacks its tokens"; }
}
# shellcheck disable=SC2086
refuses ${command#* }
refuses --listen 0.0.0.0:3569 --http off
printf '%s\n' 'looks-whether-all-is-well sub none' 'secret all' >"$folder/run/secrets/flow-tokens"
chown "$user" "$folder/run/secrets/flow-tokens"
chmod 400 "$folder/run/secrets/flow-tokens"
# shellcheck disable=SC2086
begin "$folder" "$user" "$health" $command
FLOW_TOKEN=secret chroot "$folder" /usr/bin/flowclient list
end
umount "$folder/proc"
"${store[@]}" umount "$container" >/dev/null
