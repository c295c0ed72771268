// What Glibc's Swift module lacks: epoll, eventfd and accept4.
#pragma once
#ifdef __linux__
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>

int accept4(int, struct sockaddr *, socklen_t *, int);

static inline int flow_accept(int listener) {
  return accept4(listener, 0, 0, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

static inline int flow_epoll_wait(int epoll, struct epoll_event *events, int count, long ns) {
  struct timespec timeout = {ns / 1000000000L, ns % 1000000000L};
  return epoll_pwait2(epoll, events, count, ns < 0 ? 0 : &timeout, 0);
}
#endif
