// Fits the model of waves: slopes by least squares, then for each candidate the count of resident work-groups.
#include "extras/deploy/waves.h"

#include <math.h>
#include <string.h>

enum { ROWS_LEAST = 5 }; // with times, that something is learned of

#define PENALTY    1e-3 // on squared slopes, so that sizes that go together share theirs
#define MUCH_LESS  0.4  // of the error with one resident work-group: another count is taken
#define SLOPE_MOST 64

static const uint32_t residents[] = {0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32};

static size_t cell_of(const struct deploy_matrix *m, uint32_t row, uint32_t candidate)
{
    return (size_t)row * m->candidate_count + candidate;
}

static uint32_t row_count(const struct deploy_matrix *m)
{
    return m->point_count + m->drawn_count;
}

static int64_t groups_at(const struct deploy_waves *w, const struct deploy_matrix *m, uint32_t row,
                         uint32_t candidate)
{
    return m->groups[cell_of(m, row + w->model.launch * row_count(m), candidate)];
}

static bool is_timed(const struct deploy_waves *w, const struct deploy_matrix *m, uint32_t row,
                     uint32_t candidate)
{
    return m->ns[cell_of(m, row, candidate)] > 0 && groups_at(w, m, row, candidate) > 0;
}

// In units of 2^-16.
static int64_t time_log2(double ns)
{
    return (int64_t)floor(log2(ns) * 65536);
}

bool deploy_waves_init(struct deploy_waves *w, const struct deploy_matrix *m, struct arena *a)
{
    const uint32_t rows = row_count(m), columns = m->column_count;
    int32_t *logarithms = arena_array(a, (size_t)rows * columns + 1, sizeof *logarithms);
    int64_t *shapes = arena_array(a, (size_t)rows * columns + 1, sizeof *shapes);
    memset(w, 0, sizeof *w);
    for (uint32_t row = 0; logarithms && shapes && row < rows; row++) {
        for (uint32_t i = 0; i < columns; i++) {
            shapes[(size_t)row * columns + i] = m->shapes[row][i];
            logarithms[(size_t)row * columns + i] = (int32_t)hone_core_log2(m->shapes[row][i]);
        }
    }
    w->core.column_count = columns;
    w->core.configuration_count = m->candidate_count;
    w->core.shapes = shapes;
    w->core.logarithms = logarithms;
    w->device.compute_units = m->compute_units;
    w->device.count = rows;
    return logarithms && shapes;
}

static const int32_t *at_row(const struct deploy_waves *w, uint32_t row)
{
    return w->core.logarithms + (size_t)row * w->core.column_count;
}

uint64_t deploy_waves_distance(const struct deploy_waves *w, uint32_t row, uint32_t other)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < w->core.column_count; i++) {
        int64_t apart = (int64_t)at_row(w, row)[i] - at_row(w, other)[i];
        sum += (uint64_t)(apart * apart);
    }
    return sum;
}

uint32_t deploy_waves_insert(hone_core_near *list, uint32_t count, uint32_t row, uint64_t distance)
{
    uint32_t at = count;
    for (; at > 0 && (distance < list[at - 1].distance ||
                      (distance == list[at - 1].distance && row < list[at - 1].point));
         at--) {
        if (at < HONE_CORE_NEAR)
            list[at] = list[at - 1];
    }
    if (at < HONE_CORE_NEAR)
        list[at] = (hone_core_near){.point = row, .distance = distance};
    return count < HONE_CORE_NEAR ? count + 1 : count;
}

void deploy_waves_order(const struct deploy_waves *w, uint32_t row, hone_core_near *list,
                        uint32_t count)
{
    const uint32_t columns = w->core.column_count;
    hone_core_near ordered[HONE_CORE_NEAR] = {{0}};
    uint32_t done = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t unlike =
            hone_core_unlike(w->core.shapes + (size_t)row * columns,
                             w->core.shapes + (size_t)list[i].point * columns, columns);
        done = deploy_waves_insert(ordered, done, list[i].point, list[i].distance + unlike);
    }
    memcpy(list, ordered, count * sizeof *list);
}

int64_t deploy_waves_predict(const struct deploy_waves *w, const struct deploy_matrix *m,
                             uint32_t row, uint32_t candidate, const hone_core_near *list,
                             uint32_t count)
{
    const int64_t groups = groups_at(w, m, row, candidate);
    const int64_t time = hone_core_wave_time(candidate, list, count);
    return groups < 1 || time == INT64_MAX
               ? INT64_MAX
               : time +
                     hone_core_waves(groups, w->model.resident[candidate], w->device.compute_units);
}

