// flowload: a load generator for publish/subscribe servers on TCP.
//
// One thread, one epoll loop, no dependencies.  Publishers write prepared frames in large batches;
// subscribers parse every frame, check every sequence number and, in rate mode, measure the time
// from when a message was due to be sent to when it was parsed.  One JSON line goes to stdout.
//
// Everything that differs between servers is in the table `protocols`; see "Protocols" below.

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

// ---------------------------------------------------------------------------------------------
// Types and options

enum role { SUB, PUB };
enum state { CLOSED, GREETING, READY };

typedef struct conn {
    int fd, id, subject;
    enum role role;
    enum state state;
    bool stalled;             // a subscriber that stops reading once subscribed (--stalled)
    bool full;                // a publisher whose socket took no more
    char *part;               // the incomplete frame at the end of the last read
    size_t npart, part_room;
    char *out;                // control bytes the socket did not take yet
    size_t nout, out_room;
    // subscriber
    uint64_t got, skipped;    // messages received, and missing by their sequence numbers
    uint64_t *next;           // the next sequence number expected from each publisher
    int64_t demand;           // for demand protocols: what the subscriber may still be sent
    // publisher
    char *batch;              // frames prepared for writing: all alike but for number and time
    size_t blen, boff, frame, body_at;
    unsigned room;            // frames in a full batch
    uint64_t sent;            // messages put into batches so far
    int64_t credit;           // for protocols that limit publishers; unlimited unless they say so
} conn;

enum kind { NOTHING, DATA, ACCEPTED, REFUSED };
typedef struct msg { enum kind kind; const char *body; size_t len; } msg;

typedef struct proto {
    const char *name;
    uint16_t port;
    // What a new connection of c->role says first.  The answer must parse as ACCEPTED.
    size_t (*greet)(conn *c, char *out);
    // A frame that publishes `body` bytes to c->subject; *at is where in it the body begins.
    size_t (*frame)(conn *c, char *out, size_t body, size_t *at);
    // Parses one frame from the server: its length, 0 if it is incomplete, -1 if it makes no sense.
    ssize_t (*parse)(conn *c, const char *p, size_t n, msg *m);
    // After `count` messages were taken from one read: the place to ask for more (may be NULL).
    void (*on_messages)(conn *c, unsigned count);
} proto;

static struct {
    const proto *proto;
    const char *label, *prefix;
    uint16_t port;
    int pubs, subs, subjects, stalled, idle, conns, server;
    size_t body, batch, window;
    uint64_t count;
    double seconds, churn, rate, hold, stall, timeout;
    bool spin, replies;
    int64_t demand;
} opt = { .prefix = "flow", .pubs = 1, .subs = 1, .subjects = 1, .conns = 16, .body = 128,
          .batch = 65536, .stall = 1.5, .timeout = 60, .hold = 1, .demand = 65536 };

static int ep;
static conn *conns;
static int nconns;
static uint64_t epoch;                       // the clock's zero, so that times fit in 48 bits
static uint64_t start, last_delivery, last_write;
static uint64_t interval;                    // ns between messages in rate mode, else 0
static bool stopping;                        // publishers start no more batches
static uint64_t *published;                  // per subject
static uint64_t *listeners;                  // per subject: live subscribers that read
static int64_t owed;                         // deliveries outstanding to them
static uint64_t delivered, skipped, reordered, bad, disconnects, refused, ready;
static char error_text[160];
static char *filler;

static void die(const char *fmt, ...) {
    va_list a;
    va_start(a, fmt);
    fputs("flowload: ", stderr);
    vfprintf(stderr, fmt, a);
    fputc('\n', stderr);
    exit(2);
}

static uint64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec - epoch;
}

static double secs(uint64_t ns) { return (double)ns / 1e9; }

static void note_error(const char *p, size_t n) {
    if (error_text[0]) return;
    size_t k = 0;
    for (size_t i = 0; i < n && k + 1 < sizeof error_text; i++)
        if (p[i] >= ' ' && p[i] < 127 && p[i] != '"' && p[i] != '\\') error_text[k++] = p[i];
    error_text[k] = 0;
}

// Whether control bytes may be written now: not in the middle of a publisher's batch.
static bool between_frames(const conn *c) { return c->boff == c->blen; }

// Sends control bytes on a connection, keeping what the socket does not take.
static void say(conn *c, const char *p, size_t n) {
    if (!c->nout && between_frames(c)) {
        ssize_t k = send(c->fd, p, n, MSG_NOSIGNAL);
        if (k == (ssize_t)n) return;
        if (k > 0) p += k, n -= (size_t)k;
    }
    if (c->nout + n > c->out_room) c->out = realloc(c->out, c->out_room = 2 * (c->nout + n));
    memcpy(c->out + c->nout, p, n);
    c->nout += n;
}

static void flush_out(conn *c) {
    if (!c->nout || !between_frames(c)) return;
    ssize_t k = send(c->fd, c->out, c->nout, MSG_NOSIGNAL);
    if (k > 0) memmove(c->out, c->out + k, c->nout -= (size_t)k);
}

// ---------------------------------------------------------------------------------------------
// The body of a message: 2 characters publisher, 6 sequence number, 8 time in ns, filler

static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
static uint8_t value[256];
enum { BODY_MIN = 16 };

