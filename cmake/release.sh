#!/bin/sh
# Makes a release of what is committed, whole or not at all, into build-release/hone-VERSION:
#
#   HONE=https://example.org/hone cmake/release.sh     the project's address, for links of the wheel's README
#
#   hone-VERSION.tar.gz                source, of the commit, the same bytes for the same commit
#   hone_*.deb, libhone*.deb, ...      Debian's packages of this system (package.sh)
#   hone_tuner-VERSION-*.whl, .tar.gz  Python's; the wheel's name says the oldest glibc that it runs with (wheel.sh)
#   hone-VERSION-image.tar             a container image, for podman load or docker load (image.sh; needs root)
#   SHA256SUMS                         of all of them
#
# All are built from the source archive. A tree with changes that are not committed is refused.
. "$(dirname "$0")/setup.sh"

cd "$root"
version=$(sed -n 's/^project(hone VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
name=hone-$version
[ -n "${HONE:-}" ] || {
    echo "release.sh: HONE=ADDRESS is missing: the project's address, which links in the wheel's README are made absolute by" >&2
    exit 2
}
[ -z "$(git status --porcelain --untracked-files=no)" ] || {
    echo "release.sh: there are changes that are not committed; a release is made of a commit" >&2
    exit 2
}
grep -q "^## $version\$" src/doc/CHANGELOG.md || {
    echo "release.sh: src/doc/CHANGELOG.md has no section '## $version'" >&2
    exit 2
}
folder=$root/build-release made=$root/build-release/made
rm -rf "$folder"
mkdir -p "$made"

say "the source of $(git rev-parse --short HEAD)"
git archive --prefix="$name/" HEAD | gzip -9n >"$made/$name.tar.gz"
tar -xzf "$made/$name.tar.gz" -C "$folder"
source=$folder/$name

HONE_BUILD=$folder/deb "$source/cmake/package.sh"
cp "$folder"/deb-package/*.deb "$made/"

HONE_BUILD=$folder/python "$source/cmake/wheel.sh"
cp "$folder"/python-wheel/dist/* "$made/"

HONE_BUILD=$folder/container HONE_PACKAGES=$made SOURCE_DATE_EPOCH=$(git log -1 --format=%ct) "$source/cmake/image.sh"
mv "$folder/container-image/$name-image.tar" "$made/"

say "checksums"
(cd "$made" && sha256sum -- * >"$folder/SHA256SUMS" && mv "$folder/SHA256SUMS" . && sha256sum -c --quiet SHA256SUMS)
mv "$made" "$root/build-release/$name.made"
rm -rf "$source" && mv "$root/build-release/$name.made" "$root/build-release/$name"
ls -l "$root/build-release/$name"