void deploy_waves_weigh(const struct deploy_waves *w, uint32_t row, hone_core_near *list,
                        uint32_t count)
{
    int64_t at[HONE_CORE_SLOTS];
    for (uint32_t i = 0; i < w->core.column_count; i++)
        at[i] = at_row(w, row)[i];
    for (uint32_t i = 0; i < count; i++) {
        list[i].logarithms = at_row(w, list[i].point);
        list[i].costs = w->model.costs + (size_t)list[i].point * w->core.configuration_count;
    }
    hone_core_weigh(w->model.slopes, w->core.column_count, at, list, count);
}

// ---- slopes ------------------------------------------------------------------------------------

// Solves for `slopes` by elimination; the matrix is symmetric, and the penalty makes it definite.
static void solve_slopes(double (*normal)[HONE_CORE_SLOTS], double *right, uint32_t columns,
                         double *slopes)
{
    for (uint32_t i = 0; i < columns; i++) {
        for (uint32_t k = i + 1; k < columns; k++) {
            double factor = normal[k][i] / normal[i][i];
            for (uint32_t c = i; c < columns; c++)
                normal[k][c] -= factor * normal[i][c];
            right[k] -= factor * right[i];
        }
    }
    for (uint32_t i = columns; i-- > 0;) {
        slopes[i] = right[i];
        for (uint32_t k = i + 1; k < columns; k++)
            slopes[i] -= normal[i][k] * slopes[k];
        slopes[i] /= normal[i][i];
    }
}

static double wave_log2(const struct deploy_waves *w, const struct deploy_matrix *m, uint32_t row,
                        uint32_t candidate)
{
    return log2(m->ns[cell_of(m, row, candidate)]) -
           (double)hone_core_waves(groups_at(w, m, row, candidate), 1, m->compute_units) / 65536;
}

// Each candidate's times about their own mean.
static void fit_slopes(const struct deploy_waves *w, const struct deploy_matrix *m, int64_t *out)
{
    double normal[HONE_CORE_SLOTS][HONE_CORE_SLOTS] = {{0}}, right[HONE_CORE_SLOTS] = {0};
    double slopes[HONE_CORE_SLOTS], mean[HONE_CORE_SLOTS];
    const uint32_t columns = m->column_count;
    for (uint32_t i = 0; i < columns; i++)
        normal[i][i] = PENALTY;
    for (uint32_t c = 0; c < m->candidate_count; c++) {
        double count = 0, mean_time = 0;
        memset(mean, 0, sizeof mean);
        for (uint32_t pass = 0; pass < 2; pass++) {
            for (uint32_t row = 0; row < row_count(m); row++) {
                if (!is_timed(w, m, row, c))
                    continue;
                const int32_t *at = at_row(w, row);
                double time = wave_log2(w, m, row, c);
                if (pass == 0) {
                    count++;
                    mean_time += (time - mean_time) / count;
                }
                for (uint32_t i = 0; i < columns; i++) {
                    double x = (double)at[i] / 65536;
                    mean[i] += pass == 0 ? (x - mean[i]) / count : 0;
                    for (uint32_t k = 0; pass == 1 && k < columns; k++)
                        normal[i][k] += (x - mean[i]) * ((double)at[k] / 65536 - mean[k]);
                    right[i] += pass == 1 ? (x - mean[i]) * (time - mean_time) : 0;
                }
            }
        }
    }
    solve_slopes(normal, right, columns, slopes);
    for (uint32_t i = 0; i < columns; i++)
        out[i] = (int64_t)(fmax(-SLOPE_MOST, fmin(SLOPE_MOST, slopes[i])) * 65536);
}

// ---- resident work-groups ----------------------------------------------------------------------

// The nearest rows of each, but not itself.
struct row_neighbours {
    hone_core_near near[HONE_CORE_NEAR];
    uint32_t count;
};

static struct row_neighbours *find_neighbours(const struct deploy_waves *w, uint32_t rows,
                                              struct arena *a)
{
    struct row_neighbours *all = arena_array(a, rows + (size_t)1, sizeof *all);
    for (uint32_t row = 0; all && row < rows; row++) {
        all[row].count = 0;
        for (uint32_t other = 0; other < rows; other++) {
            if (other != row)
                all[row].count = deploy_waves_insert(all[row].near, all[row].count, other,
                                                     deploy_waves_distance(w, row, other));
        }
        deploy_waves_order(w, row, all[row].near, all[row].count);
        deploy_waves_weigh(w, row, all[row].near, all[row].count);
    }
    return all;
}

