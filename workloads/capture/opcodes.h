// SPDX-License-Identifier: BSD-3-Clause
//
// Recognises the instructions that need more than their accesses: non-temporal stores, fences, and
// the instructions by which guests signal the plug-in.
#ifndef HMSIM_OPCODES_H
#define HMSIM_OPCODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// movnti, movntq/movntdq, movntps/movntpd and their VEX forms (Intel SDM volume 2).
static bool stores_non_temporal(const uint8_t* code, size_t size) {
  bool operand_size = false;
  size_t i = 0;
  for (; i < size; i++) {
    uint8_t byte = code[i];
    bool segment_or_address = byte == 0x26 || byte == 0x2E || byte == 0x36 || byte == 0x3E ||
                              byte == 0x64 || byte == 0x65 || byte == 0x67;
    bool rex = byte >= 0x40 && byte <= 0x4F;
    if (byte == 0x66)
      operand_size = true;
    else if (!segment_or_address && !rex)
      break;
  }
  if (i + 1 < size && code[i] == 0x0F)
    return (code[i + 1] == 0xC3 && !operand_size) || code[i + 1] == 0xE7 || code[i + 1] == 0x2B;
  uint8_t prefix, opcode;  // VEX: pp in bits 0 and 1 of `prefix`, opcode map 0F
  if (i + 2 < size && code[i] == 0xC5)
    prefix = code[i + 1], opcode = code[i + 2];
  else if (i + 3 < size && code[i] == 0xC4 && (code[i + 1] & 0x1F) == 1)
    prefix = code[i + 2], opcode = code[i + 3];
  else
    return false;
  return (opcode == 0xE7 && (prefix & 3) == 1) || (opcode == 0x2B && (prefix & 3) <= 1);
}

// xchg %bx,%bx
static bool is_marker(const uint8_t* code, size_t size) {
  static const uint8_t xchg_bx_bx[] = {0x66, 0x87, 0xDB};
  return size == sizeof xchg_bx_bx && !memcmp(code, xchg_bx_bx, size);
}

// xchg %cx,%cx
static bool is_self_test(const uint8_t* code, size_t size) {
  static const uint8_t xchg_cx_cx[] = {0x66, 0x87, 0xC9};
  return size == sizeof xchg_cx_cx && !memcmp(code, xchg_cx_cx, size);
}

// mov (%rsi),%al after three redundant segment prefixes
static bool is_probe(const uint8_t* code, size_t size) {
  static const uint8_t prefixed_load[] = {0x3E, 0x3E, 0x3E, 0x8A, 0x06};
  return size == sizeof prefixed_load && !memcmp(code, prefixed_load, size);
}

// Returns whether the instruction is the probe load with four prefixes, which precedes a clflush of
// (%rsi). QEMU does not report the address of a clflush.
static bool is_flush_probe(const uint8_t* code, size_t size) {
  static const uint8_t prefixed_load[] = {0x3E, 0x3E, 0x3E, 0x3E, 0x8A, 0x06};
  return size == sizeof prefixed_load && !memcmp(code, prefixed_load, size);
}

// Returns the part of a message (causes.h) that the probe load marks. Start, word and end have
// five, six and seven prefixes.
enum message_part { NO_MESSAGE, MESSAGE_BEGIN, MESSAGE_WORD, MESSAGE_END };
static enum message_part message_part(const uint8_t* code, size_t size) {
  static const uint8_t prefixed_load[] = {0x3E, 0x3E, 0x3E, 0x3E, 0x3E, 0x3E, 0x3E, 0x8A, 0x06};
  if (size < sizeof prefixed_load - 2 || size > sizeof prefixed_load) return NO_MESSAGE;
  size_t left_out = sizeof prefixed_load - size;
  return memcmp(code, prefixed_load + left_out, size) ? NO_MESSAGE : MESSAGE_END - left_out;
}

// sfence, mfence: 0F AE F8 to FF and F0 to F7.
static bool is_store_fence(const uint8_t* code, size_t size) {
  return size == 3 && code[0] == 0x0F && code[1] == 0xAE && code[2] >= 0xF0;
}

// clflush, clflushopt, clwb: 0F AE /7, and 66 0F AE /7 and /6, with a memory operand. Without 66,
// /6 is xsaveopt.
static bool is_flush(const uint8_t* code, size_t size) {
  bool operand_size = false;
  size_t i = 0;
  for (; i < size && (code[i] == 0x66 || code[i] == 0x3E || (code[i] & 0xF0) == 0x40); i++)
    operand_size = operand_size || code[i] == 0x66;
  if (i + 2 >= size || code[i] != 0x0F || code[i + 1] != 0xAE || code[i + 2] >= 0xC0) return false;
  unsigned operation = code[i + 2] >> 3 & 7;
  return operation == 7 || (operation == 6 && operand_size);
}

#endif
