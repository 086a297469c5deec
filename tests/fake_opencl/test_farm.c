// Tunes on several equal cards of one host: the same results as on one, a slow card found, one that is
// too slow left out, a lost one's work done by the others, and many cards as much faster as they are many.
#include "../fake_driver/tunes.h"

#include "base/digest.h"
#include "worker/device_lock.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct tune t;
static struct text output = TEXT_INIT;

static void begin(void)
{
    static const char *const orders[] = {"DEVICES", "SPEED", "NOISE",  "ONLY",
                                         "DIE",     "HOW",   "MODELS", "LIE"};
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
        tune_order(orders[i], NULL);
    tune_prepare(&t);
}

static void end(void)
{
    ck_assert(tune_leaves_no_worker(&t));
    folder_remove(t.folder);
    text_release(&output);
}

// Its output, where it ended well.
static const char *tuned(const char *const *arguments)
{
    tune_start(&t, arguments);
    int code = tune_end(&t, 120 * SECONDS);
    tune_output(&t, &output);
    ck_assert_msg(code == 0, "exit %d: %.1500s", code, text_cstr(&output));
    return text_cstr(&output);
}

// The number behind `key` after the first `from` in the text; NAN: there is none.
static double number_after(const char *text, const char *from, const char *key)
{
    const char *at = strstr(text, from);
    at = at ? strstr(at, key) : NULL;
    return at ? strtod(at + strlen(key), NULL) : NAN;
}

static const char *const shared[] = {"--on", "local", "--json", NULL};

// Each result once, whoever measured it.
static void check_whole(void)
{
    struct stored s;
    tune_stored(&t, &s);
    for (unsigned i = 0; i < CONFIGURATIONS; i++)
        ck_assert_msg(s.correct_of[i] >= 1 && s.last[i] == STATUS_CORRECT, "ID=%u: %s", i,
                      s.message[i]);
}

START_TEST(four_cards_find_what_one_finds)
{
    static const char *const alone[] = {"--json", NULL}, *const again[] = {"--on", "local", NULL};
    tune_order("NOISE", "2000");
    tune_order("DEVICES", "4");
    const char *said = tuned(shared);
    ck_assert_ptr_nonnull(strstr(said, "\"done\":40"));
    ck_assert_ptr_nonnull(strstr(said, "\"chosen\":{\"ID\": 0}"));
    for (unsigned i = 0; i < 4; i++) {
        char bus[32];
        snprintf(bus, sizeof bus, ":%x:00.0)\"", 0x65 + i);
        ck_assert_msg(number_after(said, bus, "\"results\":") > 0, "card %u: %s", i, said);
        ck_assert_msg(number_after(said, bus, "\"rounds\":") > 0, "card %u: %s", i, said);
    }
    check_whole();
    // The ranking is one that a process with one card decides again, without a launch.
    said = tuned(alone);
    ck_assert_ptr_nonnull(strstr(said, "\"chosen\":{\"ID\": 0}"));
    ck_assert_ptr_nonnull(strstr(said, "\"known\":true"));
    ck_assert_ptr_nonnull(strstr(said, "\"samples\":0,\"launches\":0"));
    said = tuned(again);
    ck_assert_msg(strstr(said, "4 of 4 devices could be used; none had to run anything"), "%s",
                  said);
}
END_TEST

START_TEST(a_slow_card_is_found_and_counts_for_no_configuration)
{
    tune_order("DEVICES", "4");
    tune_order("NOISE", "2000");
    tune_order("SPEED", "100,100,104,100");
    const char *said = tuned(shared);
    ck_assert_ptr_nonnull(strstr(said, "\"chosen\":{\"ID\": 0}"));
    double ratio = number_after(said, ":67:00.0)\"", "\"ratio\":");
    double low = number_after(said, ":67:00.0)\"", "\"ratio_interval\":[");
    ck_assert_msg(ratio > 1.035 && ratio < 1.045 && low > 1.03 && low <= ratio, "%g from %g: %s",
                  ratio, low, said);
    ck_assert_ptr_null(strstr(said, "left out"));
    check_whole();
}
END_TEST

