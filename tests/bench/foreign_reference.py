#!/usr/bin/env python3
"""What convolution_milo and gemm_milo of the benchmark hub are to compute: for `hone tune --reference-by`.

    foreign_reference.py FOLDER

FOLDER has the inputs as NAME.npy, and arguments.json; the output is written there. In float64, with NumPy.
"""
import json
import os
import sys

import numpy


def load(folder, name):
    return numpy.load(os.path.join(folder, name + ".npy")).ravel().astype(numpy.float64)


def convolution(folder, count):
    """The image without its border, each pixel the sum over the filter's window."""
    weights, image = load(folder, "d_filter"), load(folder, "input_image")
    side, width = round(weights.size**0.5), round(count**0.5)
    weights = weights.reshape(side, side)
    image = image.reshape(width + side - 1, width + side - 1)
    out = numpy.zeros((width, width))
    for top in range(0, width, 32):  # so many rows stay in the cache
        rows = out[top:top + 32]
        for y in range(side):
            for x in range(side):
                rows += image[top + y:top + y + len(rows), x:x + width] * weights[y, x]
    return out


def gemm(folder, count):
    """C[n][m] is the sum over k of A[k][m] * B[k][n]."""
    side = round(count**0.5)
    a, b = (load(folder, name).reshape(side, side) for name in ("agm", "bgm"))
    return b.T @ a


def main():
    folder = sys.argv[1]
    with open(os.path.join(folder, "arguments.json"), encoding="utf-8") as file:
        outputs = json.load(file)["outputs"]
    for name, compute in (("output_image", convolution), ("cgm", gemm)):
        if name in outputs:
            result = compute(folder, outputs[name]["count"]).astype(numpy.float32).ravel()
            numpy.save(os.path.join(folder, name + ".npy"), result)
            return
    sys.exit("this is the reference of output_image or cgm, and the outputs are " + ", ".join(outputs))


main()