static inline void put64(char *p, int digits, uint64_t v) {
    while (digits--) p[digits] = digit[v & 63], v >>= 6;
}

static inline uint64_t get64(const char *p, int digits) {
    uint64_t v = 0;
    for (int i = 0; i < digits; i++) v = v << 6 | value[(uint8_t)p[i]];
    return v;
}

// ---------------------------------------------------------------------------------------------
// Histogram: 128 buckets to an octave, so under 0.8 % error

enum { HB = 7 };
typedef struct { uint64_t n[(65 - HB) << HB], total, max; double sum; } hist;
static hist latency, lateness;

static void hist_add(hist *h, uint64_t v) {
    int s = v < 1 << HB ? -1 : 63 - __builtin_clzll(v) - HB;
    h->n[s < 0 ? v : (((uint64_t)s + 1) << HB) + ((v >> s) - (1 << HB))]++;
    h->total++, h->sum += (double)v;
    if (v > h->max) h->max = v;
}

static double hist_us(const hist *h, double q) {
    uint64_t want = (uint64_t)(q * (double)h->total), seen = 0;
    for (unsigned i = 0; i < sizeof h->n / sizeof *h->n; i++)
        if ((seen += h->n[i]) > want) {
            int s = (int)(i >> HB) - 1;
            return (s < 0 ? i : (double)((uint64_t)((1 << HB) + (i & ((1 << HB) - 1))) << s)) / 1e3;
        }
    return (double)h->max / 1e3;
}

// ---------------------------------------------------------------------------------------------
// Protocols.  To add one: write greet, frame and parse, and give it a line in `protocols`.

// A decimal number up to CRLF: what follows it, or NULL if the line is incomplete.
static const char *number_line(const char *p, const char *end, long *v) {
    long n = 0, sign = 1;
    if (p < end && *p == '-') sign = -1, p++;
    for (; p < end && *p >= '0' && *p <= '9'; p++) n = n * 10 + (*p - '0');
    if (end - p < 2) return NULL;
    *v = sign * n;
    return p + 2;
}

static size_t subject(const conn *c, char *out) {
    return (size_t)sprintf(out, "%s%d", opt.prefix, c->subject);
}

// raw: newline-delimited lines, as ideal.c relays them.  The body is the end of a line.

static size_t raw_greet(conn *c, char *out) {
    return (size_t)sprintf(out, "%s %s%d\n", c->role == SUB ? "SUB" : "PUB", opt.prefix, c->subject);
}

static size_t raw_frame(conn *c, char *out, size_t body, size_t *at) {
    (void)c;
    *at = 0;
    out[body] = '\n';
    return body + 1;
}

static ssize_t raw_parse(conn *c, const char *p, size_t n, msg *m) {
    const char *nl = n > opt.body && p[opt.body] == '\n' && c->state == READY
                         ? p + opt.body : memchr(p, '\n', n);
    if (!nl) return 0;
    size_t len = (size_t)(nl - p);
    if (c->state == GREETING) m->kind = p[0] == '+' ? ACCEPTED : REFUSED;
    else if (c->role == SUB) {
        m->kind = DATA;
        m->len = len < opt.body ? len : opt.body;
        m->body = nl - m->len;
    }
    return (ssize_t)len + 1;
}

// redis: RESP2; publishers turn replies off unless --replies

static size_t redis_greet(conn *c, char *out) {
    if (c->role == SUB) return (size_t)sprintf(out, "SUBSCRIBE %s%d\r\n", opt.prefix, c->subject);
    return (size_t)sprintf(out, "PING\r\n%s", opt.replies ? "" : "CLIENT REPLY OFF\r\n");
}

static size_t redis_frame(conn *c, char *out, size_t body, size_t *at) {
    char s[64];
    size_t n = subject(c, s);
    *at = (size_t)sprintf(out, "*3\r\n$7\r\nPUBLISH\r\n$%zu\r\n%s\r\n$%zu\r\n", n, s, body);
    memcpy(out + *at + body, "\r\n", 2);
    return *at + body + 2;
}

static ssize_t redis_parse(conn *c, const char *p, size_t n, msg *m) {
    const char *s = p, *end = p + n;
    if (*p != '*') {
        const char *nl = memchr(p, '\n', n);
        if (!nl) return 0;
        if (*p == '-') m->kind = REFUSED, m->body = p, m->len = (size_t)(nl - p);
        else if (c->state == GREETING) m->kind = ACCEPTED;
        return nl + 1 - p;
    }
    long parts, len;
    if (!(s = number_line(s + 1, end, &parts))) return 0;
    const char *first = NULL;
    for (long i = 0; i < parts; i++) {
        if (s == end) return 0;
        if (*s != '$' && *s != ':') return -1;
        bool bulk = *s == '$';
        if (!(s = number_line(s + 1, end, &len))) return 0;
        if (!bulk) continue;
        if (end - s < len + 2) return 0;
        if (i == 0) first = s;
        m->body = s, m->len = (size_t)len;
        s += len + 2;
    }
    if (!first) return -1;
    m->kind = *first == 'm' ? DATA : *first == 's' ? ACCEPTED : NOTHING;
    return s - p;
}

// nats

