#include "CChecksum.h"

#include <pthread.h>
#include <string.h>

static uint32_t tables[8][256];
static pthread_once_t made = PTHREAD_ONCE_INIT;

// The polynomial 0x1EDC6F41, its bits turned round.
static void make_tables(void) {
  for (uint32_t byte = 0; byte < 256; byte++) {
    uint32_t rest = byte;
    for (int bit = 0; bit < 8; bit++) rest = rest & 1 ? rest >> 1 ^ 0x82F63B78u : rest >> 1;
    tables[0][byte] = rest;
  }
  for (int table = 1; table < 8; table++)
    for (uint32_t byte = 0; byte < 256; byte++) {
      uint32_t before = tables[table - 1][byte];
      tables[table][byte] = before >> 8 ^ tables[0][before & 255];
    }
}

uint32_t flow_crc32c_by_table(uint32_t checksum, const void *bytes, size_t count) {
  pthread_once(&made, make_tables);
  const uint8_t *next = bytes;
  uint32_t rest = ~checksum;
  for (; count >= 8; count -= 8, next += 8) {
    uint32_t low = rest ^ (next[0] | next[1] << 8 | next[2] << 16 | (uint32_t)next[3] << 24);
    rest = tables[7][low & 255] ^ tables[6][low >> 8 & 255] ^ tables[5][low >> 16 & 255] ^
           tables[4][low >> 24] ^ tables[3][next[4]] ^ tables[2][next[5]] ^ tables[1][next[6]] ^
           tables[0][next[7]];
  }
  for (; count; count--) rest = rest >> 8 ^ tables[0][(rest ^ *next++) & 255];
  return ~rest;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) static uint32_t by_instruction(uint32_t checksum, const uint8_t *next, size_t count) {
  uint64_t rest = ~checksum;
  for (; count >= 8; count -= 8, next += 8) {
    uint64_t word;
    memcpy(&word, next, 8);
    rest = __builtin_ia32_crc32di(rest, word);
  }
  for (; count; count--) rest = __builtin_ia32_crc32qi((uint32_t)rest, *next++);
  return ~(uint32_t)rest;
}
static int has_instruction(void) { return __builtin_cpu_supports("sse4.2"); }
#elif defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
__attribute__((target("crc"))) static uint32_t by_instruction(uint32_t checksum, const uint8_t *next, size_t count) {
  uint32_t rest = ~checksum;
  for (; count >= 8; count -= 8, next += 8) {
    uint64_t word;
    memcpy(&word, next, 8);
    rest = __builtin_arm_crc32cd(rest, word);
  }
  for (; count; count--) rest = __builtin_arm_crc32cb(rest, *next++);
  return ~rest;
}
// Bit 7 of AT_HWCAP is HWCAP_CRC32.
static int has_instruction(void) { return (getauxval(AT_HWCAP) & 1 << 7) != 0; }
#else
static uint32_t by_instruction(uint32_t checksum, const uint8_t *next, size_t count) {
  return flow_crc32c_by_table(checksum, next, count);
}
static int has_instruction(void) { return 0; }
#endif

uint32_t flow_crc32c(uint32_t checksum, const void *bytes, size_t count) {
  static int known;  // 0 unknown, 1 no, 2 yes: threads that ask at once find the same answer
  int has = __atomic_load_n(&known, __ATOMIC_RELAXED);
  if (!has) __atomic_store_n(&known, has = 1 + !!has_instruction(), __ATOMIC_RELAXED);
  return has == 2 ? by_instruction(checksum, bytes, count) : flow_crc32c_by_table(checksum, bytes, count);
}
