#!/usr/bin/env python3
"""A spec for the kernels of the benchmark hub's gemm_milo, from its T1 file, on standard output.

    foreign_gemm.py gemm_milo.json FOLDER

The file names the arguments of another benchmark, one of the five texts that the kernel is made of, and a work-group
of parameters that it does not have: hone says so. Its parameters and restrictions are right and are taken as they are;
FOLDER, where the kernel's texts are, is named in the spec, so that nothing of others is copied or edited.
"""
import json
import os
import sys

PARTS = ["cl_to_cuda.h", "common.opencl", "xgemm_part1.opencl", "xgemm_part2.opencl", "xgemm_part3.opencl",
         "xgemm_part4.opencl"]


def scalar(name, kind, value):
    return {"Name": name, "Type": kind, "MemoryType": "Scalar", "FillValue": value}


def matrix(name, access, **more):
    return {"Name": name, "Type": "float", "MemoryType": "Vector", "AccessType": access, "Size": "N * N", **more}


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        spec = json.load(file)
    folder = os.path.abspath(sys.argv[2])
    spec["Constants"] = {"N": spec["KernelSpecification"]["ProblemSize"][0]}
    random = {"FillType": "Random", "FillValue": 1.0}
    spec["KernelSpecification"] = {
        "Language": "CUDA",
        "KernelName": "Xgemm",
        "Sources": [os.path.join(folder, part) for part in PARTS],
        "ProblemSize": ["N", "N"],
        "GridDivX": ["MWG"],
        "GridDivY": ["NWG"],
        "LocalSize": {"X": "MDIMC", "Y": "NDIMC"},
        "Arguments": [
            *(scalar(name, "int32", 4096) for name in ("kSizeM", "kSizeN", "kSizeK")),
            scalar("alpha", "float", 1.0),
            scalar("beta", "float", 0.0),
            matrix("agm", "ReadOnly", **random),
            matrix("bgm", "ReadOnly", **random),
            matrix("cgm", "ReadWrite", FillType="Constant", FillValue=0.0, Output=True),
            scalar("b_offset", "int32", 0),
            scalar("c_offset", "int32", 0),
        ],
    }
    for argument in spec["KernelSpecification"]["Arguments"][:3]:
        del argument["FillValue"]
        argument["FillExpression"] = "N"
    spec["Metrics"] = [{"Name": "GFLOP/s", "Expression": "2 * N**3 / time_ns"}]
    spec["General"]["BenchmarkName"] = "gemm_milo"
    spec.pop("BenchmarkConfig", None)
    json.dump(spec, sys.stdout, indent=1)


main()
