// CRC32C (Castagnoli), by the machine's instruction where it has one: Swift offers neither.
#pragma once
#include <stddef.h>
#include <stdint.h>

// Continues a checksum with more bytes; the checksum of no bytes is 0.
uint32_t flow_crc32c(uint32_t checksum, const void *bytes, size_t count);

// The same without the instruction. Tests compare both.
uint32_t flow_crc32c_by_table(uint32_t checksum, const void *bytes, size_t count);
