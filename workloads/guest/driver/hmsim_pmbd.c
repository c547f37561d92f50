// SPDX-License-Identifier: BSD-3-Clause
//
// Block device on persistent memory, /dev/pmbd0, modelled on PMBD (Chen et al., "A protected block
// device for persistent memory", MSST 2014). Each request copies immediately, in one of three ways:
//   copy=nt  writes by non-temporal stores, with a fence after each segment; reads through the
//   caches copy=wb  writes through the caches, then flushes each line copy=uc  maps the memory
//   uncached: every 8-byte access goes there
// With delay=N, each request completes N microseconds later, regardless of load. Programs then see
// a slow device with unlimited parallelism.
#include <linux/blkdev.h>
#include <linux/highmem.h>
#include <linux/hrtimer.h>
#include <linux/io.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/slab.h>

static unsigned long base, bytes;
static unsigned int delay;
static char* copy = "nt";
module_param(base, ulong, 0444);
MODULE_PARM_DESC(base, "physical address of the memory's first byte");
module_param(bytes, ulong, 0444);
MODULE_PARM_DESC(bytes, "length of the memory in bytes");
module_param(copy, charp, 0444);
MODULE_PARM_DESC(copy, "nt, wb or uc");
module_param(delay, uint, 0644);
MODULE_PARM_DESC(delay, "microseconds from the end of a request's copies to its completion");

enum { LINE = 64 };

// Kinds of memory mapping and ways of writing.
struct way {
  const char* name;
  void* (*map)(void);
  void (*unmap)(void* memory);
  void (*read)(void* to, const void* from, size_t count);
  void (*write)(void* to, const void* from, size_t count);
};

static struct gendisk* disk;
static const struct way* way;
static char* memory;

// Flushes the line of `place`. The load, mov (%rsi),%al with redundant prefixes, reveals its
// address to the capture plug-in.
static void flush_line(const char* place) {
  asm volatile(".byte 0x3E, 0x3E, 0x3E, 0x3E, 0x8A, 0x06" ::"S"(place) : "rax", "memory");
  asm volatile("clflush (%0)" ::"r"(place) : "memory");
}

static void* map_cached(void) { return memremap(base, bytes, MEMREMAP_WB); }

static void* map_uncached(void) { return (void __force*)ioremap_uc(base, bytes); }

static void unmap_uncached(void* place) { iounmap((void __iomem*)place); }

static void read_cached(void* to, const void* from, size_t count) { memcpy(to, from, count); }

static void write_non_temporal(void* to, const void* from, size_t count) {
  memcpy_flushcache(to, from, count);
  wmb();
}

static void write_back(void* to, const void* from, size_t count) {
  const char* end = (char*)to + count;
  const char* line = (char*)((unsigned long)to & ~(LINE - 1UL));
  memcpy(to, from, count);
  for (; line < end; line += LINE) flush_line(line);
}

// Sectors are 4 KB, so everything is aligned to 8 bytes.
static void copy_words(void* to, const void* from, size_t count) {
  volatile u64* target = to;
  const volatile u64* source = from;
  size_t i;
  for (i = 0; i < count / sizeof *target; i++) target[i] = source[i];
}

static const struct way ways[] = {
    {"nt", map_cached, memunmap, read_cached, write_non_temporal},
    {"wb", map_cached, memunmap, read_cached, write_back},
    {"uc", map_uncached, unmap_uncached, copy_words, copy_words},
};

// A request that is copied and completes when its delay ends.
struct late {
  struct hrtimer timer;
  struct bio* bio;
};

static enum hrtimer_restart end_late(struct hrtimer* timer) {
  struct late* late = container_of(timer, struct late, timer);
  bio_endio(late->bio);
  kfree(late);
  return HRTIMER_NORESTART;
}

static void end(struct bio* bio) {
  struct late* late = delay ? kmalloc(sizeof *late, GFP_NOIO) : NULL;
  if (!late) {
    bio_endio(bio);
    return;
  }
  late->bio = bio;
  hrtimer_init(&late->timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
  late->timer.function = end_late;
  hrtimer_start(&late->timer, ns_to_ktime((u64)delay * NSEC_PER_USEC), HRTIMER_MODE_REL);
}

static void submit(struct bio* bio) {
  size_t at = (size_t)bio->bi_iter.bi_sector << SECTOR_SHIFT;
  bool write = op_is_write(bio_op(bio));
  struct bio_vec part;
  struct bvec_iter iterator;
  if (bio->bi_opf & REQ_PREFLUSH) wmb();
  bio_for_each_segment(part, bio, iterator) {
    char* page = kmap_local_page(part.bv_page);
    if (write)
      way->write(memory + at, page + part.bv_offset, part.bv_len);
    else
      way->read(page + part.bv_offset, memory + at, part.bv_len);
    kunmap_local(page);
    at += part.bv_len;
  }
  if (bio->bi_opf & REQ_FUA) wmb();
  end(bio);
}

static const struct block_device_operations operations = {
    .owner = THIS_MODULE,
    .submit_bio = submit,
};

static int __init pmbd_init(void) {
  size_t i;
  int error;
  for (i = 0; i < ARRAY_SIZE(ways); i++)
    if (!strcmp(ways[i].name, copy)) way = &ways[i];
  if (!way || !base || !bytes || bytes % PAGE_SIZE) return -EINVAL;
  memory = way->map();
  if (!memory) return -ENOMEM;
  error = -ENOMEM;
  disk = blk_alloc_disk(NUMA_NO_NODE);
  if (!disk) goto unmap;
  strscpy(disk->disk_name, "pmbd0", sizeof disk->disk_name);
  disk->fops = &operations;
  disk->flags |= GENHD_FL_NO_PART;
  blk_queue_logical_block_size(disk->queue, PAGE_SIZE);
  blk_queue_physical_block_size(disk->queue, PAGE_SIZE);
  blk_queue_write_cache(disk->queue, true, true);
  blk_queue_flag_set(QUEUE_FLAG_NONROT, disk->queue);
  set_capacity(disk, bytes >> SECTOR_SHIFT);
  error = add_disk(disk);
  if (!error) return 0;
  put_disk(disk);
unmap:
  way->unmap(memory);
  return error;
}

static void __exit pmbd_exit(void) {
  del_gendisk(disk);
  put_disk(disk);
  way->unmap(memory);
}

module_init(pmbd_init);
module_exit(pmbd_exit);
MODULE_DESCRIPTION("Block device on persistent memory");
MODULE_LICENSE("Dual BSD/GPL");
