#!/bin/sh
# Makes a container image without a container tool: a system of this release by debootstrap, with hone's packages and PoCL in it,
# as an OCI layout in one tar that has docker's manifest, too. Needs root and the network.
#
#   cmake/image.sh            into build-image; packages are those of HONE_PACKAGES, else of build-package, which package.sh makes
#   cmake/image.sh --try      then unpacks it again and checks the gallery's kernels there (hone selftest)
#
#   podman load -i hone-VERSION-image.tar      or docker load -i; the image is hone:VERSION
#   docker run --rm -it -v hone:/root -v "$PWD:/work" hone:VERSION tune kernel.json     with --gpus all on an NVIDIA GPU;
#                             the volume hone keeps the store and what drivers have compiled
#
# Dockerfile has the same image for those who have docker and the sources.
. "$(dirname "$0")/setup.sh"
. "$root/cmake/clean_system.sh"

extra='debootstrap:file:/usr/sbin/debootstrap'
prepare
version=$(sed -n 's/^project(hone VERSION \([0-9.]*\).*/\1/p' "$root/CMakeLists.txt")
folder=$build-image packages=${HONE_PACKAGES:-$build-package}
file=$folder/hone-$version-image.tar
ls "$packages"/hone_*.deb "$packages"/hone-kernels_*.deb >/dev/null || {
    echo "image.sh: $packages has no packages of hone: cmake/package.sh makes them" >&2
    exit 2
}
rm -rf "$folder"
mkdir -p "$folder/layout/blobs/sha256"
epoch=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct 2>/dev/null || date +%s)}

make_clean_system "$folder"
cp "$packages"/hone_*.deb "$packages"/hone-kernels_*.deb "$folder/"
as_root cp "$folder"/*.deb "$clean/packages/"
rm "$folder"/*.deb
say "hone and PoCL in it"
# NVIDIA's container runtime brings libnvidia-opencl.so.1, and no file that names it to the loader.
PATH=/usr/sbin:/usr/bin:/sbin:/bin in_clean_system sh -euc '
    apt-get update -qq
    apt-get install -y -qq --no-install-recommends /packages/*.deb ocl-icd-libopencl1 pocl-opencl-icd gcc libc6-dev
    mkdir -p /etc/OpenCL/vendors /work
    echo libnvidia-opencl.so.1 >/etc/OpenCL/vendors/nvidia.icd
    apt-get clean
    rm -rf /packages /var/lib/apt/lists/* /var/cache/apt/*.bin /var/log/* /var/cache/debconf/*-old /tmp/*
    : >/etc/machine-id' >"$folder/install.log" 2>&1 || {
    tail -n 20 "$folder/install.log"
    exit 1
}
leave_clean_system
# What was this machine's way to its packages is of no use elsewhere.
as_root rm -rf "$clean/etc/apt/apt.conf" "$clean/etc/resolv.conf"
[ ! -d "$clean/etc/apt/apt.conf.d" ] || as_root find "$clean/etc/apt/apt.conf.d" -newer "$folder/debootstrap.log" -type f -delete

say "the image"
sum() { sha256sum "$1" | cut -d' ' -f1; }
blob() { # file: moves it to where its digest says, and prints that
    digest=$(sum "$1")
    mv "$1" "$folder/layout/blobs/sha256/$digest"
    echo "$digest"
}
size() { stat -c %s "$folder/layout/blobs/sha256/$1"; }
as_root tar -C "$clean" --sort=name --numeric-owner --mtime="@$epoch" --clamp-mtime --xattrs -cf - . >"$folder/layer.tar"
diff=$(sum "$folder/layer.tar")
gzip -6n "$folder/layer.tar"
layer=$(blob "$folder/layer.tar.gz")
created=$(date -u -d "@$epoch" +%Y-%m-%dT%H:%M:%SZ)
architecture=$(dpkg --print-architecture)
cat >"$folder/config" <<END
{"created": "$created", "architecture": "$architecture", "os": "linux",
 "config": {"Env": ["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "NVIDIA_DRIVER_CAPABILITIES=compute,utility"],
            "Entrypoint": ["hone"], "Cmd": ["--help"], "WorkingDir": "/work"},
 "rootfs": {"type": "layers", "diff_ids": ["sha256:$diff"]},
 "history": [{"created": "$created", "comment": "hone $version on $PRETTY_NAME"}]}
END
config=$(blob "$folder/config")
type=application/vnd.oci.image
cat >"$folder/manifest" <<END
{"schemaVersion": 2, "mediaType": "$type.manifest.v1+json",
 "config": {"mediaType": "$type.config.v1+json", "digest": "sha256:$config", "size": $(size "$config")},
 "layers": [{"mediaType": "$type.layer.v1.tar+gzip", "digest": "sha256:$layer", "size": $(size "$layer")}]}
END
manifest=$(blob "$folder/manifest")
cat >"$folder/layout/index.json" <<END
{"schemaVersion": 2, "mediaType": "$type.index.v1+json",
 "manifests": [{"mediaType": "$type.manifest.v1+json", "digest": "sha256:$manifest", "size": $(size "$manifest"),
                "platform": {"architecture": "$architecture", "os": "linux"},
                "annotations": {"io.containerd.image.name": "docker.io/library/hone:$version", "org.opencontainers.image.ref.name": "$version"}}]}
END
printf '{"imageLayoutVersion": "1.0.0"}\n' >"$folder/layout/oci-layout"
printf '[{"Config": "blobs/sha256/%s", "RepoTags": ["hone:%s"], "Layers": ["blobs/sha256/%s"]}]\n' "$config" "$version" "$layer" \
    >"$folder/layout/manifest.json" # docker's own, of before 25
tar -C "$folder/layout" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$epoch" -cf "$file" .
rm -rf "$folder/layout"
ls -l "$file"
[ "${1:-}" = --try ] || exit 0

say "hone selftest in it"
"$root/tests/install/try_image.sh" "$file" "$folder/tried"
