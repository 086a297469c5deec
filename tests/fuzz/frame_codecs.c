// The codecs of all payloads under one type.
#include "fuzz_frames.h"

#define CODEC(name, type)                                                                          \
    static void code_##name(struct wire *w, void *value)                                           \
    {                                                                                              \
        name##_codec(w, (struct type *)value);                                                     \
    }

CODEC(job, job)
CODEC(result, result)
CODEC(device_info, device_info)
CODEC(hello, hello)
CODEC(open_request, open_request)
CODEC(image, image)
CODEC(policy, policy)
CODEC(phase, phase)
CODEC(device_report, device_report)
CODEC(blob_part, blob_part)
CODEC(blob_name, blob_name)

const frame_codec frame_codecs[KIND_CODECS] = {
    [KIND_JOB] = code_job,
    [KIND_RESULT] = code_result,
    [KIND_DEVICE] = code_device_info,
    [KIND_HELLO] = code_hello,
    [KIND_OPEN] = code_open_request,
    [KIND_IMAGE] = code_image,
    [KIND_POLICY] = code_policy,
    [KIND_PHASE] = code_phase,
    [KIND_REPORT] = code_device_report,
    [KIND_BLOB] = code_blob_part,
    [KIND_BLOB_FILE] = code_blob_name,
};
