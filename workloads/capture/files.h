// SPDX-License-Identifier: BSD-3-Clause
//
// Writes the program's file reads and writes as a block trace, one request per line, in sectors of
// 512 bytes. The format is MQSim's "<arrival ns> 0 <start sector> <sectors> <0 write | 1 read>", or
// blkparse's output. Only the latter can express flushes (fsync, fdatasync, syncfs, sync) and FUA,
// i.e. writes that must be durable at completion (the file is open with O_SYNC or O_DSYNC).
//
// Files are placed on one device in extents of 1 MiB. A new file gets consecutive extents for its
// whole size after all extents allocated so far. Each further MiB that it grows by gets the next
// free extent. Requests are split at extent boundaries, so none exceeds 1 MiB.
#ifndef HMSIM_FILES_H
#define HMSIM_FILES_H

#include <fnmatch.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "output.h"
#include "traced.h"

enum { SECTOR_SHIFT = 9, EXTENT_SHIFT = 20 };

extern uintptr_t guest_base __attribute__((weak));  // QEMU's: host address of guest address 0
static inline uintptr_t guest_base_of(void) { return &guest_base ? guest_base : 0; }

static struct {
  struct output output;
  const char* pattern;   // fnmatch pattern of full paths, or NULL
  uint64_t as_blkparse;  // otherwise MQSim's format, which has no flushes
} blocks;

// Returns whether the file is a data file of the wanted name: regular, not in a pseudo file system,
// not a program or shared library.
static bool is_wanted(int fd) {
  char link[32], path[4096], magic[4];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return false;
  path[length] = '\0';
  static const char* const pseudo[] = {"/proc/", "/sys/", "/dev/"};
  for (size_t i = 0; i < sizeof pseudo / sizeof *pseudo; i++)
    if (!strncmp(path, pseudo[i], strlen(pseudo[i]))) return false;
  if (blocks.pattern) return fnmatch(blocks.pattern, path, 0) == 0;
  return pread(fd, magic, sizeof magic, 0) != sizeof magic ||
         memcmp(magic, "\177ELF", sizeof magic);
}

// A file's extents are in a row of `places`. A full row is replaced by a new one of twice the size.
static void reserve_extents(struct traced_file* file, uint64_t extents) {
  if (extents <= file->extents) return;
  if (extents > MOST_EXTENTS - traced->next_extent) fail("the traced files are too large in total");
  if (extents > file->room) {
    uint32_t room = 2 * file->room > extents ? 2 * file->room : (uint32_t)extents;
    if (room > MOST_PLACES - traced->places_used) fail("the traced files are too large in total");
    memcpy(traced->places + traced->places_used, traced->places + file->place,
           file->extents * sizeof *traced->places);
    file->place = traced->places_used;
    file->room = room;
    traced->places_used += room;
  }
  while (file->extents < extents)
    traced->places[file->place + file->extents++] = traced->next_extent++;
}

// Returns NULL if `fd` is not a regular file.
static struct traced_file* find_file(int fd) {
  struct statx info;
  if (statx(fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS | STATX_BTIME, &info) ||
      !S_ISREG(info.stx_mode))
    return NULL;
  struct traced_file key = {
      .device = (uint64_t)info.stx_dev_major << 32 | info.stx_dev_minor,
      .inode = info.stx_ino,
      .born_s = (uint64_t)info.stx_btime.tv_sec,
      .born_ns = info.stx_btime.tv_nsec,
  };
  for (uint32_t i = traced->file_count; i-- > 0;) {
    struct traced_file* file = &traced->files[i];
    if (file->inode == key.inode && file->device == key.device && file->born_ns == key.born_ns &&
        file->born_s == key.born_s)
      return file;
  }
  if (traced->file_count == MOST_FILES) fail("more than %d files", MOST_FILES);
  key.wanted = is_wanted(fd);
  if (key.wanted) reserve_extents(&key, (info.stx_size + (1 << EXTENT_SHIFT) - 1) >> EXTENT_SHIFT);
  traced->files[traced->file_count] = key;
  return &traced->files[traced->file_count++];
}

// Writes a queued request as blkparse prints it by default.
static void blkparse_line(uint64_t now, const char* kind, uint64_t start, uint64_t count) {
  static const uint64_t second = 1000000000;
  char line[128];
  int length = snprintf(line, sizeof line, "0,0 0 %llu %llu.%09llu 1 Q %s %llu + %llu [capture]\n",
                        (unsigned long long)++traced->lines, (unsigned long long)(now / second),
                        (unsigned long long)(now % second), kind, (unsigned long long)start,
                        (unsigned long long)count);
  output_put(&blocks.output, line, (size_t)length);
}

