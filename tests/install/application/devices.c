// Reads a spec from memory and counts its space, then lists the devices of this machine. Exit status 77: none of them
// runs OpenCL.
#include <hone/hone.h>

#include <stdio.h>
#include <string.h>

static const char spec_text[] =
    "{\"ConfigurationSpace\": {\"TuningParameters\":"
    "    [{\"Name\": \"width\", \"Type\": \"int\", \"Values\": \"[1, 2, 4, 8]\"},"
    "     {\"Name\": \"height\", \"Type\": \"int\", \"Values\": \"[1, 2, 4, 8]\"}],"
    "  \"Conditions\": [{\"Expression\": \"width * height <= 8\"}]},"
    " \"KernelSpecification\": {\"Language\": \"OpenCL\", \"KernelName\": \"k\", \"KernelFile\": "
    "\"k.cl\","
    "  \"GlobalSize\": {\"X\": \"64\"}, \"LocalSize\": {\"X\": \"width\"}, \"Arguments\": []}}";

static int count_space(struct hone_error *e)
{
    struct hone_spec *spec = hone_spec_parse(spec_text, strlen(spec_text), NULL, "memory", NULL, e);
    struct hone_space *space = spec ? hone_space_new(spec, NULL, e) : NULL;
    unsigned long long count = space ? (unsigned long long)hone_space_count(space) : 0;
    printf("%llu configurations\n", count);
    hone_space_free(space);
    hone_spec_free(spec);
    return count == 10 ? 0 : 1;
}

int main(void)
{
    struct hone_error e = HONE_ERROR_INIT;
    bool ok = hone_check_version(HONE_VERSION_NUMBER, &e) && count_space(&e) == 0;
    struct hone_devices *devices = ok ? hone_devices_list(NULL, &e) : NULL;
    if (!devices) {
        fprintf(stderr, "%s\n", e.text);
        return 1;
    }
    int opencl = 0;
    for (size_t i = 0; i < hone_devices_count(devices); i++) {
        const struct hone_device *d = hone_devices_get(devices, i);
        printf("%s (%s)\n", d->name, d->language);
        opencl += strcmp(d->language, "opencl") == 0;
    }
    hone_devices_free(devices);
    return opencl > 0 ? 0 : 77;
}
