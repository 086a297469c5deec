// Landlock by its system calls (its header may be older than the kernel, so its later rights are named here), and a list of
// calls that seccomp refuses. Landlock says who may be read, written, connected to (TCP, since its version 4) and signalled
// (version 6); the list has what it does not see: other sockets, tracing, the kernel's own doors.
#include "os/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// ---- Landlock ----------------------------------------------------------------------------------

#define CALL_CREATE_RULESET 444
#define CALL_ADD_RULE       445
#define CALL_RESTRICT_SELF  446
#define CREATE_VERSION      1u
#define RULE_PATH_BENEATH   1

#define FS_EXECUTE    (1ull << 0)
#define FS_WRITE      (1ull << 1)
#define FS_READ       (1ull << 2)
#define FS_READ_DIR   (1ull << 3)
#define FS_REFER      (1ull << 13) // version 2
#define FS_TRUNCATE   (1ull << 14) // 3
#define FS_IOCTL_DEV  (1ull << 15) // 5
#define FS_MAKE_CHAR  (1ull << 6)
#define FS_MAKE_SOCK  (1ull << 9)
#define FS_MAKE_BLOCK (1ull << 11)
#define NET_TCP       3ull // bind and connect
#define SCOPES        3ull // abstract sockets, signals

// The members of the kernel's struct, of which an older one knows the first: files, network, scopes.
#define RULESET_MEMBERS 3

struct path_rule {
    uint64_t access;
    int32_t folder;
} __attribute__((packed));

static long landlock_version(void)
{
    return syscall(CALL_CREATE_RULESET, NULL, 0, CREATE_VERSION);
}

static uint64_t handled_files(long version)
{
    uint64_t all = (1ull << 13) - 1;
    all |= version >= 2 ? FS_REFER : 0;
    all |= version >= 3 ? FS_TRUNCATE : 0;
    return all | (version >= 5 ? FS_IOCTL_DEV : 0);
}

// Rights that a file can have; the others are a folder's.
#define OF_FILES (FS_EXECUTE | FS_WRITE | FS_READ | FS_TRUNCATE | FS_IOCTL_DEV)

static bool allow(int rules, const char *path, uint64_t access, struct error *e)
{
    struct stat s;
    struct path_rule rule = {access, open(path, O_PATH | O_CLOEXEC)};
    if (rule.folder < 0)
        return true;
    if (fstat(rule.folder, &s) == 0 && !S_ISDIR(s.st_mode))
        rule.access &= OF_FILES;
    long failed = syscall(CALL_ADD_RULE, rules, RULE_PATH_BENEATH, &rule, 0);
    int why = errno;
    close(rule.folder);
    return !failed ||
           error_set_driver(e, ERROR_WORKER, why, "the sandbox: %s: %s", path, strerror(why));
}

const char *const sandbox_variables[] = {"LD_LIBRARY_PATH",
                                         "OCL_ICD_VENDORS",
                                         "OPENCL_VENDOR_PATH",
                                         "OCL_ICD_FILENAMES",
                                         "CUDA_HOME",
                                         "CUDA_PATH",
                                         NULL};

static const char *const system_readable[] = {
    "/usr",  "/lib",        "/lib64",           "/bin",
    "/opt",  "/etc/OpenCL", "/etc/ld.so.cache", "/etc/alternatives",
    "/proc", "/sys",        "/dev/urandom",     "/dev/random",
    NULL};
static const char *const system_writable[] = {"/dev/null",
                                              "/dev/zero",
                                              "/dev/nvidiactl",
                                              "/dev/nvidia-uvm",
                                              "/dev/nvidia-uvm-tools",
                                              "/dev/nvidia-modeset",
                                              "/dev/nvidia-caps",
                                              "/dev/dri",
                                              "/dev/kfd",
                                              NULL};
#define CARDS_MOST 16

static bool allow_each(int rules, const char *const *paths, uint64_t access, struct error *e)
{
    bool ok = true;
    for (; ok && *paths; paths++)
        ok = allow(rules, *paths, access, e);
    return ok;
}

