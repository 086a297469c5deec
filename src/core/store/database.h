// The open store: its connection, statements prepared once, values bound by name, transactions, and
// the texts that are known to be in it.
#pragma once

#include "base/arena.h"
#include "base/text.h"
#include "store/store.h"

#include <sqlite3.h>

enum statement {
    STATEMENT_BEGIN,
    STATEMENT_COMMIT,
    STATEMENT_ROLLBACK,
    STATEMENT_PUT_TEXT,
    STATEMENT_PUT_JOB,
    STATEMENT_PUT_SESSION,
    STATEMENT_SURROUNDINGS,
    STATEMENT_PUT_RESULT,
    STATEMENT_FIND,
    STATEMENT_FIND_1, // in a store of version 1
    STATEMENT_FIND_2,
    STATEMENT_HIGHEST,
    STATEMENT_DATA_VERSION,
    STATEMENT_HAS_RESULT,
    STATEMENT_HOLDS, // one that this hone can read
    STATEMENT_HAS_CONFIGURATION,
    STATEMENTS
};

// One text of a set; position is the place in it.
struct text_item {
    const char *kind, *name;
    const void *body;
    uint64_t length;
};

struct text_set {
    struct text_item *items;
    size_t count;
};

// Sets that were written by this handle, with copies of their texts: the job after the next usually
// has the same ones, and comparing bytes is many times cheaper than hashing them.
#define TEXT_SETS 8
struct text_memory {
    struct known_set {
        struct arena arena;
        struct text_set set;
        struct digest digest;
    } known[TEXT_SETS];
    unsigned next; // to be replaced
};

// A session that this handle began, and what it wrote of it.
struct begun {
    uint8_t id[STORE_ID_BYTES];
    int64_t first;    // sequence of the first result
    uint64_t results; // that were committed
    uint64_t pending; // since store_together()
};

// The session of store_begin().
struct run {
    struct arena arena;
    struct store_session session; // its texts, copied
    struct device_info device;    // likewise; what session.device points at, when there is one
    struct digest identity;       // of the device
    struct text_set spec;
    uint8_t id[16];
    bool begun, written;
};

struct store {
    sqlite3 *db;
    struct store *behind; // the next one to ask; or NULL
    bool is_behind;       // not the user's own
    char *path;           // as given, for messages
    enum store_mode mode;
    int64_t version; // of its schema
    sqlite3_stmt *statements[STATEMENTS];
    struct text_memory texts;
    struct run run;
    struct begun *runs; // the last is `run`
    size_t run_count, run_room;
    bool reuse_unseen;
    bool together; // within store_together(); the transaction may have been undone by a failure
    struct text body, samples; // of the result being written; kept for their memory
    struct text_item *items;   // likewise: of the job being written
    size_t item_capacity;
    uint64_t busy_ns;     // since when every call found it locked; 0: the last one did not
    int64_t data_version; // changes when another process has written: what it removed is put again
};

// Where the file lies. Tests say it; store_open() asks the system.
enum place { PLACE_ASK, PLACE_LOCAL, PLACE_SHARED };
struct store *store_open_at(const char *path, enum store_mode mode, enum place place,
                            struct error *e);

// The statement, reset and without values; NULL on failure.
sqlite3_stmt *statement_get(struct store *s, enum statement id, struct error *e);
// Runs SQL that answers no rows.
bool store_execute(struct store *s, const char *sql, const char *doing, struct error *e);
// Runs a statement that answers no rows. `doing` is for the message.
bool statement_run(struct store *s, sqlite3_stmt *statement, const char *doing, struct error *e);

// Values for the parameters of a statement. Nothing is copied: what is bound must live until the
// statement has run. The first failure is kept in `code`.
struct values {
    sqlite3_stmt *statement;
    int code;
};
void value_text(struct values *v, const char *name, const char *text); // NULL is NULL
void value_textn(struct values *v, const char *name, const void *text, uint64_t length);
void value_blob(struct values *v, const char *name, const void *data, size_t length);
void value_digest(struct values *v, const char *name, const struct digest *d);
void value_i64(struct values *v, const char *name, int64_t number);
void value_u64(struct values *v, const char *name, uint64_t number); // at most INT64_MAX is kept
void value_f64(struct values *v, const char *name, double number);
// Runs the statement unless a value failed.
bool values_run(struct values *v, struct store *s, const char *doing, struct error *e);

// Gives the space of what was removed back to the system, and carries the log into the file.
bool store_give_back(struct store *s, struct error *e);
// From a log beside the file to a rollback journal.
bool store_leave_wal(struct store *s, struct error *e);

// No other process writes within it.
bool transaction_begin(struct store *s, struct error *e);
bool transaction_commit(struct store *s, struct error *e);
// Also after a failure that SQLite has rolled back itself.
void transaction_rollback(struct store *s);

// The texts of a job and of the job its reference runs, without repetitions. The items are the
// store's until the next call, the bodies the job's. False without memory.
bool texts_of_job(struct store *s, const struct job *j, struct text_set *out);
// Writes the set unless it is there, within a transaction; *digest names it.
bool texts_put(struct store *s, const struct text_set *set, struct digest *digest, struct error *e);
// The digest that names a set.
void texts_digest(const struct text_set *set, struct digest *out);

// Formats the samples for their column: JSON.
void samples_list(struct text *out, const uint64_t *samples, uint32_t count);

// Room for one more after `count`, in an arena: twice as much when a power of two is full. NULL
// without memory.
void *array_grown(struct arena *a, void *items, size_t count, size_t size);

// The result of a row whose columns from `format_column` on are format, body and log; marked with
// its store if that is behind another. NULL on failure.
struct result *row_result(const struct store *s, sqlite3_stmt *row, int format_column,
                          struct error *e);
// The body of a result: everything but its log, which has a column of its own. False without
// memory.
bool body_write(struct text *out, const struct result *r);
enum fault fault_read(const char *text); // FAULT_COUNT: only a newer hone knows it

// Is the run one of this handle's?
bool store_is_own_run(const struct store *s, const void *session, size_t length);
// Does the result answer beyond its own run, or is that run one of this handle's?
bool store_answers(const struct store *s, bool unseen, const void *session, size_t length);

// The file's size with its log.
uint64_t store_bytes(struct store *s);
// The size of the log alone: writes that are not in the file yet, or were not cleared away since.
uint64_t store_log_bytes(struct store *s);

// Forgets what was written: a transaction was rolled back, or another process has written.
void texts_forget(struct text_memory *m);
