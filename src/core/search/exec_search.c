// A strategy of the user's own: a program that is asked and told by lines of JSON on its standard input and
// output (src/doc/strategy-of-your-own.md has the protocol). Nothing here waits: what the program wrote is read
// when the strategy is asked, what it has not taken yet is kept. Its death, silence or nonsense ends the search
// and never the tune, and strategy_ended() says why.
#include "base/array.h"
#include "base/text.h"
#include "os/process.h"
#include "search/asked.h"
#include "search/permutation.h"
#include "search/strategies.h"
#include "search/walk.h"

#include <jansson.h>

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define PATIENCE_MS     60000
#define PATIENCE_MOST_S 1e9
#define GOODBYE_MS      200        // between the end of its input and the end of the program
#define LINE_MOST       (16 << 20) // bytes of a line that the program writes
#define BEHIND_MOST     (64 << 20) // bytes it has not read yet
#define SAMPLE_MOST     10000      // configurations of one sample
#define WORDS_MOST      64         // of the argument vector
#define TAIL_SHOWN      300        // bytes of what it printed, in a message

enum exec_state {
    EXEC_NEW,      // not started
    EXEC_READY,    // has been asked nothing that it has not answered
    EXEC_THINKING, // an answer is due
    EXEC_RESTING,  // has no question until it is told more
    EXEC_ENDED
};

struct exec_search {
    struct strategy base;
    const struct space *space;
    enum exec_state state;
    struct process process;
    struct arena arena; // the argument vector
    const char **argv;
    json_t *beginning; // what it is told first
    struct text to_send, received;
    size_t sent, searched; // bytes of `to_send`; of `received`, without a line's end
    struct asked asked;
    uint64_t open;   // asked and not told
    uint64_t *fresh; // to be handed out
    size_t fresh_count, fresh_next, fresh_capacity;
    uint64_t asked_ns, patience_ns;
    struct rng rng;
    uint32_t *choice;
    struct walk walk;              // for its beginning: what is asked before the program is
    bool value_is_time, has_named; // a configuration of its own
};

// ---- the argument vector -----------------------------------------------------------------------

// ["python3", "my search.py"], or words with blanks between them.
static bool read_exec_words(struct exec_search *x, const char *argument, struct error *e)
{
    size_t count = 0;
    json_t *list = argument[0] == '[' ? json_loads(argument, 0, NULL) : NULL;
    x->argv = arena_array(&x->arena, WORDS_MOST + 1, sizeof *x->argv);
    if (!x->argv)
        return error_memory(e);
    if (argument[0] == '[') {
        size_t i;
        json_t *word;
        json_array_foreach(list, i, word)
        {
            if (count < WORDS_MOST && json_is_string(word))
                x->argv[count++] = arena_strdup(&x->arena, json_string_value(word));
        }
        if (count != json_array_size(list))
            count = 0;
    } else {
        for (const char *at = argument + strspn(argument, " "); *at && count < WORDS_MOST;) {
            size_t length = strcspn(at, " ");
            x->argv[count++] = arena_strndup(&x->arena, at, length);
            at += length + strspn(at + length, " ");
        }
    }
    json_decref(list);
    for (size_t i = 0; i < count; i++) {
        if (!x->argv[i])
            return error_memory(e);
    }
    return (count > 0 && x->argv[0][0]) ||
           error_set(e, ERROR_USAGE,
                     "strategy 'exec': give the program and its arguments: exec:./mine.py, or "
                     "exec:[\"python3\", \"my search.py\"] (at most %d words)",
                     WORDS_MOST);
}

// ---- its end -----------------------------------------------------------------------------------

