/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pages of the NVDIMM in order of their last writes: a doubly linked ring in an array. The place of
 * a page is its number + 1; place 0 is the start and end of the ring. An array of zeros is an empty
 * ring. The guest's module keeps one ring until shortly before the region of interest. The capture
 * plug-in keeps another from there until it records.
 */
#ifndef HMSIM_LAST_WRITTEN_H
#define HMSIM_LAST_WRITTEN_H

struct written_page {
  unsigned int older, newer;
};

enum { MOST_IN_RUN = 1 << 12 };  // pages

static inline void set_last_written(struct written_page* ring, unsigned int page) {
  unsigned int place = page + 1;
  struct written_page* p = &ring[place];
  if (p->older || p->newer || ring[0].newer == place) {
    ring[p->older].newer = p->newer;
    ring[p->newer].older = p->older;
  }
  p->older = ring[0].older;
  p->newer = 0;
  ring[p->older].newer = place;
  ring[0].older = place;
}

/* Returns the length of the run of ascending pages that starts at this place; at most MOST_IN_RUN.
 */
static inline unsigned int run_of_written(const struct written_page* ring, unsigned int place) {
  unsigned int length = 1;
  while (length < MOST_IN_RUN && ring[place + length - 1].newer == place + length) length++;
  return length;
}

#endif
