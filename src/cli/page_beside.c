// hone tune --report: `hone report --watch` as a process of its own, told by its standard input how far the tune is; it ends
// when that does, however the tune ended.
#include "cli/page_watch.h"
#include "os/beside.h"
#include "os/file_replace.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#define END_MS  120000 // for the last page; on an idle machine it is there at once
#define TURN_NS 1000000000ull

static size_t add_each_option(const char **argv, const char *option, const struct list *l)
{
    for (uint32_t i = 0; i < l->count; i++)
        *argv++ = option, *argv++ = l->items[i];
    return 2 * (size_t)l->count;
}

static bool start_child(struct page_beside *p, const struct work *w, const struct list *objective,
                        const char *path, struct error *e)
{
    char program[BESIDE_PATH_SIZE];
    const struct spec_settings *s = w->given;
    const char *argv[64] = {program, "report", w->call->arguments[0], "--watch=stdin"};
    size_t count = 4;
    if (!beside_program(program))
        return error_set_driver(e, ERROR_IO, errno, "/proc/self/exe: %s", strerror(errno));
    size_t lists = (size_t)s->set.count + s->also.count + s->where.count + objective->count;
    if (2 * lists + count + 9 > sizeof argv / sizeof *argv)
        return error_set(e, ERROR_USAGE,
                         "more --set, --also, --where and --objective than a page is made of");
    argv[count++] = "--output", argv[count++] = path;
    argv[count++] = "--store", argv[count++] = store_path(w->store);
    argv[count++] = "--device", argv[count++] = w->device->name;
    argv[count++] = "--language", argv[count++] = language_text(w->device->language);
    count += add_each_option(&argv[count], "--set", &s->set);
    count += add_each_option(&argv[count], "--also", &s->also);
    count += add_each_option(&argv[count], "--where", &s->where);
    count += add_each_option(&argv[count], "--objective", objective);
    argv[count] = NULL;
    return process_start(&p->process, argv, NULL, e);
}

// Waits for the process to end; if it has not written the last page, reports why: what it printed, without its name.
static void end_child(struct page_beside *p, const char *what, int timeout_ms)
{
    int status = PROCESS_STATUS_UNKNOWN;
    char ended[64] = "it did not end";
    bool is_gone = process_wait(&p->process, timeout_ms, &status);
    if (is_gone)
        process_status_text(status, ended, sizeof ended);
    if (!is_gone || status != 0) {
        const char *said = p->process.tail;
        said += str_starts(said, "hone: ") ? strlen("hone: ") : 0;
        said = said[0] ? said : ended;
        complain("%s: %.*s", what, (int)strcspn(said, "\n"), said);
    }
    process_end(&p->process);
    p->process = (struct process)PROCESS_NONE;
}

// Would the page be written over a file that it is made from?
static bool is_source(const struct work *w, const char *path)
{
    const struct list *also = &w->given->also;
    bool is = file_is_same(path, w->call->arguments[0]) || file_is_same(path, store_path(w->store));
    for (uint32_t i = 0; !is && i < also->count; i++)
        is = file_is_same(path, also->items[i]);
    return is;
}

int page_beside_start(struct page_beside *p, const struct work *w, const struct list *objective,
                      const char *path)
{
    struct error e = ERROR_INIT;
    if (!path)
        return EXIT_DONE;
    if (is_source(w, path))
        return refuse(EXIT_USAGE, "--report %s: the page is made from that file; name another one",
                      path);
    if (!file_replaceable(path, &e) || !start_child(p, w, objective, path, &e)) {
        error_context(&e, "--report");
        return work_failed(&e);
    }
    say("Report: %s, written anew while the tune runs\n", path);
    return EXIT_DONE;
}

void page_beside_turn(struct page_beside *p, const struct workflow_progress *progress)
{
    uint64_t now = clock_ns();
    char left[32] = "", line[160];
    if (p->process.pid == 0 || now < p->next_ns)
        return;
    p->next_ns = now + TURN_NS;
    process_drain(&p->process);
    uint64_t seconds = progress->left_ns / 1000000000u + 1;
    if (progress->left_ns)
        str_format(left, sizeof left, ", about %llu s left", (unsigned long long)seconds);
    str_format(line, sizeof line, "%llu of %llu configurations, %llu s%s\n",
               (unsigned long long)progress->done, (unsigned long long)progress->planned,
               (unsigned long long)(progress->elapsed_ns / 1000000000u), left);
    // A line for which it has no room is left out: the next one says more.
    if (send(p->process.channel, line, strlen(line), MSG_NOSIGNAL | MSG_DONTWAIT) < 0 &&
        errno != EAGAIN && errno != EWOULDBLOCK)
        end_child(p, "the report is not written any more", 1000);
}

void page_beside_end(struct page_beside *p)
{
    if (p->process.pid == 0)
        return;
    shutdown(p->process.channel, SHUT_WR);
    end_child(p, "the last page of the report is not written", END_MS);
}
