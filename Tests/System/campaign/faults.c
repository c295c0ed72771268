// Preloaded into the server: makes some system calls fail, or do only part of their work.
//
//   FAULTS_SEED=N      seeds the random choice of calls in each thread
//   FAULTS_ONE_IN=N    one of N calls has a fault
//   FAULTS_FILE=PATH   has the counts, as rows of a name (24 bytes) and a number; they survive kill -9
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

typedef struct {
  const char *name;
  int error;  // 0: the call does part of its work
} Fault;

enum { rows = 32 };
static struct Row {
  char name[24];
  uint64_t count;
} *table;
static uint64_t seed, one_in;

__attribute__((constructor)) static void prepare(void) {
  const char *path = getenv("FAULTS_FILE");
  if (!path) return;
  seed = strtoull(getenv("FAULTS_SEED"), 0, 10);
  int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0 || ftruncate(file, rows * sizeof *table)) abort();
  table = mmap(0, rows * sizeof *table, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (table == MAP_FAILED) abort();
  close(file);
  one_in = strtoull(getenv("FAULTS_ONE_IN"), 0, 10);
}

static uint64_t draw(void) {
  static _Thread_local uint64_t state;
  static uint64_t threads;
  if (!state) state = (seed + 1) * 0x9E3779B97F4A7C15u + __atomic_add_fetch(&threads, 1, __ATOMIC_RELAXED);
  state ^= state << 13;
  state ^= state >> 7;
  return state ^= state << 17;
}

static void count(const char *name) {
  for (struct Row *row = table; row < table + rows; row++) {
    if (!row->name[0]) strncpy(row->name, name, sizeof row->name - 1);
    if (!strcmp(row->name, name)) {
      __atomic_add_fetch(&row->count, 1, __ATOMIC_RELAXED);
      return;
    }
  }
}

static int is(int descriptor, mode_t kind) {
  int before = errno;
  struct stat status;
  int answer = !fstat(descriptor, &status) && (status.st_mode & S_IFMT) == kind;
  errno = before;
  return answer;
}

// Returns a fault for this call, or 0.
static const Fault *pick(const Fault *faults, int how_many, uint64_t one_in) {
  if (!one_in || draw() % one_in) return 0;
  const Fault *fault = faults + draw() % how_many;
  count(fault->name);
  return fault;
}

#define PICK(faults, one_in) pick(faults, sizeof faults / sizeof *faults, one_in)
#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

// Returns how many of `size` bytes a call with `fault` may handle; 0, with errno set, if it fails.
static size_t part(const Fault *fault, size_t size) {
  if (!fault) return size;
  errno = fault->error;
  return fault->error ? 0 : size > 1 ? 1 + draw() % (size - 1) : size;
}

ssize_t read(int descriptor, void *place, size_t size) {
  static const Fault of_sockets[] = {{"read short", 0},        {"read EINTR", EINTR},
                                     {"read EAGAIN", EAGAIN},  {"read ENOBUFS", ENOBUFS},
                                     {"read ENOMEM", ENOMEM}};
  static const Fault of_files[] = {{"read file short", 0}, {"read file EINTR", EINTR}};
  const Fault *fault = size == 0                  ? 0
                       : is(descriptor, S_IFSOCK) ? PICK(of_sockets, one_in)
                       : is(descriptor, S_IFREG)  ? PICK(of_files, one_in)
                                                  : 0;
  size_t left = part(fault, size);
  return size && !left ? -1 : NEXT(read)(descriptor, place, left);
}

ssize_t write(int descriptor, const void *place, size_t size) {
  static const Fault of_files[] = {{"write file short", 0}, {"write file EINTR", EINTR}};
  size_t left = part(size && is(descriptor, S_IFREG) ? PICK(of_files, one_in) : 0, size);
  return size && !left ? -1 : NEXT(write)(descriptor, place, left);
}

ssize_t send(int descriptor, const void *place, size_t size, int flags) {
  static const Fault faults[] = {{"send short", 0},       {"send EINTR", EINTR},
                                 {"send EAGAIN", EAGAIN}, {"send ENOBUFS", ENOBUFS},
                                 {"send ENOMEM", ENOMEM}};
  size_t left = part(size ? PICK(faults, one_in) : 0, size);
  return size && !left ? -1 : NEXT(send)(descriptor, place, left, flags);
}

int accept4(int listener, struct sockaddr *peer, socklen_t *length, int flags) {
  static const Fault faults[] = {{"accept4 EINTR", EINTR},   {"accept4 ECONNABORTED", ECONNABORTED},
                                 {"accept4 EAGAIN", EAGAIN}, {"accept4 ENOBUFS", ENOBUFS},
                                 {"accept4 ENOMEM", ENOMEM}, {"accept4 ENFILE", ENFILE}};
  // There are fewer calls of accept4, so more of them fail.
  return part(PICK(faults, one_in / 10), 1) ? NEXT(accept4)(listener, peer, length, flags) : -1;
}

int epoll_pwait2(int set, struct epoll_event *events, int most, const struct timespec *time, const sigset_t *mask) {
  static const Fault faults[] = {{"epoll_pwait2 EINTR", EINTR}};
  return part(PICK(faults, one_in), 1) ? NEXT(epoll_pwait2)(set, events, most, time, mask) : -1;
}