// Sets the candidate's costs.
static void take_resident(const struct deploy_waves *w, const struct deploy_matrix *m, uint32_t c,
                          uint32_t resident, uint32_t *residents_of, int32_t *costs)
{
    residents_of[c] = resident;
    for (uint32_t row = 0; row < row_count(m); row++) {
        size_t at = cell_of(m, row, c);
        costs[at] = HONE_CORE_UNTIMED;
        if (is_timed(w, m, row, c))
            costs[at] =
                (int32_t)(time_log2(m->ns[at]) - hone_core_waves(groups_at(w, m, row, c), resident,
                                                                 w->device.compute_units));
    }
}

// The sum over the rows of how far what the others predict is off.
static double error_of(const struct deploy_waves *w, const struct deploy_matrix *m, uint32_t c,
                       const struct row_neighbours *neighbours)
{
    double sum = 0;
    for (uint32_t row = 0; row < row_count(m); row++) {
        const struct row_neighbours *n = &neighbours[row];
        int64_t time = is_timed(w, m, row, c)
                           ? deploy_waves_predict(w, m, row, c, n->near, n->count)
                           : INT64_MAX;
        if (time != INT64_MAX)
            sum += fabs((double)(time - time_log2(m->ns[cell_of(m, row, c)])));
    }
    return sum;
}

// Returns the error that is left.
static double fit_resident(const struct deploy_waves *w, const struct deploy_matrix *m, uint32_t c,
                           const struct row_neighbours *neighbours, uint32_t *residents_of,
                           int32_t *costs)
{
    const uint32_t usual = m->compute_units > 0;
    uint32_t timed = 0, best = usual;
    for (uint32_t row = 0; row < row_count(m); row++)
        timed += is_timed(w, m, row, c);
    take_resident(w, m, c, usual, residents_of, costs);
    double least = MUCH_LESS * error_of(w, m, c, neighbours);
    for (size_t i = 0; usual && timed >= ROWS_LEAST && i < sizeof residents / sizeof *residents;
         i++) {
        take_resident(w, m, c, residents[i], residents_of, costs);
        double error = error_of(w, m, c, neighbours);
        if (error < least) {
            least = error;
            best = residents[i];
        }
    }
    take_resident(w, m, c, best, residents_of, costs);
    return error_of(w, m, c, neighbours);
}

// By the work-groups of one launch, into w->model. The error that is left; -1: without memory.
static double fit_launch(struct deploy_waves *w, const struct deploy_matrix *m, uint32_t launch,
                         struct arena *a)
{
    const uint32_t rows = row_count(m);
    double error = 0;
    int64_t *slopes = arena_array(a, m->column_count, sizeof *slopes);
    uint32_t *residents_of = arena_array(a, m->candidate_count, sizeof *residents_of);
    int32_t *costs = arena_array(a, (size_t)rows * m->candidate_count, sizeof *costs);
    if (!slopes || !residents_of || !costs)
        return -1;
    w->model = (hone_core_model){launch, NULL, slopes, residents_of, costs};
    w->device.model = &w->model;
    fit_slopes(w, m, slopes);
    const struct row_neighbours *neighbours = find_neighbours(w, rows, a);
    if (!neighbours)
        return -1;
    for (uint32_t c = 0; c < m->candidate_count; c++)
        error += fit_resident(w, m, c, neighbours, residents_of, costs);
    return error;
}

// How many times there are beside work-groups in the launch; 0: in too few rows.
static uint32_t count_timed(struct deploy_waves *w, const struct deploy_matrix *m, uint32_t launch)
{
    uint32_t rows = 0, timed = 0;
    w->model.launch = launch;
    for (uint32_t row = 0; row < row_count(m); row++) {
        uint32_t before = timed;
        for (uint32_t c = 0; c < m->candidate_count; c++)
            timed += is_timed(w, m, row, c);
        rows += timed > before;
    }
    return rows < ROWS_LEAST ? 0 : timed;
}

// Chooses, among the launches with the most times, the one with the smallest error.
bool deploy_waves_fit(struct deploy_waves *w, const struct deploy_matrix *m, struct arena *a)
{
    struct deploy_waves best = *w;
    double least = INFINITY;
    uint32_t most = 1;
    const uint32_t launches = m->groups && m->column_count <= HONE_CORE_SLOTS ? m->launch_count : 0;
    for (uint32_t l = 0; l < launches; l++) {
        uint32_t timed = count_timed(w, m, l);
        most = timed > most ? timed : most;
    }
    for (uint32_t l = 0; l < launches; l++) {
        struct deploy_waves tried = *w;
        if (count_timed(&tried, m, l) < most)
            continue;
        double error = fit_launch(&tried, m, l, a);
        if (error < 0)
            return false;
        if (error >= least)
            continue;
        least = error;
        best = tried;
    }
    *w = best;
    if (w->device.model)
        w->device.model = &w->model;
    return true;
}
