#!/bin/bash
# hone capture, check, tune and hone with on CUDA programs, on a machine with a card. Programs that cannot be built or run here are
# named and left out.
#
#   tests/bench/capture_cuda.sh BUILD FOLDER see|loop [PROGRAM...]     driver graph reached runtime symbols cupy cupy_raw torch torch_graph triton
#   tests/bench/capture_cuda.sh BUILD FOLDER cost                      what a launch costs: without, captured, replaced
set -u
build=$(realpath "$1") folder=$2 what=${3-loop}
shift 3
programs=${*:-cupy_raw triton graph reached runtime symbols torch_graph driver cupy torch}
hone=$build/hone here=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$folder"
cd "$folder" || exit 1
export CUPY_CACHE_IN_MEMORY=1 TRITON_CACHE_DIR=$PWD/triton_cache

build_driver() {
  [ -x driver.bin ] ||
    cc -O2 -std=gnu11 -I"$here/../src" -I"$here/../src/core" "$here/capture/capture_cuda.c" -o driver.bin -ldl >&2
}

has() {
  python3 -c "import importlib.util as u; exit(not u.find_spec('$1'))"
}

# The command of a program, built; empty: it cannot run here.
command_of() {
  case $1 in
  driver) build_driver && echo "./driver.bin add 4194304 40000" ;;
  graph | graph_changed | reached | stale | symbol) build_driver && echo "./driver.bin $1" ;;
  runtime)
    nvcc -O2 -cudart static "$here/capture/programs/cuda_runtime.cu" -o runtime.bin >&2 && echo "./runtime.bin 4194304 20000"
    ;;
  symbols)
    nvcc -O2 -cudart static "$here/capture/programs/cuda_symbols.cu" -o symbols.bin >&2 && echo "./symbols.bin"
    ;;
  cupy) has cupy && echo "python3 $here/capture/programs/cupy_arrays.py 2048 200" ;;
  cupy_raw) has cupy && echo "python3 $here/capture/programs/cupy_raw.py 2500 2048" ;;
  torch) has triton && echo "python3 $here/capture/programs/torch_triton.py" ;;
  torch_graph) has triton && echo "python3 $here/capture/programs/torch_graph.py" ;;
  triton) has triton && echo "python3 $here/capture/programs/triton_rows.py 20000" ;;
  esac
}

# Where the text of a program's kernels is that it has compiled.
source_of() {
  case $1 in
  runtime) echo "--source $here/capture/programs/cuda_runtime_kernel.cu" ;;
  symbols) echo "--source $here/capture/programs/cuda_symbols_kernel.cu" ;;
  triton) echo "--source $here/capture/programs/triton_rows.cu" ;;
  esac
}

# Milliseconds of a command.
ms_of() {
  local from=$(date +%s%N)
  "$@" >ms.out 2>&1 || cat ms.out >&2
  echo $((($(date +%s%N) - from) / 1000000))
}

# A million launches of 256 threads, less what one launch takes.
if [ "$what" = cost ]; then
  command_of driver >/dev/null
  rm -rf small
  "$hone" capture -o small -- ./driver.bin add 256 8 | tail -2
  "$hone" tune small/add.json --budget 2 >/dev/null 2>&1
  "$hone" deploy --for-program small -o small.hone
  for n in 1 1000000 1 1000000; do
    rm -rf none
    echo "$n launches: $(ms_of ./driver.bin add 256 $n) ms without," \
      "$(ms_of "$hone" capture -o none --kernel none -- ./driver.bin add 256 $n) ms captured," \
      "$(ms_of "$hone" with small.hone -- ./driver.bin add 256 $n) ms replaced"
  done
  cat ms.out
  exit
fi

for program in $programs; do
  command=$(command_of "$program")
  echo "== $program: ${command:-cannot be built or run here}"
  [ -n "$command" ] || continue
  rm -rf "$program"
  started=$(date +%s%N)
  plain=$($command 2>plain.err) || cat plain.err
  between=$(date +%s%N)
  verify=${VERIFY-0.1%}
  case $program in cupy*) verify=${VERIFY-2%} ;; esac
  timeout 60 "$hone" capture -o "$program" $(source_of "$program") -- $command >"$program.out" 2>"$program.err"
  echo "status $?, $(((between - started) / 1000000)) ms without, $((($(date +%s%N) - between) / 1000000)) ms captured and replayed"
  grep -qxF -- "$plain" "$program.out" && echo "output: the same ($plain)" || echo "OUTPUT: another: $plain"
  cat "$program.out" "$program.err"
  if [ "$what" = see ]; then
    cut -c1-700 "$program/log" | head -40
    du -sh "$program"
    continue
  fi
  for spec in $(sed -nE 's/^ *[0-9.]+ % .* ([A-Za-z0-9_.]+): tunes .*/\1/p' "$program.out"); do
    echo "-- $spec"
    "$hone" check "$program/$spec.json" --sample 8 2>&1 | tail -4
    "$hone" tune "$program/$spec.json" --budget "${SECONDS_A_KERNEL:-4}s" 2>&1 | grep -E '^Speed-up|^Best|^error' || :
  done
  "$hone" deploy --for-program "$program" -o "$program.hone" || continue
  "$hone" with "$program.hone" --verify "$verify" -- $command
  "$hone" with "$program.hone" --repeats "${TURNS:-5}" -- $command
done