static bool allow_list(int rules, const char *list, uint64_t access, struct error *e)
{
    char path[4096];
    bool ok = true;
    while (ok && *list) {
        size_t length = strcspn(list, ":");
        if (length > 0 && length < sizeof path) {
            memcpy(path, list, length);
            path[length] = '\0';
            ok = allow(rules, path, access, e);
        }
        list += length + (list[length] == ':');
    }
    return ok;
}

static bool has_nvidia(void)
{
    return access("/dev/nvidiactl", F_OK) == 0;
}

static bool allow_cards(int rules, uint64_t access, struct error *e)
{
    char path[32];
    bool ok = true;
    for (int i = 0; ok && i < CARDS_MOST; i++) {
        snprintf(path, sizeof path, "/dev/nvidia%d", i);
        ok = allow(rules, path, access, e);
    }
    return ok;
}

static bool allow_all(const struct sandbox *s, int rules, uint64_t handled, struct error *e)
{
    const uint64_t reading = FS_EXECUTE | FS_READ | FS_READ_DIR;
    const uint64_t writing = handled & ~(FS_MAKE_CHAR | FS_MAKE_BLOCK | FS_MAKE_SOCK);
    bool ok = allow_each(rules, system_readable, reading, e) &&
              allow_each(rules, s->readable, reading, e);
    for (const char *const *list = s->lists; ok && list && *list; list++)
        ok = allow_list(rules, *list, reading, e);
    return ok && allow_each(rules, system_writable, writing, e) && allow_cards(rules, writing, e) &&
           allow_each(rules, s->writable, writing, e);
}

static bool enter_landlock(const struct sandbox *s, struct error *e)
{
    long version = landlock_version();
    const uint64_t set[RULESET_MEMBERS] = {handled_files(version), version >= 4 ? NET_TCP : 0,
                                           version >= 6 ? SCOPES : 0};
    size_t size = (version >= 6 ? RULESET_MEMBERS : version >= 4 ? 2 : 1) * sizeof *set;
    if (version < 1)
        return error_set_driver(
            e, ERROR_WORKER, errno,
            "the sandbox: this system has no Landlock (Linux 5.13 and later, if "
            "it is not switched off): %s",
            strerror(errno));
    int rules = (int)syscall(CALL_CREATE_RULESET, set, size, 0);
    bool ok = rules >= 0 && allow_all(s, rules, set[0], e);
    ok = ok && syscall(CALL_RESTRICT_SELF, rules, 0) == 0;
    int why = errno;
    if (rules >= 0)
        close(rules);
    return ok || e->code ||
           error_set_driver(e, ERROR_WORKER, why, "the sandbox: Landlock: %s", strerror(why));
}

// ---- seccomp -----------------------------------------------------------------------------------

#if defined __x86_64__
#define ARCHITECTURE AUDIT_ARCH_X86_64
#define CALLS_MOST   0x40000000u // x32's begin there
#elif defined __aarch64__
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#define CALLS_MOST   0xffffffffu
#endif

// Numbers that every architecture shares, where a header may not have them.
enum {
    CALL_IO_URING_SETUP = 425,
    CALL_IO_URING_ENTER,
    CALL_IO_URING_REGISTER,
    CALL_OPEN_TREE,
    CALL_MOVE_MOUNT,
    CALL_FSOPEN,
    CALL_FSCONFIG,
    CALL_FSMOUNT,
    CALL_FSPICK,
    CALL_CLONE3 = 435,
    CALL_MOUNT_SETATTR = 442
};
// A process in a namespace of its own is another sandbox's affair, and one that is its parent's sibling leaves the worker's tree.
#define CLONE_REFUSED                                                                              \
    (CLONE_PARENT | CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER |  \
     CLONE_NEWPID | CLONE_NEWNET)

