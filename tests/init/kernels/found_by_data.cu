// A macro that the host's compiler leaves out stands before a type, and whether anything is written hangs on the data.
extern __device__ DRIVER_BUILTIN void fence_all(void);
#define START_A 0x6a09e667
__constant__ unsigned words[8];
struct OUTER { HANDLE *of_the_host; };

__global__ void seek(const unsigned count, const unsigned first, unsigned *found, const unsigned most)
{
    unsigned i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i < count) {
        unsigned h[8], nonce = first + i;
        for (int k = 0; k < 8; k++)
            h[k] = (words[k] ^ nonce) * START_A + k;
        if (h[7] == 0 && h[6] <= most && most != UINT32_MAX)
            found[0] = nonce;
    }
}
