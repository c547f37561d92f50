// SPDX-License-Identifier: BSD-3-Clause
//
// Follows a program into the programs that it starts. An execve of an x86-64 program, or of a
// script that such a program interprets, becomes an execve of this QEMU with this plug-in, which
// runs the program. Any other program runs without QEMU and is not traced.
#ifndef HMSIM_FOLLOW_H
#define HMSIM_FOLLOW_H

#define _GNU_SOURCE
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "files.h"

// This process's own command line begins with QEMU and its options; `-0 NAME` and the program
// follow.
enum { QEMU_WORDS = 7, ADDED_WORDS = 5, LINE_OF_SCRIPT = 256, COMMAND_BYTES = 1 << 14 };

// Returns a new array with `room_before` unset elements, then the words of a NULL-terminated vector
// in the guest, and their number in `count`. Returns NULL if the vector cannot be read.
static char** guest_words(uint64_t vector, size_t room_before, size_t* count) {
  const uint64_t base = guest_base_of();
  char** words = NULL;
  for (size_t i = 0, room = 0;; i++) {
    if (room_before + i >= room) {
      room = 2 * (room_before + i) + 64;
      char** more = realloc(words, room * sizeof *words);
      if (!more) break;
      words = more;
    }
    uint64_t word = 0;
    struct iovec to = {&word, sizeof word};
    struct iovec from = {(void*)(base + vector + i * sizeof word), sizeof word};  // NOLINT
    if (vector && process_vm_readv(getpid(), &to, 1, &from, 1, 0) != sizeof word) break;
    words[room_before + i] = word ? (char*)(base + word) : NULL;  // NOLINT
    *count = i;
    if (!word) return words;
  }
  free(words);
  return NULL;
}

// Reads the first bytes of an executable file and appends a NUL. Returns false if it is not
// executable.
static bool first_bytes(const char* path, char bytes[LINE_OF_SCRIPT + 1]) {
  int file = access(path, X_OK) ? -1 : open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  ssize_t count = read(file, bytes, LINE_OF_SCRIPT);
  close(file);
  if (count > 0) bytes[count] = '\0';
  return count > 0;
}

// Returns whether a file that begins with `bytes` is a 64-bit little-endian ELF file for x86-64
// (machine 62).
static bool is_program(const char* bytes) {
  return !memcmp(bytes, "\177ELF\2\1", 6) && bytes[18] == 62 && bytes[19] == 0;
}

// Sets `words` to the QEMU part of this process's command line, which is read into `line`, with the
// path of the QEMU binary as its first word. Returns false if that fails.
static bool own_words(char line[COMMAND_BYTES], char* words[QEMU_WORDS]) {
  static char emulator[4096];
  ssize_t length = readlink("/proc/self/exe", emulator, sizeof emulator - 1);
  int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  ssize_t count = file < 0 ? -1 : read(file, line, COMMAND_BYTES - 1);
  if (file >= 0) close(file);
  if (count <= 0 || length <= 0) return false;
  line[count] = emulator[length] = '\0';
  const char* end = line + count;
  for (unsigned i = 0; i < QEMU_WORDS; i++) {
    if (line >= end) return false;
    words[i] = line;
    line += strlen(line) + 1;
  }
  words[0] = emulator;
  return true;
}

// Sets `words` to the words that follow QEMU's: `-0`, the program's argv[0], the program and, for a
// script, the argument in its first line and the script. `first`: first bytes of the file `path`; a
// script's are modified. `name`: argv[0] of a program. Returns the number of words, or 0 if the
// file is neither an x86-64 program nor a script that such a program interprets.
static unsigned program_words(char* first, char* path, char* name, char* words[ADDED_WORDS]) {
  unsigned used = 0;
  words[used++] = "-0";
  if (is_program(first)) {
    words[used++] = name;
    words[used++] = path;
    return used;
  }
  if (first[0] != '#' || first[1] != '!') return 0;
  char* interpreter = first + 2 + strspn(first + 2, " \t");
  interpreter[strcspn(interpreter, "\n")] = '\0';
  char* argument = interpreter + strcspn(interpreter, " \t");
  if (*argument) *argument++ = '\0';
  argument += strspn(argument, " \t");
  words[used++] = interpreter;
  words[used++] = interpreter;
  if (*argument) words[used++] = argument;
  words[used++] = path;
  char its_first[LINE_OF_SCRIPT + 1] = {0};
  return first_bytes(interpreter, its_first) && is_program(its_first) ? used : 0;
}

// Call before the guest's execve(path, arguments, environment). Does not return if the program is
// followed.
static void follow_exec(uint64_t path_at, uint64_t arguments_at, uint64_t environment_at) {
  char* path = (char*)(guest_base_of() + path_at);  // NOLINT: the kernel checks it
  char first[LINE_OF_SCRIPT + 1] = {0};
  static char line[COMMAND_BYTES];
  char *qemu[QEMU_WORDS], *added[ADDED_WORDS];
  if (!first_bytes(path, first) || !own_words(line, qemu)) return;
  enum { BEFORE = QEMU_WORDS + ADDED_WORDS };
  size_t count = 0, variables = 0;
  char** words = guest_words(arguments_at, BEFORE, &count);
  char** environment = guest_words(environment_at, 0, &variables);
  if (words && environment) {
    unsigned used = program_words(first, path, count ? words[BEFORE] : path, added);
    // The added words replace the program's name.
    char** command = words + BEFORE + (count > 0) - used - QEMU_WORDS;
    memcpy(command, qemu, sizeof qemu);
    memcpy(command + QEMU_WORDS, added, used * sizeof *added);
    if (used) execve(command[0], command, environment);
  }
  free(words);
  free(environment);
}

#endif