static void mqsim_line(uint64_t now, enum file_access access, uint64_t start, uint64_t count) {
  char line[96];
  int length = snprintf(line, sizeof line, "%llu 0 %llu %llu %d\n", (unsigned long long)now,
                        (unsigned long long)start, (unsigned long long)count, access);
  output_put(&blocks.output, line, (size_t)length);
}

static void block_flush(uint64_t now) {
  traced->flushes++;
  if (blocks.as_blkparse) blkparse_line(now, "FN", 0, 0);
}

static void block_request(uint64_t now, int fd, uint64_t offset, uint64_t bytes,
                          enum file_access access) {
  struct traced_file* file = find_file(fd);
  if (!file || !file->wanted) return;
  reserve_extents(file, (offset + bytes + (1 << EXTENT_SHIFT) - 1) >> EXTENT_SHIFT);
  traced->bytes[access] += bytes;
  const bool durable = access == FILE_WRITE && fcntl(fd, F_GETFL) & O_DSYNC;  // or O_SYNC
  const char* kind = access == FILE_READ ? "R" : durable ? "WFS" : "W";
  const uint64_t sectors_per_extent = 1 << (EXTENT_SHIFT - SECTOR_SHIFT);
  uint64_t sector = offset >> SECTOR_SHIFT;
  uint64_t end = (offset + bytes + (1 << SECTOR_SHIFT) - 1) >> SECTOR_SHIFT;
  while (sector < end) {
    uint64_t inside = sector % sectors_per_extent;
    uint64_t count =
        end - sector < sectors_per_extent - inside ? end - sector : sectors_per_extent - inside;
    uint64_t extent = traced->places[file->place + sector / sectors_per_extent];
    uint64_t start = extent * sectors_per_extent + inside;
    if (blocks.as_blkparse)
      blkparse_line(now, kind, start, count);
    else
      mqsim_line(now, access, start, count);
    traced->requests[access]++;
    sector += count;
  }
}

// Returns where the transfer that just moved `bytes` started. The offset variable, or the file
// position, is now after it.
static uint64_t start_of_transfer(int fd, uint64_t guest_offset_pointer, uint64_t bytes) {
  int64_t end;
  if (guest_offset_pointer)
    memcpy(&end, (void*)(guest_base_of() + guest_offset_pointer), sizeof end);
  else
    end = lseek(fd, 0, SEEK_CUR);
  return (uint64_t)end - bytes;
}

static bool is_sync_syscall(int64_t number) {
  return number == SYS_fsync || number == SYS_fdatasync || number == SYS_syncfs ||
         number == SYS_sync;
}

// Records a system call that made the data of a file, or of all files, durable.
static void flush_syscall(uint64_t now, int64_t number, int fd) {
  struct traced_file* file = number == SYS_sync ? NULL : find_file(fd);
  if (number == SYS_sync || number == SYS_syncfs || (file && file->wanted)) block_flush(now);
}

// Records a guest system call (x86-64 number) that moved `bytes` > 0 bytes.
static void block_syscall(uint64_t now, int64_t number, const uint64_t argument[6],
                          uint64_t bytes) {
  int fd = (int)argument[0];
  switch (number) {
    case SYS_read:
    case SYS_readv:
      block_request(now, fd, start_of_transfer(fd, 0, bytes), bytes, FILE_READ);
      break;
    case SYS_write:
    case SYS_writev:
      block_request(now, fd, start_of_transfer(fd, 0, bytes), bytes, FILE_WRITE);
      break;
    case SYS_pread64:
    case SYS_preadv:
      block_request(now, fd, argument[3], bytes, FILE_READ);
      break;
    case SYS_pwrite64:
    case SYS_pwritev:
      block_request(now, fd, argument[3], bytes, FILE_WRITE);
      break;
    case SYS_sendfile:
      block_request(now, (int)argument[1], start_of_transfer((int)argument[1], argument[2], bytes),
                    bytes, FILE_READ);
      block_request(now, fd, start_of_transfer(fd, 0, bytes), bytes, FILE_WRITE);
      break;
    case SYS_copy_file_range:
      block_request(now, fd, start_of_transfer(fd, argument[1], bytes), bytes, FILE_READ);
      block_request(now, (int)argument[2], start_of_transfer((int)argument[2], argument[3], bytes),
                    bytes, FILE_WRITE);
      break;
  }
}

static bool is_file_syscall(int64_t number) {
  return number == SYS_read || number == SYS_write || number == SYS_readv || number == SYS_writev ||
         number == SYS_pread64 || number == SYS_pwrite64 || number == SYS_preadv ||
         number == SYS_pwritev || number == SYS_sendfile || number == SYS_copy_file_range;
}

#endif
