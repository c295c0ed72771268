#ifndef CALLOCATIONS_H
#define CALLOCATIONS_H

/// How many blocks this process has allocated so far, on all threads.
long allocations(void);

/// How many octets of blocks are in use, as the allocator counts them.
long octets_in_use(void);

#endif
