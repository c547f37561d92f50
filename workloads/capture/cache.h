// SPDX-License-Identifier: BSD-3-Clause
//
// Cache model: private L1D and L2 per vCPU, one shared L3; true LRU, write back, write allocate. A
// miss fills every level. An eviction from one level does not remove the line from others (neither
// inclusive nor exclusive). There is no coherence traffic between private caches. A dirty victim is
// written to the next level, which allocates it without reading memory.
//
// The includer provides `emit`, `shared_lock` and `shared_unlock`. `emit` is called with the lock
// held.
#ifndef HMSIM_CACHE_H
#define HMSIM_CACHE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_SHIFT = 6, LINE_BYTES = 1 << LINE_SHIFT };
enum record_kind {
  RECORD_FILL = 0,
  RECORD_WRITE_BACK = 1,
  RECORD_NON_TEMPORAL = 2,
  RECORD_ESCAPE = 3
};

static void emit(unsigned vcpu, enum record_kind kind, uint64_t line);
static void shared_lock(void);
static void shared_unlock(void);

// An entry is (line + 1) * 2 + dirty, or 0 if empty. The entries of a set are in order of use, most
// recent first.
struct cache {
  uint64_t* entries;
  uint64_t set_mask;  // number of sets (a power of two) - 1
  unsigned ways;
};

static inline uint64_t entry_line(uint64_t entry) { return (entry >> 1) - 1; }

// Returns false if the size does not give a power-of-two number of sets, or if memory is short.
static bool cache_make(struct cache* cache, uint64_t bytes, unsigned ways) {
  uint64_t sets = ways ? bytes / LINE_BYTES / ways : 0;
  if (sets == 0 || (sets & (sets - 1)) || sets * ways * LINE_BYTES != bytes) return false;
  cache->entries = calloc(sets * ways, sizeof *cache->entries);
  cache->set_mask = sets - 1;
  cache->ways = ways;
  return cache->entries != NULL;
}

static void cache_clear(struct cache* cache) {
  memset(cache->entries, 0, (cache->set_mask + 1) * cache->ways * sizeof *cache->entries);
}

static inline uint64_t* cache_set(const struct cache* cache, uint64_t line) {
  return cache->entries + (line & cache->set_mask) * cache->ways;
}

// Moves the line's entry to the front of its set and returns it. Returns NULL on a miss.
static inline uint64_t* cache_find(struct cache* cache, uint64_t line) {
  uint64_t* set = cache_set(cache, line);
  for (unsigned way = 0; way < cache->ways; way++) {
    uint64_t entry = set[way];
    if (entry >> 1 == line + 1) {
      for (; way > 0; way--) set[way] = set[way - 1];
      set[0] = entry;
      return set;
    }
  }
  return NULL;
}

// Inserts an absent line at the front of its set. Returns the evicted entry, or 0.
static inline uint64_t cache_insert(struct cache* cache, uint64_t line, bool dirty) {
  uint64_t* set = cache_set(cache, line);
  uint64_t victim = set[cache->ways - 1];
  for (unsigned way = cache->ways - 1; way > 0; way--) set[way] = set[way - 1];
  set[0] = (line + 1) << 1 | dirty;
  return victim;
}

// Makes a line dirty, and inserts it if it is absent. Returns the evicted entry, or 0.
static uint64_t cache_write(struct cache* cache, uint64_t line) {
  uint64_t* entry = cache_find(cache, line);
  if (!entry) return cache_insert(cache, line, true);
  *entry |= 1;
  return 0;
}

// Removes the line. Returns whether it was dirty.
static bool cache_drop(struct cache* cache, uint64_t line) {
  uint64_t* entry = cache_find(cache, line);
  if (!entry) return false;
  bool dirty = *entry & 1;
  memmove(entry, entry + 1, (cache->ways - 1) * sizeof *entry);
  entry[cache->ways - 1] = 0;
  return dirty;
}

struct hierarchy {
  struct cache l1, l2;
  struct cache* l3;
  unsigned vcpu;
};

// Writes a dirty line that the L2 cache evicted into the L3 cache. If that evicts a dirty line,
// records a write-back. Call with the shared lock held.
static void write_into_l3(struct hierarchy* caches, uint64_t line) {
  uint64_t victim = cache_write(caches->l3, line);
  if (victim & 1) emit(caches->vcpu, RECORD_WRITE_BACK, entry_line(victim));
}

static void write_into_l2(struct hierarchy* caches, uint64_t line) {
  uint64_t victim = cache_write(&caches->l2, line);
  if (victim & 1) {
    shared_lock();
    write_into_l3(caches, entry_line(victim));
    shared_unlock();
  }
}

static void fill_l2(struct hierarchy* caches, uint64_t line) {
  shared_lock();
  if (!cache_find(caches->l3, line)) {
    emit(caches->vcpu, RECORD_FILL, line);
    uint64_t victim = cache_insert(caches->l3, line, false);
    if (victim & 1) emit(caches->vcpu, RECORD_WRITE_BACK, entry_line(victim));
  }
  uint64_t victim = cache_insert(&caches->l2, line, false);
  if (victim & 1) write_into_l3(caches, entry_line(victim));
  shared_unlock();
}

// Performs one load or store within a line. Returns the line's L1 entry; a later store to the line
// sets its bit 0.
static uint64_t* hierarchy_access(struct hierarchy* caches, uint64_t line, bool store) {
  uint64_t* entry = cache_find(&caches->l1, line);
  if (!entry) {
    if (!cache_find(&caches->l2, line)) fill_l2(caches, line);
    uint64_t victim = cache_insert(&caches->l1, line, false);
    if (victim & 1) write_into_l2(caches, entry_line(victim));
    entry = cache_set(&caches->l1, line);
  }
  *entry |= store;
  return entry;
}

// Evicts the line from this vCPU's caches and from L3, for a non-temporal store or a flush.
static void hierarchy_evict(struct hierarchy* caches, uint64_t line) {
  bool dirty = cache_drop(&caches->l1, line);
  dirty |= cache_drop(&caches->l2, line);
  shared_lock();
  dirty |= cache_drop(caches->l3, line);
  if (dirty) emit(caches->vcpu, RECORD_WRITE_BACK, line);
  shared_unlock();
}

#endif
