#!/bin/sh
# try_image.sh IMAGE.tar SCRATCH: reads an image (cmake/image.sh --try) by its index as a container tool does, checks each
# blob's digest and size, and starts what it says as a container tool would, in a chroot: hone selftest, on PoCL. Needs root.
set -eu
image=$1 scratch=$2
rm -rf "$scratch"
mkdir -p "$scratch/layout" "$scratch/root"
tar -C "$scratch/layout" -xf "$image"
python3 - "$scratch/layout" >"$scratch/found" <<'END'
import hashlib, json, pathlib, sys
layout = pathlib.Path(sys.argv[1])
def blob(d):
    path = layout / "blobs" / d["digest"].replace(":", "/")
    read = path.read_bytes()
    assert len(read) == d["size"] and "sha256:" + hashlib.sha256(read).hexdigest() == d["digest"], d
    return path
assert json.loads((layout / "oci-layout").read_text()) == {"imageLayoutVersion": "1.0.0"}
(index,) = json.loads((layout / "index.json").read_text())["manifests"]
manifest = json.loads(blob(index).read_text())
config = json.loads(blob(manifest["config"]).read_text())
(docker,) = json.loads((layout / "manifest.json").read_text())
(layer,) = [blob(d) for d in manifest["layers"]]
assert [layout / p for p in docker["Layers"]] == [layer] and layout / docker["Config"] == blob(manifest["config"])
print(layer, config["rootfs"]["diff_ids"][0].split(":")[1], *config["config"]["Entrypoint"])
END
read -r layer diff entry <"$scratch/found"
[ "$(gzip -dc "$layer" | sha256sum | cut -d' ' -f1)" = "$diff" ] || {
    echo "failed: the layer is not that of the configuration"
    exit 1
}
echo "passed: each blob is what its digest says"
! command -v skopeo >/dev/null || skopeo inspect "oci-archive:$image" >"$scratch/inspected"
! command -v skopeo >/dev/null || skopeo inspect "docker-archive:$image" >>"$scratch/inspected"
gzip -dc "$layer" | tar -C "$scratch/root" -xf -
rm -rf "$scratch/layout"
mount -t proc proc "$scratch/root/proc"
mount -o bind,ro /sys "$scratch/root/sys"
trap 'umount "$scratch/root/proc" "$scratch/root/sys"' EXIT
# shellcheck disable=SC2016 # $0 is the entry
chroot "$scratch/root" env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root sh -ec 'cd /work && "$0" version && "$0" selftest -o selftest.json' "$entry"
echo "passed: selftest"