static const uint32_t refused[] = {SYS_connect,
                                   SYS_ptrace,
                                   SYS_process_vm_readv,
                                   SYS_process_vm_writev,
                                   SYS_mount,
                                   SYS_umount2,
                                   SYS_pivot_root,
                                   SYS_chroot,
                                   SYS_setns,
                                   SYS_unshare,
                                   SYS_bpf,
                                   SYS_perf_event_open,
                                   SYS_add_key,
                                   SYS_request_key,
                                   SYS_keyctl,
                                   SYS_userfaultfd,
                                   SYS_kexec_load,
                                   SYS_init_module,
                                   SYS_finit_module,
                                   SYS_delete_module,
                                   SYS_reboot,
                                   SYS_swapon,
                                   SYS_swapoff,
                                   SYS_open_by_handle_at,
                                   SYS_name_to_handle_at,
                                   SYS_kcmp,
                                   SYS_fanotify_init,
                                   SYS_quotactl,
                                   SYS_acct,
                                   SYS_settimeofday,
                                   SYS_clock_settime,
                                   SYS_clock_adjtime,
                                   SYS_adjtimex,
                                   SYS_sethostname,
                                   SYS_setdomainname,
                                   SYS_syslog,
                                   CALL_IO_URING_SETUP,
                                   CALL_IO_URING_ENTER,
                                   CALL_IO_URING_REGISTER,
                                   CALL_OPEN_TREE,
                                   CALL_MOVE_MOUNT,
                                   CALL_FSOPEN,
                                   CALL_FSCONFIG,
                                   CALL_FSMOUNT,
                                   CALL_FSPICK,
                                   CALL_MOUNT_SETATTR,
                                   SYS_memfd_create,
                                   SYS_bind,
                                   SYS_listen,
                                   SYS_socket};
#define REFUSED (sizeof refused / sizeof *refused)
#define DRIVERS 4 // of them at the end, which a card's driver needs

// Calls that may be about this process alone: an argument of them must be 0. A user's processes may otherwise slow each other
// down, and limit each other.
static const struct {
    uint32_t call, argument;
} own_only[] = {{SYS_setpriority, 0}, // PRIO_PROCESS
                {SYS_setpriority, 1},    {SYS_prlimit64, 0},     {SYS_sched_setscheduler, 0},
                {SYS_sched_setparam, 0}, {SYS_sched_setattr, 0}, {SYS_ioprio_set, 1}};
#define OWN_ONLY (sizeof own_only / sizeof *own_only)

#ifdef ARCHITECTURE
#define LOAD(member)                                                                               \
    (struct sock_filter) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, member))
#define IS(value, yes, no)                                                                         \
    (struct sock_filter) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, (uint8_t)(yes), (uint8_t)(no))

// NVIDIA's CUDA does not begin without a socket of this machine to which its own processes could connect. One of a kind that
// sends nothing before it is connected leads nowhere, since connecting is refused. The rule goes on behind itself with any
// other call, whose number is loaded.
static unsigned short add_socket_rule(struct sock_filter *code)
{
    const struct sock_filter rule[] = {
        IS(SYS_socket, 0, 8),
        LOAD(args[0]),
        IS(AF_UNIX, 0, 5),
        LOAD(args[1]),
        BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 0xf),
        IS(SOCK_STREAM, 1, 0),
        IS(SOCK_SEQPACKET, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
    };
    memcpy(code, rule, sizeof rule);
    return sizeof rule / sizeof *rule;
}

// The same for a call whose argument must be 0.
static unsigned short add_own_rule(struct sock_filter *code, uint32_t call, uint32_t argument)
{
    const struct sock_filter rule[] = {IS(call, 0, 4), LOAD(args[argument]), IS(0, 1, 0),
                                       BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
                                       LOAD(nr)};
    memcpy(code, rule, sizeof rule);
    return sizeof rule / sizeof *rule;
}