// A view of the report on the store, as CSV.
static const char *reported(const char *view)
{
    char command[512], store[128], part[1024];
    tune_path(&t, "store.sqlite", store);
    str_format(command, sizeof command,
               "'" HONE_BINARY_DIR "/hone' report '%s' --store '%s' --format csv --views %s",
               t.spec, store, view);
    FILE *out = popen(command, "r");
    ck_assert_ptr_nonnull(out);
    text_clear(&output);
    while (fgets(part, sizeof part, out))
        text_add(&output, part);
    ck_assert_msg(pclose(out) == 0, "%s", command);
    return text_cstr(&output);
}

START_TEST(a_card_that_is_too_slow_is_left_out)
{
    tune_order("DEVICES", "3");
    tune_order("NOISE", "2000");
    tune_order("SPEED", "100,125,100");
    const char *said = tuned(shared);
    ck_assert_ptr_nonnull(strstr(said, "is left out: it is 2"));
    ck_assert_ptr_nonnull(strstr(said, "\"state\":\"left out\""));
    ck_assert(number_after(said, ":66:00.0)\"", "\"results\":") <=
              1); // at most the reference itself
    ck_assert(number_after(said, ":66:00.0)\"", "\"rounds\":") == 0);
    ck_assert_ptr_nonnull(strstr(said, "\"chosen\":{\"ID\": 0}"));
    check_whole();
    // The store knows of each.
    said = reported("devices");
    ck_assert_msg(strstr(said, ":65:00.0),,working,"), "%s", said);
    ck_assert_msg(strstr(said, ":66:00.0),,left out,"), "%s", said);
    ck_assert_msg(strstr(said, "it is 2"), "%s", said);
    ck_assert_ptr_nonnull(strstr(said, ":67:00.0),,working,"));
}
END_TEST

// The one that is named comes first, and its siblings share the work.
START_TEST(any_of_equal_cards_can_be_named)
{
    static const char *const second[] = {"--on", "local", "--json", "-d", "1", NULL};
    static const char *const third[] = {"--on", "local", "--json", "-d", "2", NULL};
    static const char *const *const named[] = {second, third};
    tune_order("DEVICES", "3");
    for (unsigned i = 0; i < 2; i++) {
        const char *said = tuned(named[i]);
        const char *list = strstr(said, "\"devices\":[");
        const char *one = list ? strstr(list, i == 0 ? ":66:00.0" : ":67:00.0") : NULL;
        const char *first = list ? strstr(list, ":65:00.0") : NULL;
        ck_assert_msg(one && first && one < first, "%s", said);
    }
}
END_TEST

START_TEST(the_card_that_is_left_has_all_rounds)
{
    tune_order("DEVICES", "2");
    tune_order("NOISE", "2000");
    tune_order("SPEED", "100,125");
    const char *said = tuned(shared);
    ck_assert_msg(number_after(said, ":66:00.0)\"", "\"rounds\":") == 0, "%s", said);
    ck_assert_msg(number_after(said, ":65:00.0)\"", "\"rounds\":") > 0, "%s", said);
    check_whole();
}
END_TEST

// The store has all that the search asks for: the first that this card is given is the ranking's.
static void rank_what_is_known(void)
{
    static const char *const unranked[] = {"--json", "--unranked", NULL};
    tuned(unranked);
    tune_order("DEVICES", "3");
}

