// Where the library's notices go: a sink of the caller's. The library never prints.
#pragma once

// DEBUG: what happens to builders, bench and recovery, and the frames to and from workers, one event each, for who looks for a
// fault of hone's own.
enum log_level { LOG_NOTE, LOG_WARNING, LOG_DEBUG };

struct log {
    // (optional) NULL drops everything. `message` is one line without a newline.
    void (*sink)(void *context, enum log_level level, const char *message);
    void *context;
};

// `log` may be NULL.
void log_add(const struct log *log, enum log_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
