// SPDX-License-Identifier: BSD-3-Clause
//
// Pages of the NVDIMM that requests wrote, in order of their last writes. /proc/hmsim_written has
// one line "FIRST COUNT" for each run of pages, oldest first. For a machine that moves to another
// simulator; hmsim_causes.c reports the same to a capture.
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>
#include <linux/spinlock.h>
#include <linux/tracepoint.h>
#include <linux/vmalloc.h>

#include "written_by_bio.h"

static unsigned int pages;  // of the block device
module_param(pages, uint, 0400);
MODULE_PARM_DESC(pages, "4 KiB pages of the block device");
static struct written_page* written;
static DEFINE_RAW_SPINLOCK(written_lock);
static struct tracepoint* queued;  // tracepoint of queued requests

static void on_bio(void* data, struct bio* bio) {
  unsigned long flags;
  if (!bio->bi_iter.bi_size || bio_op(bio) == REQ_OP_DISCARD || !op_is_write(bio_op(bio))) return;
  raw_spin_lock_irqsave(&written_lock, flags);
  set_written_by(bio, written, pages);
  raw_spin_unlock_irqrestore(&written_lock, flags);
}

static int show(struct seq_file* file, void* unused) {
  unsigned int place, length;
  unsigned long flags;
  raw_spin_lock_irqsave(&written_lock, flags);
  for (place = written[0].newer; place; place = written[place + length - 1].newer) {
    length = run_of_written(written, place);
    seq_printf(file, "%u %u\n", place - 1, length);
  }
  raw_spin_unlock_irqrestore(&written_lock, flags);
  return 0;
}

static void find(struct tracepoint* point, void* data) {
  if (!strcmp(point->name, "block_bio_queue")) queued = point;
}

static int __init written_init(void) {
  int error = -ENOENT;
  written = vcalloc(pages + 1ul, sizeof *written);
  if (!written) return -ENOMEM;
  for_each_kernel_tracepoint(find, NULL);
  if (queued) error = tracepoint_probe_register(queued, on_bio, NULL);
  if (error) {
    vfree(written);
    return error;
  }
  if (!proc_create_single("hmsim_written", 0400, NULL, show)) {
    tracepoint_probe_unregister(queued, on_bio, NULL);
    tracepoint_synchronize_unregister();
    vfree(written);
    return -ENOMEM;
  }
  return 0;
}

static void __exit written_exit(void) {
  remove_proc_entry("hmsim_written", NULL);
  tracepoint_probe_unregister(queued, on_bio, NULL);
  tracepoint_synchronize_unregister();
  vfree(written);
}

module_init(written_init);
module_exit(written_exit);
MODULE_DESCRIPTION("Reports the last writes to the NVDIMM");
MODULE_LICENSE("Dual BSD/GPL");