static size_t nats_greet(conn *c, char *out) {
    int n = sprintf(out, "CONNECT {\"verbose\":false,\"pedantic\":false,\"lang\":\"c\",\"version\":\"1\","
                         "\"protocol\":1}\r\n");
    if (c->role == SUB) n += sprintf(out + n, "SUB %s%d 1\r\n", opt.prefix, c->subject);
    return (size_t)(n + sprintf(out + n, "PING\r\n"));
}

static size_t nats_frame(conn *c, char *out, size_t body, size_t *at) {
    *at = (size_t)sprintf(out, "PUB %s%d %zu\r\n", opt.prefix, c->subject, body);
    memcpy(out + *at + body, "\r\n", 2);
    return *at + body + 2;
}

static ssize_t nats_parse(conn *c, const char *p, size_t n, msg *m) {
    const char *nl = memchr(p, '\n', n);
    if (!nl) return 0;
    size_t head = (size_t)(nl + 1 - p);
    if (n >= 4 && !memcmp(p, "MSG ", 4)) {
        const char *d = nl - 1;
        size_t len = 0, unit = 1;
        while (*--d != ' ') len += (size_t)(*d - '0') * unit, unit *= 10;
        if (n < head + len + 2) return 0;
        m->kind = DATA, m->body = p + head, m->len = len;
        return (ssize_t)(head + len + 2);
    }
    if (!memcmp(p, "PING", 4)) say(c, "PONG\r\n", 6);
    else if (!memcmp(p, "PONG", 4)) m->kind = c->state == GREETING ? ACCEPTED : NOTHING;
    else if (*p == '-') m->kind = REFUSED, m->body = p, m->len = head;
    return (ssize_t)head;
}

// flow: this project's protocol, framed.  The subject is lossless (flow=slowest): the server grants
// publishers what its subscribers asked for.  flow-free: an ordinary subject and unlimited demand.

static size_t flow_hello(conn *c, char *out, const char *kind, const char *demand) {
    int n = sprintf(out, "HELLO 1\nSUBJECT %s%d%s\n", opt.prefix, c->subject, kind);
    if (c->role == PUB) n += sprintf(out + n, "PUB %s%d as=1 grant=65536\n", opt.prefix, c->subject);
    else n += sprintf(out + n, "SUB %s%d %s as=1\n", opt.prefix, c->subject, demand);
    c->demand = opt.demand;
    return (size_t)n;
}

static size_t flow_greet(conn *c, char *out) {
    char n[24];
    sprintf(n, "%" PRId64, opt.demand);
    if (c->role == PUB) c->credit = 0;
    return flow_hello(c, out, " flow=slowest", n);
}

static size_t flow_free_greet(conn *c, char *out) { return flow_hello(c, out, "", "max"); }

static size_t flow_frame(conn *c, char *out, size_t body, size_t *at) {
    (void)c;
    memcpy(out, "= 1 ", *at = 4);
    out[*at + body] = '\n';
    return *at + body + 1;
}

static int64_t flow_count(const char *p, const char *nl) {
    if (nl - p >= 3 && !memcmp(p, "max", 3)) return INT32_MAX;
    int64_t v = 0;
    for (; p < nl && *p >= '0' && *p <= '9'; p++) v = v * 10 + (*p - '0');
    return v;
}

static ssize_t flow_parse(conn *c, const char *p, size_t n, msg *m) {
    if (*p == '=') {  // = 1 body: an expected length spares the search
        const char *nl = n > opt.body + 4 && p[opt.body + 4] == '\n' ? p + opt.body + 4 : memchr(p, '\n', n);
        if (!nl) return 0;
        if (nl - p < 4) return -1;
        m->kind = DATA, m->body = p + 4, m->len = (size_t)(nl - p) - 4;
        return nl + 1 - p;
    }
    const char *nl = memchr(p, '\n', n);
    if (!nl) return 0;
    size_t len = (size_t)(nl - p);
    if (len > 7 && (!memcmp(p, "OK sub ", 7) || !memcmp(p, "OK pub ", 7))) {
        m->kind = ACCEPTED;
        const char *d = memmem(p, len, "demand=", 7);
        if (c->role == PUB && opt.proto->on_messages && d) c->credit += flow_count(d + 7, nl);
    } else if (len > 6 && !memcmp(p, "REQ 1 ", 6)) {
        if (opt.proto->on_messages) c->credit += flow_count(p + 6, nl);
    } else if (len > 3 && (!memcmp(p, "ERR", 3) || !memcmp(p, "BYE", 3) || !memcmp(p, "FAI", 3)))
        m->kind = REFUSED, m->body = p, m->len = len;
    return nl + 1 - p;
}

static void flow_on_messages(conn *c, unsigned count) {  // ask again when half is used up
    c->demand -= count;
    if (c->demand > opt.demand / 2) return;
    char line[48];
    say(c, line, (size_t)sprintf(line, "REQ 1 %" PRId64 "\n", opt.demand - c->demand));
    c->demand = opt.demand;
}

static const proto protocols[] = {
    { "raw", 7001, raw_greet, raw_frame, raw_parse, NULL },
    { "redis", 6379, redis_greet, redis_frame, redis_parse, NULL },
    { "nats", 4222, nats_greet, nats_frame, nats_parse, NULL },
    { "flow", 3569, flow_greet, flow_frame, flow_parse, flow_on_messages },
    { "flow-free", 3569, flow_free_greet, flow_frame, flow_parse, NULL },
};

// ---------------------------------------------------------------------------------------------
// Connections