static void end_exec(struct exec_search *x, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// NULL: in good order.
static void end_exec(struct exec_search *x, const char *format, ...)
{
    x->state = EXEC_ENDED;
    process_end(&x->process);
    if (!format)
        return;
    struct text why = TEXT_INIT;
    va_list arguments;
    va_start(arguments, format);
    text_vaddf(&why, format, arguments);
    va_end(arguments);
    size_t printed = process_tail_length(&x->process);
    size_t shown = printed < TAIL_SHOWN ? printed : TAIL_SHOWN;
    if (shown > 0)
        text_add(&why, "; it printed: ");
    text_add_visible(&why, x->process.tail + printed - shown, shown, true);
    error_set(&x->base.why, ERROR_INPUT, "strategy exec: %s: the search ends: %s", x->argv[0],
              text_cstr(&why));
    text_release(&why);
}

static void end_gone_exec(struct exec_search *x, int status)
{
    char how[80];
    if (status == 0 && x->has_named) // it has looked enough
        return end_exec(x, NULL);
    process_status_text(status, how, sizeof how);
    end_exec(x, "the program %s", how);
}

static void end_dead_exec(struct exec_search *x)
{
    int status = 0;
    if (process_wait(&x->process, GOODBYE_MS, &status))
        end_gone_exec(x, status);
    else
        end_exec(x, "the program closed its output");
}

// ---- sending -----------------------------------------------------------------------------------

static void flush_exec(struct exec_search *x)
{
    while (x->state != EXEC_ENDED && x->sent < x->to_send.length) {
        ssize_t n = send(x->process.channel, x->to_send.data + x->sent, x->to_send.length - x->sent,
                         MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) // full, or it is dead, which reading finds out
            break;
        x->sent += (size_t)n;
    }
    if (x->sent == x->to_send.length) {
        text_clear(&x->to_send);
        x->sent = 0;
    } else if (x->to_send.length - x->sent > BEHIND_MOST) {
        end_exec(x, "the program does not read its input");
    }
}

// Takes the object.
static void send_exec(struct exec_search *x, json_t *object)
{
    char *line = object ? json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
    if (line) {
        text_add(&x->to_send, line);
        text_addc(&x->to_send, '\n');
    }
    if (!line || x->to_send.failed)
        end_exec(x, "there is no memory left");
    free(line);
    json_decref(object);
    flush_exec(x);
}

static json_t *exec_configuration(struct exec_search *x, const uint32_t *choice)
{
    struct text text = TEXT_INIT;
    spec_configuration_json(space_spec(x->space), choice, &text);
    json_t *json = text.failed ? NULL : json_loads(text_cstr(&text), 0, NULL);
    text_release(&text);
    return json;
}

static json_t *exec_configuration_of(struct exec_search *x, uint64_t index)
{
    space_get(x->space, index, x->choice);
    return exec_configuration(x, x->choice);
}

static void send_exec_answer(struct exec_search *x, json_t *configuration, enum status status,
                             double value)
{
    json_t *answer =
        json_pack("{s:o?, s:s}", "configuration", configuration, "status", status_text(status));
    if (answer && status == STATUS_CORRECT) {
        json_object_set_new(answer, "value", json_real(value));
        if (x->value_is_time)
            json_object_set_new(answer, "seconds", json_real(value * 1e-9));
    }
    send_exec(x, answer);
}

// ---- starting ----------------------------------------------------------------------------------

static json_t *exec_parameters(const struct space *space)
{
    const struct spec *s = space_spec(space);
    json_t *list = json_array();
    for (uint32_t i = 0; i < s->parameter_count; i++) {
        const struct parameter *p = &s->parameters[i];
        json_t *values = json_array();
        for (uint32_t k = 0; k < p->count; k++) {
            struct text literal = TEXT_INIT;
            const struct value *v = &p->values[k];
            if (v->kind == VALUE_INT || v->kind == VALUE_FLOAT)
                value_print(v, &literal);
            json_array_append_new(values,
                                  v->kind == VALUE_STRING ? json_string(v->s)
                                  : v->kind == VALUE_BOOL
                                      ? json_boolean(v->i)
                                      : json_loads(text_cstr(&literal), JSON_DECODE_ANY, NULL));
            text_release(&literal);
        }
        json_array_append_new(list, json_pack("{s:s, s:o}", "name", p->name, "values", values));
    }
    return list;
}

static void start_exec(struct exec_search *x)
{
    struct error e = ERROR_INIT;
    if (!process_start_owned(&x->process, x->argv, &e))
        return end_exec(x, "%s", e.text);
    x->state = EXEC_READY;
    json_t *beginning = x->beginning;
    x->beginning = NULL;
    send_exec(x, beginning);
}

// ---- receiving ---------------------------------------------------------------------------------

// The value's place in the parameter's list; false if it has no such value.
static bool find_exec_value(const struct parameter *p, const json_t *json, uint32_t *place)
{
    for (uint32_t i = 0; i < p->count; i++) {
        const struct value *v = &p->values[i];
        bool same = json_is_string(json)
                        ? v->kind == VALUE_STRING && strcmp(v->s, json_string_value(json)) == 0
                    : json_is_boolean(json)
                        ? v->kind == VALUE_BOOL && v->i == json_boolean_value(json)
                    : json_is_integer(json)
                        ? (v->kind == VALUE_INT && v->i == json_integer_value(json)) ||
                              (v->kind == VALUE_FLOAT && v->f == (double)json_integer_value(json))
                    : json_is_real(json)
                        ? (v->kind == VALUE_FLOAT && v->f == json_real_value(json)) ||
                              (v->kind == VALUE_INT && (double)v->i == json_real_value(json))
                        : false;
        if (!same)
            continue;
        *place = i;
        return true;
    }
    return false;
}

// Reads a configuration into x->choice. A parameter with one value may be left out. False: the search ends.
static bool read_exec_configuration(struct exec_search *x, const json_t *json)
{
    const struct spec *s = space_spec(x->space);
    const char *name;
    json_t *value;
    uint32_t known = 0;
    if (!json_is_object(json)) {
        end_exec(x, "the program asked for a configuration that is not an object");
        return false;
    }
    for (uint32_t i = 0; i < s->parameter_count; i++) {
        const struct parameter *p = &s->parameters[i];
        value = json_object_get(json, p->name);
        known += value != NULL;
        x->choice[i] = 0;
        if ((value || p->count != 1) && !find_exec_value(p, value, &x->choice[i])) {
            char *shown = value ? json_dumps(value, JSON_ENCODE_ANY) : NULL;
            end_exec(x,
                     value ? "the program asked for %s=%.100s, which is not a value of it"
                           : "the program asked for a configuration without %s",
                     p->name, shown ? shown : "");
            free(shown);
            return false;
        }
    }
    if (known == json_object_size(json))
        return true;
    json_object_foreach((json_t *)json, name, value)
    {
        uint32_t i = 0;
        while (i < s->parameter_count && strcmp(s->parameters[i].name, name) != 0)
            i++;
        if (i == s->parameter_count)
            break;
    }
    end_exec(x, "the program asked for a parameter '%.60s', which the spec does not have",
             name ? name : "");
    return false;
}

static bool keep_exec_question(struct exec_search *x, uint64_t index)
{
    if (!ARRAY_ROOM(x->fresh, x->fresh_capacity, x->fresh_count + 1) ||
        !asked_reserve(&x->asked, 1))
        return false;
    asked_add(&x->asked, index);
    x->fresh[x->fresh_count++] = index;
    return true;
}

// Keeps a proposed configuration as a question; answers at once if it is invalid or known.
static void take_exec_question(struct exec_search *x, const json_t *json)
{
    uint64_t index;
    if (!read_exec_configuration(x, json))
        return;
    if (!space_find(x->space, x->choice, &index))
        return send_exec_answer(x, exec_configuration(x, x->choice), STATUS_CONSTRAINTS, 0);
    const struct asked_entry *known = asked_find(&x->asked, index);
    if (!known && !keep_exec_question(x, index))
        return end_exec(x, "there is no memory left");
    if (known && known->state != ASKED_PENDING)
        send_exec_answer(x, exec_configuration(x, x->choice),
                         known->state == ASKED_CORRECT ? STATUS_CORRECT : STATUS_RUNTIME,
                         known->value);
}

static void ask_exec(struct exec_search *x, size_t count)
{
    send_exec(x, json_pack("{s:I}", "ask", (json_int_t)count));
}

static void take_exec_configurations(struct exec_search *x, const json_t *list)
{
    size_t before = x->fresh_count;
    for (size_t i = 0; i < json_array_size(list) && x->state != EXEC_ENDED; i++)
        take_exec_question(x, json_array_get(list, i));
    if (x->state != EXEC_THINKING)
        return;
    if (x->fresh_count > before) {
        x->state = EXEC_READY;
        x->has_named = true;
    } else if (json_array_size(list) >
               0) { // nothing new: asked again, and patience does not begin anew
        ask_exec(x, 1);
    } else if (x->open > 0) {
        x->state = EXEC_RESTING;
    } else if (x->has_named || x->asked.count == space_count(x->space)) {
        end_exec(x, NULL);
    } else {
        end_exec(x, "the program named no configuration");
    }
}

// At random, each once, of what was not asked yet: fewer than wanted if fewer are left.
static void send_exec_sample(struct exec_search *x, json_int_t wanted)
{
    uint64_t count = space_count(x->space);
    struct permutation order;
    if (wanted < 1)
        return end_exec(x, "the program asked for a sample of %lld, and 1 is the least",
                        (long long)wanted);
    if (wanted > SAMPLE_MOST)
        wanted = SAMPLE_MOST;
    json_t *list = json_array();
    if (count > 0)
        permutation_init(&order, count, rng_u64(&x->rng));
    for (uint64_t i = 0; i < count && (json_int_t)json_array_size(list) < wanted; i++) {
        uint64_t index = permutation_at(&order, i);
        if (!asked_find(&x->asked, index))
            json_array_append_new(list, exec_configuration_of(x, index));
    }
    send_exec(x, json_pack("{s:o?}", "sample", list));
}

static void take_exec_patience(struct exec_search *x, double seconds)
{
    if (seconds > 0 && seconds <= PATIENCE_MOST_S)
        x->patience_ns = (uint64_t)(seconds * 1e9);
    else
        end_exec(x, "the program asked for a patience of %g s, and it can be up to %g", seconds,
                 PATIENCE_MOST_S);
}

static void take_exec_line(struct exec_search *x, const char *line, size_t length)
{
    json_error_t at;
    json_t *json = json_loadb(line, length, JSON_REJECT_DUPLICATES, &at);
    const json_t *list = json_object_get(json, "configurations"),
                 *sample = json_object_get(json, "sample"),
                 *patience = json_object_get(json, "patience");
    if (json_is_array(list) && json_object_size(json) == 1)
        take_exec_configurations(x, list);
    else if (json_is_integer(sample) && json_object_size(json) == 1)
        send_exec_sample(x, json_integer_value(sample));
    else if (json_is_number(patience) && json_object_size(json) == 1)
        take_exec_patience(x, json_number_value(patience));
    else
        end_exec(x,
                 "the program wrote what is neither {\"configurations\": [...]} nor {\"sample\": "
                 "N} nor {\"patience\": S}: %.*s",
                 (int)(length < 120 ? length : 120), line);
    json_decref(json);
}

static void take_exec_lines(struct exec_search *x)
{
    size_t from = 0;
    const char *data = x->received.data;
    const char *end = memchr(data + x->searched, '\n', x->received.length - x->searched);
    while (end && x->state != EXEC_ENDED) {
        size_t length = (size_t)(end - data) - from;
        if (length > 0)
            take_exec_line(x, data + from, length);
        from += length + 1;
        end = memchr(data + from, '\n', x->received.length - from);
    }
    x->received.length -= from;
    memmove(x->received.data, x->received.data + from, x->received.length);
    x->searched = x->received.length;
    if (x->received.length > LINE_MOST)
        end_exec(x, "the program wrote a line of more than %d MiB", LINE_MOST >> 20);
}

// Reads what there is.
static void pump_exec(struct exec_search *x)
{
    char part[65536];
    int status;
    if (x->state == EXEC_NEW || x->state == EXEC_ENDED)
        return;
    flush_exec(x);
    process_drain(&x->process);
    while (x->state != EXEC_ENDED) {
        ssize_t n = recv(x->process.channel, part, sizeof part, 0);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            break;
        if (n <= 0)
            return end_dead_exec(x);
        text_addn(&x->received, part, (size_t)n);
        if (x->received.failed)
            return end_exec(x, "there is no memory left");
        take_exec_lines(x);
    }
    // A child of it may hold its output open after its end.
    if (x->state == EXEC_THINKING && process_wait(&x->process, 0, &status))
        return end_gone_exec(x, status);
    if (x->state == EXEC_THINKING && clock_ns() - x->asked_ns > x->patience_ns)
        end_exec(x, "the program named no new configuration within %.3g s",
                 (double)x->patience_ns * 1e-9);
}

// ---- the strategy ------------------------------------------------------------------------------

static size_t hand_out_exec(struct exec_search *x, uint64_t *out, size_t capacity)
{
    size_t count = x->fresh_count - x->fresh_next;
    if (count > capacity)
        count = capacity;
    if (count > 0)
        memcpy(out, x->fresh + x->fresh_next, count * sizeof *out);
    x->fresh_next += count;
    x->open += count;
    if (x->fresh_next == x->fresh_count)
        x->fresh_next = x->fresh_count = 0;
    return count;
}

static size_t exec_ask(struct strategy *s, uint64_t *out, size_t capacity)
{
    struct exec_search *x = (struct exec_search *)s;
    uint64_t first;
    if (x->state == EXEC_NEW)
        start_exec(x);
    pump_exec(x);
    while (walk_is_beginning(&x->walk) && x->state != EXEC_ENDED) {
        if (walk_ask(&x->walk, NULL, NULL, &first, 1) == 1 && !keep_exec_question(x, first))
            end_exec(x, "there is no memory left");
    }
    size_t count = hand_out_exec(x, out, capacity);
    if (count > 0 || capacity == 0 || x->state != EXEC_READY)
        return count;
    x->state = EXEC_THINKING;
    x->asked_ns = clock_ns();
    ask_exec(x, capacity);
    return 0;
}

static bool exec_wait(struct strategy *s, int timeout_ms)
{
    struct exec_search *x = (struct exec_search *)s;
    pump_exec(x);
    uint64_t until = timeout_ms < 0 ? UINT64_MAX : clock_ns() + (uint64_t)timeout_ms * 1000000;
    while (x->state == EXEC_THINKING && x->fresh_next == x->fresh_count && timeout_ms != 0) {
        struct pollfd fds[] = {{.fd = x->process.channel, .events = POLLIN},
                               {.fd = x->process.printed, .events = POLLIN}};
        if (x->sent < x->to_send.length)
            fds[0].events |= POLLOUT;
        poll(fds, 2, timeout_ms);
        pump_exec(x);
        uint64_t now = clock_ns();
        if (!fds[1].revents || fds[0].revents || now >= until) // words on stderr are no answer
            break;
        timeout_ms = timeout_ms < 0 ? -1 : (int)((until - now) / 1000000) + 1;
    }
    return x->state == EXEC_THINKING || x->fresh_next < x->fresh_count;
}

static void exec_tell(struct strategy *s, uint64_t index, enum status status, double value)
{
    struct exec_search *x = (struct exec_search *)s;
    struct asked_entry *entry = asked_find(&x->asked, index);
    if (!entry || entry->state != ASKED_PENDING)
        return;
    bool correct = status == STATUS_CORRECT && isfinite(value);
    entry->state = correct ? ASKED_CORRECT : ASKED_FAILED;
    entry->value = correct ? value : 0;
    x->open--;
    if (x->state == EXEC_ENDED)
        return;
    send_exec_answer(x, exec_configuration_of(x, index),
                     status == STATUS_CORRECT && !correct ? STATUS_RUNTIME : status, value);
    if (x->state == EXEC_RESTING)
        x->state = EXEC_READY;
}

static void exec_destroy(struct strategy *s)
{
    struct exec_search *x = (struct exec_search *)s;
    int status;
    if (x->process.pid > 0 && x->state != EXEC_ENDED) {
        shutdown(x->process.channel, SHUT_WR); // the end of its input
        process_wait(&x->process, GOODBYE_MS, &status);
    }
    process_end(&x->process);
    json_decref(x->beginning);
    text_release(&x->to_send);
    text_release(&x->received);
    asked_release(&x->asked);
    free(x->fresh);
    free(x->choice);
    arena_release(&x->arena);
    free(x);
}

static struct strategy *exec_create(const struct strategy_setup *setup, struct error *e)
{
    struct exec_search *x = alloc_zeroed(sizeof *x, e);
    if (!x)
        return NULL;
    x->process = (struct process)PROCESS_NONE;
    arena_init(&x->arena);
    x->space = setup->space;
    walk_init(&x->walk, setup->space, setup->starts, setup->start_count);
    x->value_is_time = setup->value_is_time;
    x->patience_ns = (setup->patience_ms ? setup->patience_ms : PATIENCE_MS) * UINT64_C(1000000);
    rng_init(&x->rng, setup->seed, 0);
    x->choice = calloc(space_spec(setup->space)->parameter_count + 1, sizeof *x->choice);
    x->beginning =
        json_pack("{s:i, s:o?, s:I, s:o, s:I, s:I}", "hone", 1, "parameters",
                  exec_parameters(setup->space), "valid", (json_int_t)space_count(setup->space),
                  "budget", setup->budget ? json_integer((json_int_t)setup->budget) : json_null(),
                  "seed", (json_int_t)setup->seed, "in_flight", (json_int_t)setup->in_flight);
    bool ok = (x->choice && x->beginning && asked_init(&x->asked, 64)) || error_memory(e);
    ok = ok && read_exec_words(x, setup->argument, e);
    if (ok)
        return &x->base;
    exec_destroy(&x->base);
    return NULL;
}

const struct strategy_operations strategy_exec = {
    .name = "exec",
    .summary =
        "a program of your own, asked and told by lines of JSON (src/doc/strategy-of-your-own.md); "
        "on the command line alone, never by a spec",
    .argument = "PROGRAM ARGUMENTS",
    .create = exec_create,
    .ask = exec_ask,
    .tell = exec_tell,
    .wait = exec_wait,
    .destroy = exec_destroy,
};
