// What the standard library's vectors lack: the lanes for which a comparison holds, as the bits of a number.
// (`SIMDMask` has no such bits, and a loop over its lanes costs more than it saves.) The compiler makes of
// these what the machine has: SSE2 on any x86-64, NEON on arm64.
#pragma once
#include <stdint.h>
#include <string.h>

typedef uint8_t flow_bytes __attribute__((vector_size(16)));
typedef int8_t flow_lanes __attribute__((vector_size(16)));
typedef _Bool flow_bits __attribute__((ext_vector_type(16)));

static inline flow_bytes flow_load(const uint8_t *bytes) {
  flow_bytes loaded;
  memcpy(&loaded, bytes, sizeof loaded);
  return loaded;
}

// A bit for each lane that holds, the first lowest.
static inline uint64_t flow_mask(flow_lanes lanes) {
  return __builtin_bit_cast(uint16_t, __builtin_convertvector(lanes, flow_bits));
}

// The number of the first lane that holds, 16 if none does.
static inline uint32_t flow_first(flow_lanes lanes) {
  return __builtin_ctz((uint32_t)flow_mask(lanes) | 0x10000);
}

// How many of 16 bytes stand before a quote, a backslash or a control character.
static inline uint32_t flow_plain(const uint8_t *bytes) {
  flow_bytes loaded = flow_load(bytes);
  // With this bit turned round, a quote is just above the control characters.
  return flow_first(((loaded ^ 2) <= 0x20) | (loaded == '\\'));
}

// How many of 16 bytes stand before a quote, a blank or a control character.
static inline uint32_t flow_bare(const uint8_t *bytes) {
  flow_bytes loaded = flow_load(bytes);
  return flow_first((loaded == '"') | (loaded <= 0x20));
}

// How many of 16 bytes stand before one that is no digit.
static inline uint32_t flow_digits(const uint8_t *bytes) {
  return flow_first((flow_bytes)(flow_load(bytes) - '0') > 9);
}

// A bit for each of 16 bytes that is the same in both.
static inline uint32_t flow_same(const uint8_t *bytes, const uint8_t *others) {
  return (uint32_t)flow_mask(flow_load(bytes) == flow_load(others));
}
