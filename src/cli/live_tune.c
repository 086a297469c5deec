// hone tune --live: `hone report --live` as a process of its own, which receives progress on its
// standard input; it ends with the tune, however that ended.
#include "cli/interrupt.h"
#include "cli/live_page.h"
#include "os/beside.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define START_NS 60000000000ull // for the address to come
#define END_MS   20000          // for the last page; on an idle machine it is there at once
#define TURN_NS  1000000000ull

static size_t add_each_option(const char **argv, const char *option, const struct list *l)
{
    for (uint32_t i = 0; i < l->count; i++)
        *argv++ = option, *argv++ = l->items[i];
    return 2 * (size_t)l->count;
}

static bool start_child(struct live_page *l, const struct work *w, const struct list *objective,
                        const struct given_live *given, struct error *e)
{
    char program[BESIDE_PATH_SIZE], live[32];
    const struct spec_settings *s = w->given;
    const char *argv[64] = {program, "report", w->call->arguments[0], live, "--until-eof"};
    size_t count = 5;
    if (!beside_program(program))
        return error_set_driver(e, ERROR_IO, errno, "/proc/self/exe: %s", strerror(errno));
    size_t lists = (size_t)s->set.count + s->also.count + s->where.count + objective->count;
    if (2 * lists + count + 7 > sizeof argv / sizeof *argv)
        return error_set(e, ERROR_USAGE,
                         "more --set, --also, --where and --objective than a page is made of");
    str_format(live, sizeof live, given->port ? "--live=%u" : "--live", given->port);
    argv[count++] = "--store", argv[count++] = store_path(w->store);
    argv[count++] = "--device", argv[count++] = w->device->name;
    argv[count++] = "--language", argv[count++] = language_text(w->device->language);
    count += add_each_option(&argv[count], "--set", &s->set);
    count += add_each_option(&argv[count], "--also", &s->also);
    count += add_each_option(&argv[count], "--where", &s->where);
    count += add_each_option(&argv[count], "--objective", objective);
    argv[count] = NULL;
    return process_start(&l->process, argv, NULL, e);
}

// The first line that it prints; false where it ended before that, or says nothing.
static bool read_address(struct live_page *l, char *out, size_t size)
{
    size_t length = 0;
    uint64_t began = clock_ns();
    while (length < size - 1 && clock_ns() - began < START_NS && !interrupt_pending()) {
        struct pollfd on = {.fd = l->process.channel, .events = POLLIN};
        process_drain(&l->process);
        if (poll(&on, 1, 100) <= 0)
            continue;
        ssize_t n = recv(l->process.channel, out + length, size - 1 - length, 0);
        if (n <= 0)
            break;
        length += (size_t)n;
        char *end = memchr(out, '\n', length);
        if (end) {
            *end = '\0';
            return true;
        }
    }
    return false;
}

// Reports the process's last words, without its name, or else how it ended.
static void tell_gone(struct live_page *l, const char *what)
{
    int status = PROCESS_STATUS_UNKNOWN;
    char ended[64] = "it did not answer";
    if (process_wait(&l->process, END_MS, &status))
        process_status_text(status, ended, sizeof ended);
    const char *said = l->process.tail;
    said += str_starts(said, "hone: ") ? strlen("hone: ") : 0;
    complain("%s: %.*s", what, (int)strcspn(said[0] ? said : ended, "\n"), said[0] ? said : ended);
    process_end(&l->process);
    l->process = (struct process)PROCESS_NONE;
}

int live_page_start(struct live_page *l, const struct work *w, const struct list *objective,
                    const struct given_live *given)
{
    struct error e = ERROR_INIT;
    char address[128];
    if (!given->is_given)
        return EXIT_DONE;
    if (!start_child(l, w, objective, given, &e)) {
        error_context(&e, "--live");
        return work_failed(&e);
    }
    if (!read_address(l, address, sizeof address)) {
        tell_gone(l, "--live");
        return EXIT_USAGE;
    }
    say("Live: %s\n", address);
    return EXIT_DONE;
}

void live_page_turn(struct live_page *l, const struct workflow_progress *p)
{
    uint64_t now = clock_ns();
    char left[32] = "", line[160];
    if (l->process.pid == 0 || now < l->next_ns)
        return;
    l->next_ns = now + TURN_NS;
    process_drain(&l->process);
    uint64_t seconds = p->left_ns / 1000000000u + 1;
    if (p->left_ns)
        str_format(left, sizeof left, ", about %llu s left", (unsigned long long)seconds);
    str_format(line, sizeof line, "%llu of %llu configurations, %llu s%s\n",
               (unsigned long long)p->done, (unsigned long long)p->planned,
               (unsigned long long)(p->elapsed_ns / 1000000000u), left);
    // A line that it has no room for is left out: the next one says more.
    if (send(l->process.channel, line, strlen(line), MSG_NOSIGNAL | MSG_DONTWAIT) < 0 &&
        errno != EAGAIN && errno != EWOULDBLOCK)
        tell_gone(l, "the page is not served any more");
}

void live_page_end(struct live_page *l)
{
    int status;
    if (l->process.pid == 0)
        return;
    shutdown(l->process.channel, SHUT_WR);
    process_wait(&l->process, END_MS, &status);
    process_end(&l->process);
    l->process = (struct process)PROCESS_NONE;
}
