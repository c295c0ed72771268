// What Glibc's Swift module lacks: epoll, eventfd, accept4, and a look at the heap.
#pragma once
#ifdef __linux__
#include <errno.h>
#include <malloc.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>

// Gives what is free back to the system.
static inline void flow_trim(void) { malloc_trim(0); }

// Has small blocks joined to their neighbours as soon as they are free. To leave them as they are is
// quicker; but all of them are joined at one time then, which takes long where there are many.
static inline void flow_join_free(int joins) { mallopt(M_MXFAST, joins ? 0 : 16 * sizeof(size_t)); }

// Few arenas, and large blocks that go back to the system as soon as they are free.
static inline void flow_keep_heap_small(void) {
  mallopt(M_ARENA_MAX, 2);
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
  mallopt(M_TRIM_THRESHOLD, 8 << 20);
}

int accept4(int, struct sockaddr *, socklen_t *, int);

static inline int flow_accept(int listener, struct sockaddr *peer, socklen_t *size) {
  return accept4(listener, peer, size, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

// Where the kernel knows no nanoseconds (before 5.11, some sandboxes) the wait is rounded down:
// whoever waits for a deadline arms a timer besides.
static inline int flow_epoll_wait(int epoll, struct epoll_event *events, int count, long ns) {
  struct timespec timeout = {ns / 1000000000L, ns % 1000000000L};
  int ready = epoll_pwait2(epoll, events, count, &timeout, 0);
  if (ready < 0 && errno == ENOSYS) return epoll_wait(epoll, events, count, (int)(ns / 1000000L));
  return ready;
}
#endif
