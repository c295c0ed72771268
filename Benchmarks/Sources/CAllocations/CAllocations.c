#include "CAllocations.h"

#include <malloc.h>
#include <stdatomic.h>
#include <stddef.h>

// The process's own malloc, in front of the library's, whose name for it this is.
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);
void __libc_free(void *);

static atomic_long blocks, bytes;
// Counting costs as much as allocating does, so it is only done when it is asked for.
static atomic_int is_counting;

static void *counted(void *block) {
  if (block && atomic_load_explicit(&is_counting, memory_order_relaxed)) {
    atomic_fetch_add_explicit(&blocks, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&bytes, (long)malloc_usable_size(block), memory_order_relaxed);
  }
  return block;
}

static void forgotten(void *block) {
  if (block && atomic_load_explicit(&is_counting, memory_order_relaxed))
    atomic_fetch_sub_explicit(&bytes, (long)malloc_usable_size(block), memory_order_relaxed);
}

void *malloc(size_t size) { return counted(__libc_malloc(size)); }
void *calloc(size_t count, size_t size) { return counted(__libc_calloc(count, size)); }
void *memalign(size_t alignment, size_t size) { return counted(__libc_memalign(alignment, size)); }
void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **result, size_t alignment, size_t size) {
  void *block = memalign(alignment, size);
  if (!block) return 12;
  *result = block;
  return 0;
}

void *realloc(void *block, size_t size) {
  forgotten(block);
  return counted(__libc_realloc(block, size));
}

void free(void *block) {
  forgotten(block);
  __libc_free(block);
}

void count_allocations(int on) { atomic_store(&is_counting, on); }
long allocations(void) { return atomic_load(&blocks); }
long bytes_in_use(void) { return atomic_load(&bytes); }