// No process leaves the tree below the worker: one that takes orphans goes on doing so. What clone3() is asked for lies in memory,
// which no filter sees; libraries then take clone().
static unsigned short add_tree_rules(struct sock_filter *code)
{
    const struct sock_filter rules[] = {
        IS(CALL_CLONE3, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        IS(SYS_clone, 0, 4),
        LOAD(args[0]),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_REFUSED, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        LOAD(nr),
        IS(SYS_prctl, 0, 6),
        LOAD(args[0]),
        IS(PR_SET_CHILD_SUBREAPER, 0, 3),
        LOAD(args[1]),
        IS(1, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        LOAD(nr),
    };
    memcpy(code, rules, sizeof rules);
    return sizeof rules / sizeof *rules;
}

static bool enter_seccomp(struct error *e)
{
    struct sock_filter code[REFUSED + 5 * OWN_ONLY + 40];
    unsigned short n = 0;
    const size_t count = has_nvidia() ? REFUSED - DRIVERS : REFUSED;
    const struct sock_filter refuse = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
    code[n++] = LOAD(arch);
    code[n++] = IS(ARCHITECTURE, 1, 0);
    code[n++] = refuse;
    code[n++] = LOAD(nr);
    code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, CALLS_MOST, 0, 1);
    code[n++] = refuse;
    n += add_tree_rules(code + n);
    for (size_t i = 0; i < OWN_ONLY; i++)
        n += add_own_rule(code + n, own_only[i].call, own_only[i].argument);
    if (count < REFUSED)
        n += add_socket_rule(code + n);
    for (size_t i = 0; i < count; i++)
        code[n++] = IS(refused[i], count - i, 0);
    code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    code[n++] = refuse;
    const struct sock_fprog program = {n, code};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0 ||
           error_set_driver(e, ERROR_WORKER, errno, "the sandbox: seccomp: %s", strerror(errno));
}
#else
static bool enter_seccomp(struct error *e)
{
    (void)e;
    return true;
}
#endif

// ---- the whole ---------------------------------------------------------------------------------

unsigned sandbox_offers(void)
{
    long version = landlock_version();
    unsigned offers = version >= 1 ? SANDBOX_FILES : 0;
    offers |= version >= 6 ? SANDBOX_SIGNALS : 0;
#ifdef ARCHITECTURE
    offers |= SANDBOX_CALLS | SANDBOX_NETWORK;
#else
    offers |= version >= 4 ? SANDBOX_NETWORK : 0;
#endif
    return offers;
}

static void set_limit(int what, rlim_t most)
{
    struct rlimit limit;
    if (getrlimit((__rlimit_resource_t)what, &limit) != 0)
        return;
    limit.rlim_cur = limit.rlim_cur < most ? limit.rlim_cur : most;
    limit.rlim_max = limit.rlim_max < most ? limit.rlim_max : most;
    setrlimit((__rlimit_resource_t)what, &limit);
}

// Rights of root that are left: over files, which Landlock bounds, and over memory that is locked. With others a process could, say,
// run before all that it is compared with (CAP_SYS_NICE).
#define RIGHTS_LEFT                                                                                \
    (1u << CAP_CHOWN | 1u << CAP_DAC_OVERRIDE | 1u << CAP_DAC_READ_SEARCH | 1u << CAP_FOWNER |     \
     1u << CAP_FSETID | 1u << CAP_IPC_LOCK)

static bool drop_rights(struct error *e)
{
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];
    for (unsigned long i = 0; i <= CAP_LAST_CAP; i++) {
        if (i >= 32 || !(RIGHTS_LEFT & 1u << i))
            prctl(PR_CAPBSET_DROP, i, 0, 0, 0); // refused to who has none
    }
    bool ok = syscall(SYS_capget, &head, data) == 0;
    for (int i = 0; i < _LINUX_CAPABILITY_U32S_3; i++) {
        const uint32_t left = i == 0 ? RIGHTS_LEFT : 0;
        data[i].effective &= left;
        data[i].permitted &= left;
        data[i].inheritable &= left;
    }
    ok = ok && syscall(SYS_capset, &head, data) == 0;
    return ok ||
           error_set_driver(e, ERROR_WORKER, errno, "the sandbox: its rights: %s", strerror(errno));
}

bool sandbox_enter(const struct sandbox *s, struct error *e)
{
    set_limit(RLIMIT_CORE, 0);
    if (s->file_bytes)
        set_limit(RLIMIT_FSIZE, s->file_bytes);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return error_set_driver(e, ERROR_WORKER, errno, "the sandbox: no_new_privs: %s",
                                strerror(errno));
    return drop_rights(e) && enter_landlock(s, e) && enter_seccomp(e);
}