static void open_conn(conn *c, bool rotate) {
    static unsigned turn;
    c->fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (c->fd < 0) die("socket: %s", strerror(errno));
    int one = 1;
    setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    struct sockaddr_in a = { .sin_family = AF_INET };
    if (rotate) {  // many source addresses, so that connections in TIME_WAIT do not use up the ports
        setsockopt(c->fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &one, sizeof one);
        a.sin_addr.s_addr = htonl(0x7f000100u + 1 + turn++ % 64);
        if (bind(c->fd, (struct sockaddr *)&a, sizeof a)) die("bind: %s", strerror(errno));
    }
    a.sin_port = htons(opt.port);
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(c->fd, (struct sockaddr *)&a, sizeof a) && errno != EINPROGRESS)
        die("connect to 127.0.0.1:%u: %s", opt.port, strerror(errno));
    c->state = GREETING;
    c->npart = c->nout = c->blen = c->boff = 0;
    c->full = false;
    c->credit = INT64_MAX;
    c->demand = 0;
    char hello[1024];
    say(c, hello, opt.proto->greet(c, hello));
    // Publishers are edge-triggered: they try to write in every turn of the loop anyway.
    struct epoll_event e = { .events = EPOLLIN | EPOLLOUT | EPOLLET, .data.ptr = c };
    if (epoll_ctl(ep, EPOLL_CTL_ADD, c->fd, &e)) die("epoll_ctl: %s", strerror(errno));
}

static void listen_level(conn *c, uint32_t events) {
    struct epoll_event e = { .events = events, .data.ptr = c };
    epoll_ctl(ep, EPOLL_CTL_MOD, c->fd, &e);
}

static void close_conn(conn *c) {
    close(c->fd);
    c->state = CLOSED;
}

static void lost_conn(conn *c, const char *why) {
    disconnects++;
    note_error(why, strlen(why));
    if (c->role == SUB && c->state == READY && !c->stalled) {
        listeners[c->subject]--;
        owed -= (int64_t)(published[c->subject] - c->got - c->skipped);
    }
    close_conn(c);
}

static inline void take(conn *c, const msg *m, uint64_t t) {
    if (m->len != opt.body) { bad++; return; }
    uint64_t pub = get64(m->body, 2), seq = get64(m->body + 2, 6);
    if (pub >= (uint64_t)opt.pubs || (int)(pub % (uint64_t)opt.subjects) != c->subject) { bad++; return; }
    if ((seq & 63) == 0 && memcmp(m->body + BODY_MIN, filler, opt.body - BODY_MIN)) { bad++; return; }
    uint64_t *next = &c->next[pub];
    c->got++, delivered++;
    if (seq < *next) { reordered++; return; }
    owed -= (int64_t)(seq - *next) + 1;
    if (seq != *next) c->skipped += seq - *next, skipped += seq - *next;
    *next = seq + 1;
    if (interval) {
        uint64_t due = get64(m->body + 8, 8);
        hist_add(&latency, t > due ? t - due : 0);
    }
}

enum { READ_ROOM = 256 << 10, PART_MAX = 16 << 20 };
static char *in;  // where every connection reads: [part of a frame][what was read]

static void read_conn(conn *c) {
    memcpy(in, c->part, c->npart);
    ssize_t n = recv(c->fd, in + c->npart, READ_ROOM, 0);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (n <= 0) { lost_conn(c, n ? strerror(errno) : "closed by the server"); return; }
    uint64_t t = interval ? now() : 0;
    const char *p = in, *end = in + c->npart + n;
    unsigned count = 0;
    while (p < end) {
        msg m = { .kind = NOTHING };
        ssize_t k = opt.proto->parse(c, p, (size_t)(end - p), &m);
        if (k == 0) break;
        if (k < 0) { note_error("unparsable: ", 12); bad++; lost_conn(c, "unparsable"); return; }
        p += k;
        if (m.kind == DATA) take(c, &m, t), count++;
        else if (m.kind == ACCEPTED && c->state == GREETING) {
            c->state = READY, ready++;
            if (c->role == SUB && opt.proto->on_messages) opt.proto->on_messages(c, 0);
        }
        else if (m.kind == REFUSED) refused++, note_error(m.body, m.len);
    }
    c->npart = (size_t)(end - p);
    if (c->npart > PART_MAX) die("a frame of more than %d bytes", PART_MAX);
    if (c->npart > c->part_room) {
        free(c->part);
        c->part = malloc(c->part_room = c->npart + 256);
    }
    memcpy(c->part, p, c->npart);
    if (count) {
        last_delivery = now();
        if (opt.proto->on_messages) opt.proto->on_messages(c, count);
    }
    flush_out(c);
    if (n == READ_ROOM && c->role == PUB) read_conn(c);
}

static void prepare_publisher(conn *c) {
    char *one = malloc(opt.body + 512);
    memset(one, 'x', opt.body + 512);
    c->frame = opt.proto->frame(c, one, opt.body, &c->body_at);
    memset(one + c->body_at, digit[0], BODY_MIN);
    memset(one + c->body_at + BODY_MIN, 'x', opt.body - BODY_MIN);
    put64(one + c->body_at, 2, (uint64_t)c->id);
    c->room = (unsigned)(opt.batch / c->frame);
    if (!c->room) c->room = 1;
    c->batch = malloc(c->room * c->frame);
    for (unsigned i = 0; i < c->room; i++) memcpy(c->batch + i * c->frame, one, c->frame);
    free(one);
}