START_TEST(a_card_that_is_too_slow_is_left_out_of_a_ranking)
{
    rank_what_is_known();
    tune_order("SPEED", "100,125,100");
    const char *said = tuned(shared);
    ck_assert_msg(strstr(said, "is left out: it is 2"), "%s", said);
    ck_assert_ptr_nonnull(strstr(said, "\"state\":\"left out\""));
    ck_assert_msg(number_after(said, ":66:00.0)\"", "\"rounds\":") == 0, "%s", said);
    ck_assert(number_after(said, ":67:00.0)\"", "\"rounds\":") > 0);
    ck_assert_ptr_nonnull(strstr(said, "\"chosen\":{\"ID\": 0}"));
    check_whole();
}
END_TEST

START_TEST(a_card_that_computes_wrong_costs_no_finalist)
{
    rank_what_is_known();
    tune_order("LIE", "garbage");
    tune_order("ONLY", "1");
    const char *said = tuned(shared);
    ck_assert_msg(strstr(said, "is left out: what is correct elsewhere fails there: "), "%s", said);
    ck_assert_ptr_nonnull(strstr(said, "\"state\":\"left out\""));
    ck_assert_ptr_nonnull(strstr(said, "\"chosen\":{\"ID\": 0}"));
    check_whole();
}
END_TEST

// A launch of 20 ms is enough where cards agree; where they do not, more are taken before one is left out.
START_TEST(long_launches_try_the_cards_at_once)
{
    tune_order("DEVICES", "2");
    tune_order("NOISE", "2000");
    tune_order("SPEED", _i ? "20000,25000" : "20000,20200");
    const char *said = tuned(shared);
    ck_assert_ptr_nonnull(strstr(said, "\"chosen\":{\"ID\": 0}"));
    check_whole();
    double results = number_after(said, ":66:00.0)\"", "\"results\":");
    double ratio = number_after(said, ":66:00.0)\"", "\"ratio\":");
    if (_i == 0) {
        ck_assert_msg(results > 10 && fabs(ratio - 1.01) < 0.004, "%g: %s", ratio, said);
    } else {
        ck_assert_msg(strstr(said, "is left out: it is 2"), "%s", said);
        ck_assert(results <= 1 && fabs(ratio - 1.25) < 0.01);
    }
}
END_TEST

START_TEST(who_says_so_keeps_it)
{
    static const char *const all[] = {"--on", "local", "--rule", "outlier=1000", "--json", NULL};
    tune_order("DEVICES", "3");
    tune_order("SPEED", "100,125,100");
    const char *said = tuned(all);
    ck_assert_ptr_null(strstr(said, "left out"));
    double ratio = number_after(said, ":66:00.0)\"", "\"ratio\":");
    ck_assert_msg(fabs(ratio - 1.25) < 0.01, "%g: %s", ratio, said);
}
END_TEST

START_TEST(a_lost_card_s_work_is_done_by_the_others)
{
    struct stored s;
    tune_order("DEVICES", "3");
    tune_order("DIE", "#60"); // its 60th launch
    tune_order("HOW", "kill");
    tune_order("DEAD", "open");
    tune_order("ONLY", "1");
    const char *said = tuned(shared);
    ck_assert_msg(strstr(said, " is lost: "), "%s", said);
    ck_assert_ptr_nonnull(strstr(said, "\"state\":\"lost\""));
    ck_assert_ptr_nonnull(strstr(said, "\"done\":40"));
    // What ran there when the card died is blamed, at most; nothing is lost or doubled.
    tune_stored(&t, &s);
    unsigned correct = 0;
    for (unsigned i = 0; i < CONFIGURATIONS; i++)
        correct += s.correct_of[i] > 0;
    ck_assert_msg(correct >= CONFIGURATIONS - 1, "%u", correct);
}
END_TEST

START_TEST(cards_of_another_kind_are_left_alone)
{
    tune_order("DEVICES", "3");
    tune_order("MODELS", "1,2,1");
    const char *said = tuned(shared);
    ck_assert_msg(strstr(said, "left alone: Fake model 2"), "%s", said);
    ck_assert(isnan(number_after(said, ":66:00.0)\"", "\"results\":")));
    ck_assert(number_after(said, ":67:00.0)\"", "\"results\":") > 0);
}
END_TEST

