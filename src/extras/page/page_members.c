// The devices that shared a tune, out of the surroundings that the store has of its run (session_describe()): JSON behind
// "devices=". A store may come from anybody: every member is checked.
#include "extras/page/page.h"

#include "runner/farm.h"
#include "campaign/subject.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

static const char *find_members(const char *surroundings)
{
    for (const char *at = surroundings; (at = strstr(at, SUBJECT_DEVICES "[")); at++) {
        if (at == surroundings || at[-1] == ' ')
            return at;
    }
    return NULL;
}

const char *page_without_members(const char *surroundings, struct arena *a)
{
    const char *at = find_members(surroundings);
    size_t length = at ? (size_t)(at - surroundings) : strlen(surroundings);
    while (at && length > 0 && surroundings[length - 1] == ' ')
        length--;
    return arena_printf(a, "%.*s", (int)length, surroundings);
}

static double member_number(json_t *v)
{
    return json_is_number(v) ? json_number_value(v) : NAN;
}

static const char *member_text(json_t *object, const char *key, struct arena *a)
{
    const char *text = json_string_value(json_object_get(object, key));
    return arena_strdup(a, text ? text : "");
}

bool page_read_members(struct page_set *s, const char *surroundings, struct arena *a)
{
    const char *at = find_members(surroundings);
    json_t *list = at ? json_loads(at + strlen(SUBJECT_DEVICES), 0, NULL) : NULL;
    size_t count = json_array_size(list);
    bool ok = true;
    if (count == 0 || count > FARM_MOST) {
        json_decref(list);
        return true;
    }
    struct page_member *members = arena_array(a, count, sizeof *members);
    ok = members != NULL;
    for (size_t i = 0; ok && i < count; i++) {
        json_t *m = json_array_get(list, i), *interval = json_object_get(m, "ratio_interval");
        members[i] = (struct page_member){.name = member_text(m, "name", a),
                                          .node = member_text(m, "node", a),
                                          .state = member_text(m, "state", a),
                                          .why = member_text(m, "why", a),
                                          .results = member_number(json_object_get(m, "results")),
                                          .rounds = member_number(json_object_get(m, "rounds")),
                                          .ratio = member_number(json_object_get(m, "ratio")),
                                          .low = member_number(json_array_get(interval, 0)),
                                          .high = member_number(json_array_get(interval, 1))};
        ok = members[i].name && members[i].node && members[i].state && members[i].why;
    }
    s->members = members;
    s->member_count = ok ? (uint32_t)count : 0;
    json_decref(list);
    return ok;
}
