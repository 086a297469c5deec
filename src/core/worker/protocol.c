// The layouts of what frames carry: a codec for each struct, and the names of verbs.
#include "worker/protocol.h"

#include "model/codec.h"

// The fewest bytes each takes on the wire. Of a device: twelve texts and its fixed fields.
enum { DEVICE_LEAST = 160, NOTE_LEAST = 12 };

static const char *const verb_texts[] = {VERBS(LIST_TEXT)};

const char *verb_text(enum verb v)
{
    return (unsigned)v < VERB_COUNT ? verb_texts[v] : "?";
}

void hello_codec(struct wire *w, struct hello *h)
{
    wire_u32(w, &h->protocol);
    codec_text(w, &h->version);
}

static void note_codec(struct wire *w, struct device_note *n)
{
    codec_text(w, &n->device);
    codec_text(w, &n->reason);
    codec_text(w, &n->remedy);
}

void device_report_codec(struct wire *w, struct device_report *r)
{
    wire_array(w, (void **)&r->devices, &r->device_count, sizeof *r->devices, DEVICE_LEAST);
    for (uint32_t i = 0; i < r->device_count; i++)
        device_info_codec(w, &r->devices[i]);
    wire_array(w, (void **)&r->notes, &r->note_count, sizeof *r->notes, NOTE_LEAST);
    for (uint32_t i = 0; i < r->note_count; i++)
        note_codec(w, &r->notes[i]);
    codec_text(w, &r->problem);
}

void open_request_codec(struct wire *w, struct open_request *o)
{
    codec_text(w, &o->id);
    wire_enum(w, &o->role, ROLE_COUNT);
    wire_bool(w, &o->simulated);
    uint32_t targets = o->target != NULL;
    wire_array(w, (void **)&o->target, &targets, sizeof *o->target, DEVICE_LEAST);
    if (targets > 1)
        wire_fail(w, "images are for one device");
    else if (targets == 1 && !w->failed)
        device_info_codec(w, o->target);
}

void opened_codec(struct wire *w, struct opened *o)
{
    device_info_codec(w, &o->info);
    codec_text(w, &o->folders);
}

void image_codec(struct wire *w, struct image *m)
{
    wire_bool(w, &m->primed);
    wire_bytes(w, &m->bytes, &m->length);
    wire_digest(w, &m->digest);
}

void blob_part_codec(struct wire *w, struct blob_part *p)
{
    wire_digest(w, &p->digest);
    wire_u64(w, &p->length);
    wire_u64(w, &p->offset);
    wire_bytes(w, &p->data, &p->size);
    if (p->size > BLOB_PART)
        wire_fail(w, "a part of data is larger than parts are");
}

void output_part_codec(struct wire *w, struct output_part *p)
{
    wire_u32(w, &p->buffer);
    wire_u64(w, &p->offset);
    wire_bytes(w, &p->data, &p->size);
    if (p->size == 0 || p->size > OUTPUT_PART)
        wire_fail(w, "a part of an output is empty, or larger than parts are");
}

void blob_name_codec(struct wire *w, struct blob_name *n)
{
    wire_digest(w, &n->digest);
    codec_text(w, &n->file.path);
    wire_u64(w, &n->file.offset);
    wire_u64(w, &n->file.device);
    wire_u64(w, &n->file.inode);
    wire_u64(w, &n->file.size);
    wire_i64(w, &n->file.modified_s);
    wire_i64(w, &n->file.modified_ns);
    if (n->file.size <= n->file.offset)
        wire_fail(w, "a file of data has none");
}

void phase_codec(struct wire *w, struct phase *p)
{
    wire_enum(w, &p->kind, PHASE_COUNT);
    wire_u32(w, &p->launches);
    wire_bool(w, &p->compiles);
}