START_TEST(a_check_is_shared)
{
    struct stored s;
    tune_order("DEVICES", "3");
    tune_order("SPEED", "100,150,100"); // nothing is timed
    t.command = "check";
    const char *said = tuned((const char *const[]){"--on", "local", NULL});
    ck_assert_msg(strstr(said, "OK: 40 configurations are correct"), "%s", said);
    tune_stored(&t, &s);
    ck_assert_uint_eq(s.rows, CONFIGURATIONS);
}
END_TEST

// Two configurations of 121 and 128 us, on the right side 2 and 4 % slower; cards differ by more.
static const char *const compared[] = {
    "--on",    "local",       "--right", "option=-DFAKE_NS=123420",
    "--where", "ID in [3,4]", "--json",  NULL};

START_TEST(sides_are_compared_on_all_cards)
{
    tune_order("DEVICES", "3");
    tune_order("NOISE", "2000");
    tune_order("SPEED", "100,106,100");
    t.command = "compare";
    const char *said = tuned(compared);
    ck_assert_ptr_nonnull(strstr(said, "\"compared\":2"));
    double ratio = number_after(said, "\"ID\": 3", "\"ratio\":");
    ck_assert_msg(fabs(ratio - 1 / 1.02) < 0.003, "%g: %s", ratio, said);
    ratio = number_after(said, "\"ratio_of_bests\"", ":");
    ck_assert_msg(fabs(ratio - 1 / 1.02) < 0.003, "%g: %s", ratio, said);
    double slow = number_after(said, ":66:00.0)\"", "\"ratio\":");
    ck_assert_msg(fabs(slow - 1.06) < 0.01, "%g: %s", slow, said);
    for (unsigned i = 0; i < 3; i++) {
        char bus[32];
        snprintf(bus, sizeof bus, ":%x:00.0)\"", 0x65 + i);
        ck_assert_msg(number_after(said, bus, "\"rounds\":") >= 6, "card %u: %s", i, said);
    }
}
END_TEST

static void open_lock(struct device_lock *l, const char *address)
{
    const struct device_info d = {
        .type = DEVICE_GPU, .name = "", .id = "", .pci = address, .uuid = ""};
    struct error e = ERROR_INIT;
    ck_assert_msg(device_lock_open(l, "/tmp", &d, &e), "%s", e.text);
}

// A name that fits equal cards takes the first that is free, and says which; the first is waited for where none is.
START_TEST(the_first_card_that_is_free_is_taken)
{
    char addresses[2][32];
    struct device_lock locks[2];
    struct digest digest;
    tune_order("DEVICES", "2");
    digest_of(t.folder, strlen(t.folder), &digest); // of the address, as tune_start() has it
    for (int i = 0; i < 2; i++) {
        str_format(addresses[i], sizeof addresses[i], "%04x:%02x:00.0",
                   digest.bytes[0] << 8 | digest.bytes[1], 0x65 + i);
        open_lock(&locks[i], addresses[i]);
    }
    const char *const named[] = {"--device", "fake", "--where", "ID in [3,4]", NULL};
    ck_assert_ptr_nonnull(
        strstr(tuned(named), "2 equal devices fit 'fake'; took the first that is free"));
    ck_assert_ptr_nonnull(strstr(text_cstr(&output), addresses[0]));
    ck_assert_int_eq(device_lock_try(&locks[0], NULL), 1);
    ck_assert_ptr_nonnull(strstr(tuned(named), addresses[1]));
    device_lock_close(&locks[0]);
    device_lock_close(&locks[1]);
}
END_TEST

