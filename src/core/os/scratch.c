// Scratch folders. The lock that its owner holds on the folder itself tells whether it is in use: it is
// gone with the process, however that ended. So whoever makes a folder can remove those without a lock.
#include "os/scratch.h"

#include "base/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PREFIX "hone-scratch-"
// Between its making and its lock a folder looks as if it had been left.
#define LEAST_AGE_S 60

// Whether it is a scratch folder of this user's, and whether somebody uses it.
static bool scratch_state(const char *path, bool *is_used)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool is_ours = fstat(fd, &st) == 0 && st.st_uid == geteuid();
    *is_used =
        is_ours && (time(NULL) - st.st_mtime <= LEAST_AGE_S || flock(fd, LOCK_EX | LOCK_NB) != 0);
    close(fd);
    return is_ours;
}

void scratch_each(const char *parent, void (*each)(void *context, const char *path, bool is_used),
                  void *context)
{
    struct text path = TEXT_INIT;
    DIR *folder = opendir(parent);
    const struct dirent *entry;
    bool is_used;
    while (folder && (entry = readdir(folder))) {
        if (!str_starts(entry->d_name, PREFIX))
            continue;
        text_clear(&path);
        text_addf(&path, "%s/%s", parent, entry->d_name);
        if (!path.failed && scratch_state(text_cstr(&path), &is_used))
            each(context, text_cstr(&path), is_used);
    }
    if (folder)
        closedir(folder);
    text_release(&path);
}

static void remove_leftover(void *context, const char *path, bool is_used)
{
    (void)context;
    if (!is_used)
        folder_remove(path);
}

bool scratch_make(struct scratch *s, const char *parent, struct error *e)
{
    struct text path = TEXT_INIT;
    *s = (struct scratch)SCRATCH_NONE;
    scratch_each(parent, remove_leftover, NULL);
    text_addf(&path, "%s/%sXXXXXX", parent, PREFIX);
    char *made = text_steal(&path);
    if (!made)
        return error_memory(e);
    if (!mkdtemp(made)) {
        error_set_driver(e, ERROR_IO, errno, "cannot make a folder in %s: %s", parent,
                         strerror(errno));
        free(made);
        return false;
    }
    s->path = made;
    s->fd = open(made, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (s->fd >= 0)
        flock(s->fd, LOCK_SH | LOCK_NB); // best effort: it only spares the folder
    return true;
}

void scratch_remove(struct scratch *s)
{
    if (s->path)
        folder_remove(s->path);
    if (s->fd >= 0)
        close(s->fd);
    free(s->path);
    *s = (struct scratch)SCRATCH_NONE;
}