static uint64_t due_at(const conn *c, uint64_t seq) {
    return start + (seq * (uint64_t)opt.pubs + (uint64_t)c->id) * interval;
}

// How many messages the publisher may put into its next batch.
static uint64_t allowance(const conn *c, uint64_t t) {
    if (stopping) return 0;
    uint64_t k = c->room;
    if (opt.count && opt.count - c->sent < k) k = opt.count - c->sent;
    if (c->credit < (int64_t)k) k = c->credit > 0 ? (uint64_t)c->credit : 0;
    if (opt.window) {
        int64_t free_bytes = (int64_t)opt.window * (opt.subs - opt.stalled) - owed * (int64_t)c->frame;
        if (free_bytes <= 0) return 0;
    }
    if (interval) {
        if (t < due_at(c, c->sent)) return 0;
        uint64_t due = (t - due_at(c, c->sent)) / (interval * (uint64_t)opt.pubs) + 1;
        if (due < k) k = due;
    }
    return k;
}

// Writes what the publisher may write.  False: nothing more to do now.
static bool publish(conn *c, uint64_t t) {
    if (c->state != READY || c->full) return false;
    if (between_frames(c)) {
        flush_out(c);
        if (c->nout) return false;
        uint64_t k = allowance(c, t);
        if (!k) return false;
        char *p = c->batch + c->body_at;
        for (uint64_t i = 0; i < k; i++, p += c->frame) {
            put64(p + 2, 6, c->sent + i);
            if (interval) {
                uint64_t due = due_at(c, c->sent + i);
                put64(p + 8, 8, due);
                hist_add(&lateness, t - due);
            }
        }
        c->sent += k;
        if (c->credit != INT64_MAX) c->credit -= (int64_t)k;
        published[c->subject] += k;
        owed += (int64_t)(k * listeners[c->subject]);
        c->boff = 0, c->blen = k * c->frame;
    }
    ssize_t n = send(c->fd, c->batch + c->boff, c->blen - c->boff, MSG_NOSIGNAL);
    if (n < 0) {
        if (errno == EAGAIN) c->full = true;
        else lost_conn(c, strerror(errno));
        return false;
    }
    c->boff += (size_t)n;
    if (c->boff < c->blen) c->full = true;  // edge-triggered: the event that clears it will come
    last_write = now();
    return true;
}

static void turn(int64_t wait_ns) {
    struct epoll_event ev[512];
    struct timespec ts = { wait_ns / 1000000000, wait_ns % 1000000000 };
    int n = epoll_pwait2(ep, ev, 512, &ts, NULL);
    for (int i = 0; i < n; i++) {
        conn *c = ev[i].data.ptr;
        if (c->state == CLOSED) continue;
        if (c->stalled && c->state == READY) {
            if (ev[i].events & (EPOLLERR | EPOLLHUP | EPOLLRDHUP)) lost_conn(c, "stalled subscriber cut off");
            continue;
        }
        if (ev[i].events & EPOLLOUT) c->full = false, flush_out(c);
        if (ev[i].events & ~(uint32_t)EPOLLOUT) read_conn(c);
    }
}

// Opens connections [from, to), a few at a time, and waits until the server has accepted each.
static void open_all(int from, int to, enum role role) {
    uint64_t goal = ready + (uint64_t)(to - from), base = ready, limit = now() + 60000000000u;
    int next = from;
    while (ready < goal) {
        while (next < to && (uint64_t)(next - from) - (ready - base) < 64) {
            conn *c = &conns[next];
            c->id = next - from;
            c->role = role;
            c->subject = c->id % opt.subjects;
            if (role == SUB) {
                c->next = calloc((size_t)opt.pubs, sizeof *c->next);
                c->stalled = !opt.idle && c->id >= opt.subs - opt.stalled;
            }
            open_conn(c, false);
            next++;
        }
        turn(100000000);
        if (refused || disconnects || now() > limit)
            die("%s: %" PRIu64 " of %d connections were accepted (%s)", opt.proto->name, ready - base,
                to - from, error_text[0] ? error_text : "time is up");
    }
}

// ---------------------------------------------------------------------------------------------
// The server's process

typedef struct { double cpu; long rss, peak; } usage;

static usage server_usage(void) {
    usage u = {0};
    if (!opt.server) return u;
    char path[64], buf[4096];
    snprintf(path, sizeof path, "/proc/%d/stat", opt.server);
    FILE *f = fopen(path, "r");
    if (!f) return u;
    size_t n = fread(buf, 1, sizeof buf - 1, f);
    fclose(f);
    buf[n] = 0;
    unsigned long user = 0, sys = 0;
    char *p = strrchr(buf, ')');
    if (p) sscanf(p + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &sys);
    u.cpu = (double)(user + sys) / (double)sysconf(_SC_CLK_TCK);
    snprintf(path, sizeof path, "/proc/%d/status", opt.server);
    if (!(f = fopen(path, "r"))) return u;
    while (fgets(buf, sizeof buf, f)) {
        sscanf(buf, "VmHWM: %ld", &u.peak);
        sscanf(buf, "VmRSS: %ld", &u.rss);
    }
    fclose(f);
    return u;
}

