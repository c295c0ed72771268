// What Glibc's Swift module lacks: epoll, eventfd and accept4.
#pragma once
#ifdef __linux__
#include <errno.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>

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
