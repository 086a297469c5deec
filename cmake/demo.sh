#!/bin/sh
# Installs what is missing, builds hone, and tunes the tiled matrix multiplication on this machine.
. "$(dirname "$0")/setup.sh"

prepare
configure_and_build "$build" -DHONE_TESTS=OFF

say "tuning kernels_cl/matmul_tiled.json"
status=0
"$build/hone" tune "$root/kernels_cl/matmul_tiled.json" "$@" || status=$?
[ $status = 0 ] || exit $status

say "the best configuration, as options for a compiler"
"$build/hone" best "$root/kernels_cl/matmul_tiled.json" --options

cat <<END

Next:
  $build/hone devices                                   what hone can tune on here
  $build/hone tune $root/kernels_cl/matmul_register.json    the fastest of the six kernels
  $build/hone run $root/kernels_cl/matmul_tiled.json --config block_size_x=32,block_size_y=8,tile_size_y=4
  $build/hone help                                      everything else
END
