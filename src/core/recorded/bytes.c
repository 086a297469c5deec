// A file as a stream of bytes: a buffer of it at a time, through zlib where it is compressed.

#include "recorded/bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER    ((size_t)256 * 1024)
#define WRITER_MS 1000 // until somebody writes to a pipe

// ---- the file ----------------------------------------------------------------------------------

// Into `into`; 0 at the end.
static bool take_bytes(struct bytes *b, unsigned char *into, size_t *count, struct error *e)
{
    ssize_t n;
    *count = 0;
    if (b->fd < 0)
        return true;
    do
        n = read(b->fd, into, BUFFER);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return error_set_driver(e, ERROR_IO, errno, "%s: cannot be read: %s", b->path,
                                strerror(errno));
    *count = (size_t)n;
    return true;
}

// The first bytes. The file is open without blocking: a pipe that nobody has open for writing would
// be waited for without end.
static bool take_first(struct bytes *b, size_t *count, struct error *e)
{
    struct stat st;
    struct pollfd p = {.fd = b->fd, .events = POLLIN};
    bool is_pipe = fstat(b->fd, &st) == 0 && S_ISFIFO(st.st_mode);
    if (is_pipe)
        poll(&p, 1, WRITER_MS);
    ssize_t n = read(b->fd, b->packed, BUFFER);
    if (is_pipe && n == 0 && !p.revents)
        return error_set(e, ERROR_IO, "%s: a pipe without a writer", b->path);
    *count = n > 0 ? (size_t)n : 0;
    return fcntl(b->fd, F_SETFL, 0) < 0 || n > 0 || take_bytes(b, b->packed, count, e);
}

static bool is_gzip(const unsigned char *data, size_t length)
{
    return length >= 2 && data[0] == 0x1f && data[1] == 0x8b;
}

// ---- unpacking ---------------------------------------------------------------------------------

static bool refuse_broken_bytes(const struct bytes *b, const char *how, struct error *e)
{
    return error_set(e, ERROR_INPUT, "%s: not a whole gzip file: %s (near line %llu)", b->path, how,
                     (unsigned long long)b->line);
}

// Further packed bytes. What follows a member and is none itself (gzip pads with zeros) is left.
static bool refill(struct bytes *b, struct error *e)
{
    size_t count;
    if (b->unpacker.avail_in > 0)
        return true;
    if (!take_bytes(b, b->packed, &count, e))
        return false;
    b->unpacker.next_in = b->packed;
    b->unpacker.avail_in = (uInt)count;
    return true;
}

// Between two members: is there another? Bytes that begin none end the file.
static bool next_member(struct bytes *b, struct error *e)
{
    if (!refill(b, e))
        return false;
    if (b->unpacker.avail_in == 0 || b->unpacker.next_in[0] != 0x1f) {
        b->is_over = true;
        return true;
    }
    b->in_member = true;
    return inflateReset(&b->unpacker) == Z_OK || error_memory(e);
}

static bool unpack_some(struct bytes *b, struct error *e)
{
    if (!refill(b, e))
        return false;
    if (b->unpacker.avail_in == 0)
        return refuse_broken_bytes(b, "it ends early", e);
    int code = inflate(&b->unpacker, Z_NO_FLUSH);
    if (code == Z_MEM_ERROR)
        return error_memory(e);
    if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR)
        return refuse_broken_bytes(b, b->unpacker.msg ? b->unpacker.msg : "damaged data", e);
    b->in_member = code != Z_STREAM_END;
    return true;
}

// ---- both --------------------------------------------------------------------------------------

static void prepare_inflate(struct bytes *b, const char *path)
{
    memset(b, 0, sizeof *b);
    b->path = path;
    b->line = 1;
    b->fd = -1;
}

static bool begin_bytes(struct bytes *b, const unsigned char *data, size_t length, struct error *e)
{
    if (is_gzip(data, length)) {
        // `length` bytes of the file are known to begin it.
        b->plain = malloc(BUFFER);
        if (!b->plain || length > UINT32_MAX)
            return error_memory(e);
        if (inflateInit2(&b->unpacker, 16 + MAX_WBITS) != Z_OK)
            return error_memory(e);
        b->is_packed = b->in_member = true;
        b->unpacker.next_in = (unsigned char *)data;
        b->unpacker.avail_in = (uInt)length;
        b->at = b->end = b->plain;
        return true;
    }
    b->at = data;
    b->end = data + length;
    return true;
}

bool bytes_open(struct bytes *b, const char *path, struct error *e)
{
    struct stat st;
    size_t length = 0;
    prepare_inflate(b, path);
    b->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (b->fd < 0)
        return error_set_driver(e, ERROR_IO, errno, "%s: %s", path, strerror(errno));
    if (fstat(b->fd, &st) == 0 && S_ISDIR(st.st_mode))
        return error_set(e, ERROR_IO, "%s: is a folder", path);
    b->packed = malloc(BUFFER);
    if (!b->packed)
        return error_memory(e);
    return take_first(b, &length, e) && begin_bytes(b, b->packed, length, e);
}

bool bytes_open_memory(struct bytes *b, const char *path, const void *data, size_t length,
                       struct error *e)
{
    prepare_inflate(b, path);
    return begin_bytes(b, data, length, e);
}

bool bytes_more(struct bytes *b, struct error *e)
{
    size_t count;
    if (b->is_over)
        return true;
    if (b->is_packed) {
        b->unpacker.next_out = b->plain;
        b->unpacker.avail_out = (uInt)BUFFER;
        while (b->unpacker.avail_out == BUFFER && !b->is_over) {
            if (!(b->in_member ? unpack_some(b, e) : next_member(b, e)))
                return false;
        }
        b->at = b->plain;
        b->end = b->unpacker.next_out;
        return true;
    }
    if (!take_bytes(b, b->packed, &count, e))
        return false;
    b->is_over = count == 0;
    if (count > 0) {
        b->at = b->packed;
        b->end = b->packed + count;
    }
    return true;
}

void bytes_close(struct bytes *b)
{
    if (b->is_packed)
        inflateEnd(&b->unpacker);
    if (b->fd >= 0)
        close(b->fd);
    free(b->packed);
    free(b->plain);
    prepare_inflate(b, b->path);
}