static void reset_peak(void) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/clear_refs", opt.server);
    int fd = opt.server ? open(path, O_WRONLY) : -1;
    if (fd < 0) return;
    if (write(fd, "5", 1) != 1) {}
    close(fd);
}

static double own_cpu(void) {
    struct rusage r;
    getrusage(RUSAGE_SELF, &r);
    return (double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) +
           (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec) / 1e6;
}

static void print_head(const char *mode) {
    printf("{\"label\":\"%s\",\"proto\":\"%s\",\"mode\":\"%s\"", opt.label, opt.proto->name, mode);
}

static void print_tail(bool ok) {
    printf(",\"disconnects\":%" PRIu64 ",\"refused\":%" PRIu64 ",\"error\":\"%s\",\"ok\":%s}\n",
           disconnects, refused, error_text, ok ? "true" : "false");
}

static void settle(double seconds) {
    for (uint64_t end = now() + (uint64_t)(seconds * 1e9); now() < end;) turn(20000000);
}

// ---------------------------------------------------------------------------------------------
// Modes

// What becomes of the subscribers that stopped reading: they read on until nothing more comes.
static void read_on(void) {
    for (int i = opt.subs - opt.stalled; i < opt.subs; i++)
        if (conns[i].state == READY) conns[i].stalled = false, listen_level(&conns[i], EPOLLIN);
    last_delivery = now();
    for (uint64_t end = now() + 10000000000u; now() < end && now() - last_delivery < 1500000000u;) turn(50000000);
}

static bool flow(void) {
    conns = calloc((size_t)(nconns = opt.subs + opt.pubs), sizeof *conns);
    open_all(0, opt.subs, SUB);
    open_all(opt.subs, nconns, PUB);
    for (int i = 0; i < opt.subs; i++) {
        conn *c = &conns[i];
        listen_level(c, c->stalled ? EPOLLRDHUP : EPOLLIN);
        if (!c->stalled) listeners[c->subject]++;
    }
    for (int i = opt.subs; i < nconns; i++) prepare_publisher(&conns[i]);

    settle(0.05);
    reset_peak();
    usage before = server_usage();
    double cpu = own_cpu();
    start = last_delivery = last_write = now();
    uint64_t stop_at = opt.seconds > 0 ? start + (uint64_t)(opt.seconds * 1e9) : UINT64_MAX;
    bool stuck = false;
    for (;;) {
        uint64_t t = now(), due = UINT64_MAX;
        if (t >= stop_at) stopping = true;
        bool more = false, done = true;
        for (int i = opt.subs; i < nconns; i++) {
            conn *c = &conns[i];
            if (c->state != READY) continue;
            more |= publish(c, t);
            done &= between_frames(c) && (stopping || c->sent == opt.count);
            if (interval && !c->full && due_at(c, c->sent) < due) due = due_at(c, c->sent);
        }
        if (done && owed <= 0) break;
        uint64_t progress = last_delivery > last_write ? last_delivery : last_write;
        if (t > progress && secs(t - progress) > opt.stall) { stuck = true; break; }
        if (secs(t - start) > opt.timeout) { stuck = true; note_error("timeout", 7); break; }
        if (more || opt.spin) turn(0);
        else if (interval && !done) turn(due > (t = now()) ? (int64_t)(due - t) : 0);
        else turn(50000000);
    }
    usage after = server_usage();
    cpu = own_cpu() - cpu;

    uint64_t sent = 0, expected = 0, arrived = delivered;
    int cut = 0;
    for (int i = opt.subs; i < nconns; i++) sent += conns[i].sent;
    for (int i = 0; i < opt.subs; i++) {
        if (!conns[i].stalled) expected += published[conns[i].subject];
        else if (conns[i].state == CLOSED) cut++;
    }
    double wall = secs(last_delivery - start), writing = secs(last_write - start);
    if (opt.subs == opt.stalled) wall = writing;
    bool ok = !stuck && arrived == expected && !reordered && !bad && disconnects == (uint64_t)cut && !refused;
    if (opt.stalled) read_on();
    print_head(interval ? "rate" : "flow");
    printf(",\"pubs\":%d,\"subs\":%d,\"subjects\":%d,\"bytes\":%zu,\"rate\":%.0f,\"window\":%zu", opt.pubs,
           opt.subs, opt.subjects, opt.body, opt.rate, opt.window);
    printf(",\"sent\":%" PRIu64 ",\"expected\":%" PRIu64 ",\"delivered\":%" PRIu64 ",\"lost\":%" PRId64
           ",\"skipped\":%" PRIu64 ",\"reordered\":%" PRIu64 ",\"bad\":%" PRIu64,
           sent, expected, arrived, (int64_t)(expected - arrived), skipped, reordered, bad);
    printf(",\"wall_s\":%.3f,\"publish_rate\":%.0f,\"delivered_rate\":%.0f,\"payload_mb_s\":%.1f", wall,
           writing > 0 ? (double)sent / writing : 0, wall > 0 ? (double)arrived / wall : 0,
           wall > 0 ? (double)arrived * (double)opt.body / wall / 1e6 : 0);
    if (interval)
        printf(",\"lat_us\":{\"mean\":%.1f,\"p50\":%.1f,\"p90\":%.1f,\"p99\":%.1f,\"p999\":%.1f,\"max\":%.1f}"
               ",\"send_late_us\":{\"p50\":%.1f,\"p99\":%.1f,\"max\":%.1f}",
               latency.total ? latency.sum / (double)latency.total / 1e3 : 0, hist_us(&latency, 0.5),
               hist_us(&latency, 0.9), hist_us(&latency, 0.99), hist_us(&latency, 0.999),
               (double)latency.max / 1e3, hist_us(&lateness, 0.5), hist_us(&lateness, 0.99),
               (double)lateness.max / 1e3);
    if (opt.stalled) {
        uint64_t got = 0, missing = 0;
        for (int i = opt.subs - opt.stalled; i < opt.subs; i++) {
            got += conns[i].got, missing += published[conns[i].subject] - conns[i].got;
            cut += conns[i].state == CLOSED && conns[i].stalled == false;
        }
        printf(",\"stalled\":%d,\"stalled_cut_off\":%d,\"stalled_got\":%" PRIu64 ",\"stalled_missing\":%" PRIu64,
               opt.stalled, cut, got, missing);
    }
    if (opt.server)
        printf(",\"server_cpu_s\":%.2f,\"server_cpu_us_per_msg\":%.4f,\"server_peak_rss_kb\":%ld,\"server_rss_kb\":%ld",
               after.cpu - before.cpu, arrived ? (after.cpu - before.cpu) * 1e6 / (double)arrived : 0,
               after.peak, after.rss);
    printf(",\"gen_cpu_s\":%.2f,\"stuck\":%s", cpu, stuck ? "true" : "false");
    print_tail(ok);
    return ok;
}

