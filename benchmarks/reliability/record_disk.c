/* Records every change that a process makes to a folder: preloaded, it writes a log that `disk.py` reads.
 *
 *     cc -shared -fPIC -O1 -o record_disk.so record_disk.c -ldl
 *     RECORD_ROOT=/folder RECORD_LOG=/log LD_PRELOAD=./record_disk.so program
 *
 * An entry is a line, "operation inode offset length path", and so many bytes: the data of a write, the second path of a
 * rename. Operations: c created, w write, t truncate, s fsync, r rename, u unlink, m mkdir, d rmdir.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int log_file = -1;

static const char *root(void) { return getenv("RECORD_ROOT"); }

static int is_inside(const char *path)
{
    const char *folder = root();
    size_t length = folder ? strlen(folder) : 0;
    return length && !strncmp(path, folder, length) && (path[length] == '/' || !path[length]);
}

static void record(char kind, unsigned long inode, long long offset, const void *data, size_t length, const char *path)
{
    char head[PATH_MAX + 100];
    int before = errno;
    pthread_mutex_lock(&lock);
    if (log_file < 0)
        log_file = syscall(SYS_openat, AT_FDCWD, getenv("RECORD_LOG"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    int size = snprintf(head, sizeof head, "%c %lu %lld %zu %s\n", kind, inode, offset, length, path);
    struct iovec parts[2] = {{head, size}, {(void *)data, length}};
    syscall(SYS_writev, log_file, parts, 2);
    pthread_mutex_unlock(&lock);
    errno = before;
}

/* The path of an open file, if it is in the folder, and its inode. */
static int known(int file, char *path, unsigned long *inode)
{
    char link[40];
    struct stat about;
    int before = errno;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t size = readlink(link, path, PATH_MAX - 1);
    int found = 0;
    if (size > 0) {
        path[size] = 0;
        if (is_inside(path) && !fstat(file, &about)) {
            *inode = about.st_ino;
            found = 1;
        }
    }
    errno = before;
    return found;
}

static void absolute(int folder, const char *path, char *result)
{
    char base[PATH_MAX] = "", link[40];
    if (path[0] != '/') {
        if (folder == AT_FDCWD) {
            if (!getcwd(base, sizeof base)) base[0] = 0;
        } else {
            snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
            ssize_t size = readlink(link, base, sizeof base - 1);
            base[size > 0 ? size : 0] = 0;
        }
        strncat(base, "/", sizeof base - strlen(base) - 1);
    }
    snprintf(result, PATH_MAX, "%s%s", base, path);
}

/* ---- opening ---- */

static int opened(int folder, const char *path, int flags, mode_t mode)
{
    char full[PATH_MAX];
    struct stat about;
    absolute(folder, path, full);
    int inside = is_inside(full);
    int is_new = inside && (flags & O_CREAT) && lstat(full, &about);
    int file = syscall(SYS_openat, folder, path, flags, mode);
    if (file >= 0 && inside && !fstat(file, &about)) {
        if (is_new)
            record('c', about.st_ino, 0, "", 0, full);
        else if ((flags & O_TRUNC) && S_ISREG(about.st_mode))
            record('t', about.st_ino, 0, "", 0, full);
    }
    return file;
}

#define MODE(flags) mode_t mode = 0; if ((flags) & O_CREAT) { va_list more; va_start(more, flags); mode = va_arg(more, int); va_end(more); }
int open(const char *path, int flags, ...) { MODE(flags) return opened(AT_FDCWD, path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE(flags) return opened(AT_FDCWD, path, flags, mode); }
int openat(int folder, const char *path, int flags, ...) { MODE(flags) return opened(folder, path, flags, mode); }
int openat64(int folder, const char *path, int flags, ...) { MODE(flags) return opened(folder, path, flags, mode); }

/* ---- contents ---- */

ssize_t write(int file, const void *data, size_t size)
{
    char path[PATH_MAX];
    unsigned long inode;
    ssize_t done = NEXT(write)(file, data, size);
    if (done > 0 && known(file, path, &inode))
        record('w', inode, lseek(file, 0, SEEK_CUR) - done, data, done, path);
    return done;
}

static ssize_t put(int file, const void *data, size_t size, off_t offset)
{
    char path[PATH_MAX];
    unsigned long inode;
    ssize_t done = syscall(SYS_pwrite64, file, data, size, offset);
    if (done > 0 && known(file, path, &inode))
        record('w', inode, offset, data, done, path);
    return done;
}

ssize_t pwrite(int file, const void *data, size_t size, off_t offset) { return put(file, data, size, offset); }
ssize_t pwrite64(int file, const void *data, size_t size, off64_t offset) { return put(file, data, size, offset); }

static int cut(int file, off_t size)
{
    char path[PATH_MAX];
    unsigned long inode;
    int failed = syscall(SYS_ftruncate, file, size);
    if (!failed && known(file, path, &inode))
        record('t', inode, size, "", 0, path);
    return failed;
}

int ftruncate(int file, off_t size) { return cut(file, size); }
int ftruncate64(int file, off64_t size) { return cut(file, size); }

static int synced(int file, int failed)
{
    char path[PATH_MAX];
    unsigned long inode;
    if (!failed && known(file, path, &inode))
        record('s', inode, 0, "", 0, path);
    return failed;
}

int fsync(int file) { return synced(file, syscall(SYS_fsync, file)); }
int fdatasync(int file) { return synced(file, syscall(SYS_fdatasync, file)); }

/* ---- names ---- */

static int moved(int failed, int from_folder, const char *from, int to_folder, const char *to)
{
    char first[PATH_MAX], second[PATH_MAX];
    if (!failed) {
        absolute(from_folder, from, first);
        absolute(to_folder, to, second);
        if (is_inside(first) || is_inside(second))
            record('r', 0, 0, second, strlen(second), first);
    }
    return failed;
}

int rename(const char *from, const char *to) { return moved(NEXT(rename)(from, to), AT_FDCWD, from, AT_FDCWD, to); }
int renameat(int a, const char *from, int b, const char *to) { return moved(NEXT(renameat)(a, from, b, to), a, from, b, to); }

static int changed(int failed, char kind, int folder, const char *path)
{
    char full[PATH_MAX];
    if (!failed) {
        absolute(folder, path, full);
        if (is_inside(full))
            record(kind, 0, 0, "", 0, full);
    }
    return failed;
}

int unlink(const char *path) { return changed(NEXT(unlink)(path), 'u', AT_FDCWD, path); }
int unlinkat(int folder, const char *path, int flags)
{
    return changed(NEXT(unlinkat)(folder, path, flags), flags & AT_REMOVEDIR ? 'd' : 'u', folder, path);
}
int mkdir(const char *path, mode_t mode) { return changed(NEXT(mkdir)(path, mode), 'm', AT_FDCWD, path); }
int mkdirat(int folder, const char *path, mode_t mode) { return changed(NEXT(mkdirat)(folder, path, mode), 'm', folder, path); }
int rmdir(const char *path) { return changed(NEXT(rmdir)(path), 'd', AT_FDCWD, path); }
