"""Writes a module of SPIR-V, put together by hand: kernel void scale(global float *y, global const float *x) { y[i] = FACTOR * x[i] + PLUS; }

    spirv.py FILE [--nameless] [--text TEXT]

FACTOR, a float, is the specialization constant 7 and PLUS, a uint, is 9; --nameless leaves their names out. TEXT goes into it as a string, which
no compiler reads (a driver that is a fake does).
"""

import struct
import sys

words = [0x07230203, 0x00010000, 0, 100, 0]


def string(text):
    data = text.encode() + b"\0"
    data += b"\0" * (-len(data) % 4)
    return list(struct.unpack("<%dI" % (len(data) // 4), data))


def put(op, *operands):
    rest = [w for o in operands for w in (o if isinstance(o, list) else [o])]
    words.append((len(rest) + 1) << 16 | op)
    words.extend(rest)


def number(f):
    return struct.unpack("<I", struct.pack("<f", f))[0]


(SET, MAIN, GID, VOID, UINT, ULONG, FLOAT, VEC, PVEC, POINTER, FUNCTION, FACTOR, PLUS, Y, X, LABEL, LOADED, INDEX, PX, PY, VALUE, PRODUCT, SUM, ADDED,
 FILE) = range(1, 26)
put(17, 4)  # OpCapability Addresses
put(17, 5)  # Linkage
put(17, 6)  # Kernel
put(17, 11)  # Int64
put(11, SET, string("OpenCL.std"))
put(14, 2, 2)  # OpMemoryModel Physical64 OpenCL
put(15, 6, MAIN, string("scale"), GID)  # OpEntryPoint Kernel
if "--text" in sys.argv:
    put(7, FILE, string(sys.argv[sys.argv.index("--text") + 1]))  # OpString
put(3, 3, 102000)  # OpSource OpenCL_C
if "--nameless" not in sys.argv:
    put(5, FACTOR, string("FACTOR"))
    put(5, PLUS, string("PLUS"))
put(71, GID, 11, 28)  # BuiltIn GlobalInvocationId
put(71, GID, 22)  # Constant
put(71, GID, 41, string("__spirv_BuiltInGlobalInvocationId"), 1)  # LinkageAttributes Import
put(71, FACTOR, 1, 7)  # SpecId
put(71, PLUS, 1, 9)
put(19, VOID)
put(21, UINT, 32, 0)
put(21, ULONG, 64, 0)
put(22, FLOAT, 32)
put(23, VEC, ULONG, 3)
put(32, PVEC, 1, VEC)  # UniformConstant
put(32, POINTER, 5, FLOAT)  # CrossWorkgroup
put(33, FUNCTION, VOID, POINTER, POINTER)
put(50, FLOAT, FACTOR, number(1.0))  # OpSpecConstant
put(50, UINT, PLUS, 0)
put(59, PVEC, GID, 1)  # OpVariable
put(54, VOID, MAIN, 0, FUNCTION)
put(55, POINTER, Y)
put(55, POINTER, X)
put(248, LABEL)
put(61, VEC, LOADED, GID, 2, 32)  # OpLoad Aligned 32
put(81, ULONG, INDEX, LOADED, 0)  # OpCompositeExtract
put(70, POINTER, PX, X, INDEX)  # OpInBoundsPtrAccessChain
put(70, POINTER, PY, Y, INDEX)
put(61, FLOAT, VALUE, PX, 2, 4)
put(133, FLOAT, PRODUCT, VALUE, FACTOR)  # OpFMul
put(112, FLOAT, ADDED, PLUS)  # OpConvertUToF
put(129, FLOAT, SUM, PRODUCT, ADDED)  # OpFAdd
put(62, PY, SUM, 2, 4)  # OpStore
put(253)  # OpReturn
put(56)
words[3] = 26
with open(sys.argv[1], "wb") as f:
    f.write(struct.pack("<%dI" % len(words), *words))
