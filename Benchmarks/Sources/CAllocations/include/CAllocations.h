#ifndef CALLOCATIONS_H
#define CALLOCATIONS_H

/// Begins to count on all threads, or stops: at first nothing is counted.
void count_allocations(int on);

/// How many blocks this process has allocated while it was counted, on all threads.
long allocations(void);

/// How many bytes of blocks are in use that came while it was counted, as the allocator sees them.
long bytes_in_use(void);

#endif