static bool idle(void) {
    conns = calloc((size_t)(nconns = opt.idle), sizeof *conns);
    settle(0.2);
    usage before = server_usage();
    uint64_t t = now();
    open_all(0, opt.idle, SUB);
    t = now() - t;
    settle(opt.hold);
    usage after = server_usage();
    bool ok = !disconnects;
    print_head("idle");
    printf(",\"conns\":%d,\"open_s\":%.3f,\"opens_per_s\":%.0f,\"rss_before_kb\":%ld,\"rss_after_kb\":%ld"
           ",\"rss_per_conn_bytes\":%.0f,\"server_cpu_s\":%.2f",
           opt.idle, secs(t), opt.idle / secs(t), before.rss, after.rss,
           (double)(after.rss - before.rss) * 1024 / opt.idle, after.cpu - before.cpu);
    print_tail(ok);
    return ok;
}

static bool churn(void) {
    conns = calloc((size_t)(nconns = opt.conns), sizeof *conns);
    usage before = server_usage();
    double cpu = own_cpu();
    uint64_t begin = now(), end = begin + (uint64_t)(opt.churn * 1e9), cycles = 0, failed = 0, t;
    uint64_t *born = calloc((size_t)nconns, sizeof *born);
    for (int i = 0; i < nconns; i++) {
        conns[i].next = calloc((size_t)opt.pubs, sizeof *conns[i].next);
        conns[i].id = i;
        conns[i].subject = i % opt.subjects;
        open_conn(&conns[i], true);
        born[i] = now();
    }
    while ((t = now()) < end) {
        turn(10000000);
        for (int i = 0; i < nconns; i++) {
            conn *c = &conns[i];
            if (c->state == READY) {
                hist_add(&latency, now() - born[i]);
                cycles++;
                close_conn(c);
            } else if (c->state == CLOSED) failed++;
            else continue;
            open_conn(c, true);
            born[i] = now();
        }
    }
    double wall = secs(t - begin);
    usage after = server_usage();
    bool ok = cycles && !failed && !refused;
    print_head("churn");
    printf(",\"conns\":%d,\"wall_s\":%.3f,\"cycles\":%" PRIu64 ",\"failed\":%" PRIu64 ",\"churn_per_s\":%.0f"
           ",\"p50_us\":%.1f,\"p99_us\":%.1f,\"server_cpu_us_per_cycle\":%.2f,\"gen_cpu_s\":%.2f",
           nconns, wall, cycles, failed, (double)cycles / wall, hist_us(&latency, 0.5), hist_us(&latency, 0.99),
           cycles ? (after.cpu - before.cpu) * 1e6 / (double)cycles : 0, own_cpu() - cpu);
    print_tail(ok);
    return ok;
}

// ---------------------------------------------------------------------------------------------

static const char help[] =
    "usage: flowload --proto NAME [option ...]\n"
    "  --port N          the server's port on 127.0.0.1 (default: the protocol's)\n"
    "  --server-pid PID  report this process's CPU time and memory\n"
    "  --label TEXT      copied into the output\n"
    "flow (the default mode): publishers send, subscribers count\n"
    "  --pubs P --subs S --subjects K   connections (1, 1, 1); connection i uses subject i mod K\n"
    "  --bytes B         size of a message's body, at least 16 (128)\n"
    "  --count N         messages of each publisher, or\n"
    "  --seconds T       how long to publish (2 if neither is given)\n"
    "  --batch BYTES     bytes to a write (65536)\n"
    "  --window BYTES    publish only while this much is outstanding per subscriber (0: no limit)\n"
    "  --rate R          messages per second of all publishers together; measures latency\n"
    "  --spin            do not sleep between messages\n"
    "  --stalled N       the last N subscribers stop reading once subscribed\n"
    "  --replies         redis: let the server answer each PUBLISH\n"
    "  --demand N        for demand protocols: messages a subscriber asks for at a time (65536)\n"
    "  --stall T         give up after T seconds without progress (1.5)\n"
    "  --timeout T       give up after T seconds (60)\n"
    "--idle C            open C subscribers; the server's memory per connection; --hold T (1)\n"
    "--churn T           connect, subscribe, close for T seconds with --conns N at a time (16)\n";