// Two that are named, of three.
START_TEST(two_equal_cards_are_compared_with_each_other)
{
    char left[32], right[32];
    struct digest digest;
    tune_order("DEVICES", "3");
    tune_order("SPEED", "100,100,106");
    digest_of(t.folder, strlen(t.folder), &digest); // of the address, as tune_start() has it
    unsigned domain = digest.bytes[0] << 8 | digest.bytes[1];
    str_format(left, sizeof left, "device=%04x:67:00.0", domain);
    str_format(right, sizeof right, "device=%04x:66:00.0", domain);
    const char *const named[] = {"--on", "local",   "--left",      left,     "--right",
                                 right,  "--where", "ID in [3,4]", "--json", NULL};
    t.command = "compare";
    const char *said = tuned(named);
    double ratio = number_after(said, "\"mean_ratio\"", ":");
    ck_assert_msg(fabs(ratio - 1.06) < 0.002, "%g: %s", ratio, said);
    ck_assert_ptr_nonnull(strstr(said, "\"devices\":null"));
}
END_TEST

START_TEST(sides_are_compared_without_a_card_that_is_too_slow)
{
    tune_order("DEVICES", "3");
    tune_order("NOISE", "2000");
    tune_order("SPEED", "100,125,100");
    t.command = "compare";
    const char *said = tuned(compared);
    ck_assert_msg(strstr(said, "is left out: it is 2"), "%s", said);
    ck_assert_ptr_nonnull(strstr(said, "\"state\":\"left out\""));
    ck_assert_msg(number_after(said, ":66:00.0)\"", "\"rounds\":") == 0, "%s", said);
    ck_assert(number_after(said, ":67:00.0)\"", "\"rounds\":") > 0);
}
END_TEST

// Each is tuned first, on all cards, too.
START_TEST(the_bests_of_specs_are_compared_on_all_cards)
{
    static const char *const two[] = {FAKE_OTHER_SPEC, "--on", "local", "--json", NULL};
    tune_order("DEVICES", "2");
    tune_order("NOISE", "2000");
    tune_order("SPEED", "104,100");
    t.command = "compare";
    const char *said = tuned(two);
    double ratio = number_after(said, "\"place\":2", "\"ratio\":");
    ck_assert_msg(fabs(ratio - 1.5) < 0.005, "%g: %s", ratio, said);
    ck_assert(number_after(said, ":65:00.0)\"", "\"rounds\":") >= 6);
    ck_assert(number_after(said, ":66:00.0)\"", "\"rounds\":") >= 6);
}
END_TEST

START_TEST(a_comparison_survives_a_lost_card)
{
    tune_order("DEVICES", "3");
    tune_order("DIE", "#12");
    tune_order("HOW", "kill");
    tune_order("DEAD", "open");
    tune_order("ONLY", "1");
    t.command = "compare";
    const char *said = tuned(compared);
    ck_assert_msg(strstr(said, " is lost: "), "%s", said);
    ck_assert_ptr_nonnull(strstr(said, "\"state\":\"lost\""));
    ck_assert_ptr_nonnull(strstr(said, "\"compared\":2"));
}
END_TEST

// Two kinds of card, of which each likes what the other likes least.
static void check_kinds(const char *said)
{
    const char *first = strstr(said, "\"type\":\"summary\""), *second = NULL;
    if (first)
        second = strstr(first + 1, "\"type\":\"summary\"");
    ck_assert_msg(second != NULL, "%s", said);
    ck_assert_msg(str_starts(strstr(first, "\"configuration\":"), "\"configuration\":{\"ID\": 0}"),
                  "%s", first);
    ck_assert_msg(
        str_starts(strstr(second, "\"configuration\":"), "\"configuration\":{\"ID\": 39}"), "%s",
        second);
}

START_TEST(each_kind_of_device_has_a_result)
{
    static const char *const all[] = {"--device", "all", "--json", NULL};
    char spec[160];
    snprintf(spec, sizeof spec, "%s", FAKE_KINDS_SPEC);
    t.spec = spec;
    tune_order("DEVICES", "3");
    tune_order("MODELS", "1,2,2");
    tune_order("NOISE", "2000");
    check_kinds(tuned(all));
}
END_TEST

