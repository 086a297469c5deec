"""Functions of OpenCV on UMat (its OpenCL kernels); prints a checksum of what each returns."""
import sys
import zlib

import cv2
import numpy as np

SIZE = int(sys.argv[1]) if len(sys.argv) > 1 else 256
TIMES = int(sys.argv[2]) if len(sys.argv) > 2 else 1
WANTED = sys.argv[3:]

random = np.random.default_rng(1)
image = cv2.UMat(random.integers(0, 256, (SIZE, SIZE, 3), dtype=np.uint8))
gray = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
real = cv2.UMat(random.random((SIZE, SIZE), dtype=np.float32))
other = cv2.UMat(random.random((SIZE, SIZE), dtype=np.float32))
turn = cv2.getRotationMatrix2D((SIZE / 2, SIZE / 2), 30, 0.9)
view = np.array([[0.9, 0.1, 3], [-0.1, 1.1, 2], [1e-4, 2e-4, 1]])
square = np.ones((5, 5), np.uint8)

functions = {
    "GaussianBlur": lambda: cv2.GaussianBlur(real, (9, 9), 2),
    "blur": lambda: cv2.blur(image, (7, 7)),
    "bilateralFilter": lambda: cv2.bilateralFilter(image, 7, 50, 50),
    "medianBlur": lambda: cv2.medianBlur(gray, 5),
    "Sobel": lambda: cv2.Sobel(gray, cv2.CV_32F, 1, 0),
    "Laplacian": lambda: cv2.Laplacian(gray, cv2.CV_32F),
    "Canny": lambda: cv2.Canny(gray, 50, 150),
    "erode": lambda: cv2.erode(image, square),
    "filter2D": lambda: cv2.filter2D(real, cv2.CV_32F, np.ones((3, 3), np.float32) / 9),
    "resize": lambda: cv2.resize(image, (SIZE * 3 // 4, SIZE * 3 // 4), interpolation=cv2.INTER_LINEAR),
    "warpAffine": lambda: cv2.warpAffine(image, turn, (SIZE, SIZE)),
    "warpPerspective": lambda: cv2.warpPerspective(gray, view, (SIZE, SIZE)),
    "pyrDown": lambda: cv2.pyrDown(real),
    "cvtColor": lambda: cv2.cvtColor(image, cv2.COLOR_BGR2HSV),
    "equalizeHist": lambda: cv2.equalizeHist(gray),
    "threshold": lambda: cv2.threshold(real, 0.5, 1, cv2.THRESH_BINARY)[1],
    "add": lambda: cv2.add(real, other),
    "gemm": lambda: cv2.gemm(real, other, 1, None, 0),
    "transpose": lambda: cv2.transpose(real),
    "integral": lambda: cv2.integral(gray),
    "dft": lambda: cv2.dft(real),
}

cv2.ocl.setUseOpenCL(True)
assert cv2.ocl.useOpenCL(), "OpenCV has no OpenCL device"
for name, function in functions.items():
    if WANTED and name not in WANTED:
        continue
    for _ in range(TIMES):
        result = function()
    print(name, f"{zlib.crc32(np.ascontiguousarray(result.get())):08x}")
