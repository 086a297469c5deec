// NVIDIA's architectures: what their multiprocessors hold, their names, a device that is not here,
// and how many work-groups of a kernel fit one multiprocessor.
#include "model/arch.h"

#include "base/text.h"

#include <stdio.h>
#include <string.h>

#define KIB(n) ((n) << 10)

#define OLDER .reserved = 0, .shared_unit = 256, .partitions = 4
#define NEWER .reserved = KIB(1), .shared_unit = 128, .partitions = 4 // since Ampere

// The columns: capability, warps, work-groups, registers of a work-group, shared memory of a
// multiprocessor, of a work-group.
static const struct arch archs[] = {
    {50, 64, 32, 65536, KIB(64), KIB(48), OLDER},
    {52, 64, 32, 65536, KIB(96), KIB(48), OLDER},
    {53, 64, 32, 32768, KIB(64), KIB(48), OLDER},
    {60, 64, 32, 65536, KIB(64), KIB(48), .reserved = 0, .shared_unit = 256, .partitions = 2},
    {61, 64, 32, 65536, KIB(96), KIB(48), OLDER},
    {62, 64, 32, 32768, KIB(64), KIB(48), OLDER},
    {70, 64, 32, 65536, KIB(96), KIB(96), OLDER},
    {72, 64, 32, 65536, KIB(96), KIB(96), OLDER},
    {75, 32, 16, 65536, KIB(64), KIB(64), OLDER},
    {80, 64, 32, 65536, KIB(164), KIB(163), NEWER},
    {86, 48, 16, 65536, KIB(100), KIB(99), NEWER},
    {87, 48, 16, 65536, KIB(164), KIB(163), NEWER},
    {89, 48, 24, 65536, KIB(100), KIB(99), NEWER},
    {90, 64, 32, 65536, KIB(228), KIB(227), NEWER},
    {100, 64, 32, 65536, KIB(228), KIB(227), NEWER},
    {103, 64, 32, 65536, KIB(228), KIB(227), NEWER},
    {110, 48, 24, 65536, KIB(228), KIB(227), NEWER},
    {120, 48, 24, 65536, KIB(100), KIB(99), NEWER},
    {121, 48, 24, 65536, KIB(100), KIB(99), NEWER},
};

#define ARCHS (sizeof archs / sizeof *archs)

const struct arch *arch_find(uint32_t capability)
{
    for (size_t i = 0; i < ARCHS; i++) {
        if (archs[i].capability == capability)
            return &archs[i];
    }
    return NULL;
}

uint32_t arch_capability(size_t index)
{
    return index < ARCHS ? archs[index].capability : 0;
}

// ---- names -------------------------------------------------------------------------------------

static const char *behind_prefix(const char *text)
{
    static const char *const prefixes[] = {"sm_", "compute_"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        if (str_starts(text, prefixes[i]))
            return text + strlen(prefixes[i]);
    }
    return text;
}

bool arch_parse(const char *text, struct arch_name *out)
{
    char digits[8] = "";
    uint64_t capability;
    const char *at = behind_prefix(text);
    size_t length = strspn(at, "0123456789");
    char suffix = at[length];
    if (length == 0 || length >= sizeof digits || *at == '0')
        return false;
    if (suffix && ((suffix != 'a' && suffix != 'f') || at[length + 1]))
        return false;
    memcpy(digits, at, length);
    if (!str_to_u64(digits, &capability) || !arch_find((uint32_t)capability))
        return false;
    *out = (struct arch_name){(uint32_t)capability, suffix};
    return true;
}

void arch_text(const struct arch_name *name, char *out)
{
    const char suffix[2] = {name->suffix, '\0'};
    snprintf(out, 16, "sm_%u%s", name->capability, suffix);
}

bool arch_of_id(const char *id, struct arch_name *out)
{
    return str_starts(id, ARCH_ID_PREFIX) && arch_parse(id + strlen("cuda/"), out);
}

// ---- a device that is not here -----------------------------------------------------------------

bool arch_device(const struct arch_name *name, struct arena *a, struct device_info *out)
{
    const struct arch *arch = arch_find(name->capability);
    char text[16];
    arch_text(name, text);
    *out = (struct device_info){
        .language = ARCH_LANGUAGE,
        .type = DEVICE_GPU,
        .id = arena_printf(a, "cuda/%s", text),
        .name = arena_strdup(a, text),
        .vendor = "NVIDIA Corporation",
        .platform = "CUDA",
        DEVICE_INFO_UNSAID,
        .driver = "",
        .compiler = "",
        .surroundings = "",
        .local_bytes = arch->group_shared,
        .constant_bytes = ARCH_CONSTANT,
        .max_group_size = ARCH_GROUP_SIZE,
        .max_item_sizes = {1024, 1024, 64},
        .subgroup_size = ARCH_WARP,
        .capability = arch->capability,
        .vector_float = 1,
        .base_align = 256,
        .float64 = true,
        .float16 = arch->capability >= 53,
    };
    return out->id && out->name;
}

// ---- occupancy ---------------------------------------------------------------------------------

static uint64_t round_up(uint64_t n, uint64_t unit)
{
    return (n + unit - 1) / unit * unit;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

// Each warp's registers lie in one partition. The limit of a work-group is tested as if it had a
// warp in each of four partitions, on every device (a kernel that one Pascal cannot run, none may).
static uint64_t groups_by_registers(const struct arch *arch, uint64_t registers, uint64_t warps)
{
    uint64_t of_warp = round_up(registers * ARCH_WARP, ARCH_REGISTER_UNIT);
    if (registers > ARCH_REGISTERS_MOST || of_warp * round_up(warps, 4) > arch->group_registers)
        return 0;
    if (of_warp == 0)
        return arch->groups;
    uint64_t of_partition = ARCH_REGISTERS / arch->partitions / of_warp;
    return of_partition * arch->partitions / warps;
}

static uint64_t groups_by_shared(const struct arch *arch, uint64_t bytes)
{
    if (bytes > arch->group_shared)
        return 0;
    uint64_t of_group = round_up(bytes + arch->reserved, arch->shared_unit);
    return of_group ? arch->shared / of_group : arch->groups;
}

uint32_t arch_groups(const struct arch *arch, const struct arch_use *use)
{
    if (use->group_size == 0 || use->group_size > ARCH_GROUP_SIZE)
        return 0;
    uint64_t warps = round_up(use->group_size, ARCH_WARP) / ARCH_WARP;
    uint64_t groups = least(arch->groups, arch->warps / warps);
    groups = least(groups, groups_by_registers(arch, use->registers, warps));
    return (uint32_t)least(groups, groups_by_shared(arch, use->shared));
}