START_TEST(equal_cards_of_each_kind_share_its_tune)
{
    static const char *const all[] = {"--device", "all", "--on", "local", "--json", NULL};
    char spec[160];
    snprintf(spec, sizeof spec, "%s", FAKE_KINDS_SPEC);
    t.spec = spec;
    tune_order("DEVICES", "4");
    tune_order("MODELS", "1,2,1,2");
    tune_order("NOISE", "2000");
    const char *said = tuned(all);
    check_kinds(said);
    ck_assert_ptr_null(strstr(said, "left alone"));
    for (unsigned i = 0; i < 4; i++) {
        char bus[32];
        snprintf(bus, sizeof bus, ":%x:00.0)\"", 0x65 + i);
        ck_assert_msg(number_after(said, bus, "\"rounds\":") > 0, "card %u: %s", i, said);
    }
}
END_TEST

// Launches of 50 ms, without a ranking. A busy machine may hold up the start of the four workers for longer than all of them:
// one of three tunes has to show it; tests/bench/farm.sh measures the real speed-up.
START_TEST(many_cards_share_the_time)
{
    static const char *const one[] = {"--json", "--unranked", "--fresh", NULL};
    static const char *const many[] = {"--json", "--unranked", "--fresh", "--on", "local", NULL};
    char long_spec[160];
    snprintf(long_spec, sizeof long_spec, "%s", FAKE_LONG_SPEC);
    t.spec = long_spec;
    double alone = number_after(tuned(one), "\"summary\"", "\"elapsed_ns\":");
    double together = INFINITY;
    tune_order("DEVICES", "4");
    for (int tries = 0; tries < 3 && !(alone > 2 * together); tries++)
        together = number_after(tuned(many), "\"summary\"", "\"elapsed_ns\":");
    ck_assert_msg(alone > 2 * together, "%g s alone, %g s together", alone / 1e9, together / 1e9);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("farm");
    TCase *cases = tcase_create("farm");
    tcase_set_timeout(cases, 400);
    tcase_add_checked_fixture(cases, begin, end);
    tcase_add_test(cases, four_cards_find_what_one_finds);
    tcase_add_test(cases, a_slow_card_is_found_and_counts_for_no_configuration);
    tcase_add_test(cases, a_card_that_is_too_slow_is_left_out);
    tcase_add_test(cases, any_of_equal_cards_can_be_named);
    tcase_add_test(cases, the_card_that_is_left_has_all_rounds);
    tcase_add_test(cases, a_card_that_is_too_slow_is_left_out_of_a_ranking);
    tcase_add_test(cases, a_card_that_computes_wrong_costs_no_finalist);
    tcase_add_loop_test(cases, long_launches_try_the_cards_at_once, 0, 2);
    tcase_add_test(cases, who_says_so_keeps_it);
    tcase_add_test(cases, a_lost_card_s_work_is_done_by_the_others);
    tcase_add_test(cases, cards_of_another_kind_are_left_alone);
    tcase_add_test(cases, a_check_is_shared);
    tcase_add_test(cases, sides_are_compared_on_all_cards);
    tcase_add_test(cases, the_first_card_that_is_free_is_taken);
    tcase_add_test(cases, two_equal_cards_are_compared_with_each_other);
    tcase_add_test(cases, sides_are_compared_without_a_card_that_is_too_slow);
    tcase_add_test(cases, the_bests_of_specs_are_compared_on_all_cards);
    tcase_add_test(cases, a_comparison_survives_a_lost_card);
    tcase_add_test(cases, each_kind_of_device_has_a_result);
    tcase_add_test(cases, equal_cards_of_each_kind_share_its_tune);
    tcase_add_test(cases, many_cards_share_the_time);
    suite_add_tcase(s, cases);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed > 0;
}