int main(int argc, char **argv) {
    enum { PROTO = 1, PORT, PID, LABEL, PUBS, SUBS, SUBJECTS, BYTES, COUNT, SECONDS, BATCH, WINDOW, RATE,
           SPIN, STALLED, REPLIES, DEMAND, STALL, TIMEOUT, IDLE, HOLD, CHURN, CONNS, PREFIX };
    static const struct option longs[] = {
        {"proto", 1, 0, PROTO}, {"port", 1, 0, PORT}, {"server-pid", 1, 0, PID}, {"label", 1, 0, LABEL},
        {"pubs", 1, 0, PUBS}, {"subs", 1, 0, SUBS}, {"subjects", 1, 0, SUBJECTS}, {"bytes", 1, 0, BYTES},
        {"count", 1, 0, COUNT}, {"seconds", 1, 0, SECONDS}, {"batch", 1, 0, BATCH}, {"window", 1, 0, WINDOW},
        {"rate", 1, 0, RATE}, {"spin", 0, 0, SPIN}, {"stalled", 1, 0, STALLED}, {"replies", 0, 0, REPLIES},
        {"demand", 1, 0, DEMAND}, {"stall", 1, 0, STALL}, {"timeout", 1, 0, TIMEOUT}, {"idle", 1, 0, IDLE},
        {"hold", 1, 0, HOLD}, {"churn", 1, 0, CHURN}, {"conns", 1, 0, CONNS}, {"subject", 1, 0, PREFIX}, {0}};
    for (int o; (o = getopt_long(argc, argv, "", longs, NULL)) != -1;) {
        switch (o) {
        case PROTO:
            for (size_t i = 0; i < sizeof protocols / sizeof *protocols; i++)
                if (!strcmp(optarg, protocols[i].name)) opt.proto = &protocols[i];
            break;
        case PORT: opt.port = (uint16_t)atoi(optarg); break;
        case PID: opt.server = atoi(optarg); break;
        case LABEL: opt.label = optarg; break;
        case PUBS: opt.pubs = atoi(optarg); break;
        case SUBS: opt.subs = atoi(optarg); break;
        case SUBJECTS: opt.subjects = atoi(optarg); break;
        case BYTES: opt.body = (size_t)atol(optarg); break;
        case COUNT: opt.count = (uint64_t)atoll(optarg); break;
        case SECONDS: opt.seconds = atof(optarg); break;
        case BATCH: opt.batch = (size_t)atol(optarg); break;
        case WINDOW: opt.window = (size_t)atol(optarg); break;
        case RATE: opt.rate = atof(optarg); break;
        case SPIN: opt.spin = true; break;
        case STALLED: opt.stalled = atoi(optarg); break;
        case REPLIES: opt.replies = true; break;
        case DEMAND: opt.demand = atoll(optarg); break;
        case STALL: opt.stall = atof(optarg); break;
        case TIMEOUT: opt.timeout = atof(optarg); break;
        case IDLE: opt.idle = atoi(optarg); break;
        case HOLD: opt.hold = atof(optarg); break;
        case CHURN: opt.churn = atof(optarg); break;
        case CONNS: opt.conns = atoi(optarg); break;
        case PREFIX: opt.prefix = optarg; break;
        default: fputs(help, stderr); return 2;
        }
    }
    if (!opt.proto || optind < argc) { fputs(help, stderr); return 2; }
    if (opt.body < BODY_MIN) die("--bytes must be at least %d", BODY_MIN);
    if (opt.pubs > 4096 || opt.pubs < 0 || opt.subs < 0 || opt.subjects < 1 || opt.stalled > opt.subs)
        die("numbers of connections make no sense");
    if (!opt.count && opt.seconds <= 0) opt.seconds = 2;
    if (!opt.count) opt.count = UINT64_MAX;
    if (!opt.port) opt.port = opt.proto->port;
    if (!opt.label) opt.label = opt.proto->name;
    if (opt.rate > 0) interval = (uint64_t)(1e9 / opt.rate);
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    epoch = (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
    prctl(PR_SET_TIMERSLACK, 1);
    struct rlimit fds;
    getrlimit(RLIMIT_NOFILE, &fds);
    fds.rlim_cur = fds.rlim_max;
    setrlimit(RLIMIT_NOFILE, &fds);
    for (int i = 0; i < 64; i++) value[(uint8_t)digit[i]] = (uint8_t)i;
    published = calloc((size_t)opt.subjects, sizeof *published);
    listeners = calloc((size_t)opt.subjects, sizeof *listeners);
    filler = malloc(opt.body);
    memset(filler, 'x', opt.body);
    in = malloc(PART_MAX + READ_ROOM);
    ep = epoll_create1(EPOLL_CLOEXEC);
    bool ok = opt.churn > 0 ? churn() : opt.idle ? idle() : flow();
    return ok ? 0 : 1;
}
