/* SPDX-License-Identifier: BSD-3-Clause */
/* Records the writes of requests to the NVDIMM's block device in a ring of last writes. */
#ifndef HMSIM_WRITTEN_BY_BIO_H
#define HMSIM_WRITTEN_BY_BIO_H

#include <linux/bio.h>
#include <linux/blkdev.h>

#include "last_written.h"

/* The ring covers `pages` pages. The caller must hold its lock. */
static inline void set_written_by(const struct bio* bio, struct written_page* ring,
                                  unsigned int pages) {
  u64 page = bio->bi_iter.bi_sector / PAGE_SECTORS;
  u64 end = DIV_ROUND_UP_ULL(bio_end_sector(bio), PAGE_SECTORS);
  for (; page < end && page < pages; page++) set_last_written(ring, page);
}

#endif
