/* SPDX-License-Identifier: BSD-3-Clause */
/* A toy server of a language model whose keys and values are in three tiers: HBF, flash behind CXL,
 * and a drive. For each token, a user's step reads all blocks of its context and then writes a new
 * one to HBF. Two machines run at one simulated time: HBF with the drive, and CXL.
 *
 *     kv_server hbf.txt cxl.txt
 */
#include <stdio.h>
#include <stdlib.h>

#include "hmsim.h"

enum { HBF, CXL, DRIVE, TIERS };
enum { USERS = 8, TOKENS = 8, BLOCKS = 4, BLOCK = 65536 }; /* a user has BLOCKS in each tier */
enum { STEP = TIERS * BLOCKS + 1 };                        /* requests: reads, and a write */
#define FILL ((uint64_t)1 << 32)                           /* ids from here on fill the tiers */
static const int kMachine[TIERS] = {0, 1, 0};
static const int kClass[TIERS] = {HMSIM_NVDIMM, HMSIM_NVDIMM, HMSIM_STORAGE};
static const char* const kName[TIERS] = {"HBF", "CXL flash", "drive"};
static const char* const kCause[HMSIM_CAUSES] = {"held",  "software", "queue",      "link",
                                                 "sense", "transfer", "collection", "device"};

typedef struct {
  hmsim_memory* machines[2];
  int left[USERS]; /* requests of the user's step that have not ended */
  int failed;
  int64_t parts[TIERS][HMSIM_CAUSES]; /* of all reads */
} server;

static void on_done(void* context, uint64_t id, hmsim_answer answer, int64_t time) {
  (void)id;
  (void)time;
  ((server*)context)->failed += answer != HMSIM_DONE && answer != HMSIM_REFRESH_DUE;
}

/* The id has the number of the step, the user and the request of the step. */
static void on_receipt(void* context, const hmsim_receipt* receipt) {
  server* self = (server*)context;
  const uint64_t tier = receipt->id % STEP / BLOCKS;
  if (receipt->id >= FILL) {
    return;
  }
  --self->left[receipt->id / STEP % USERS];
  for (int cause = 0; tier < TIERS && cause < HMSIM_CAUSES; ++cause) {
    self->parts[tier][cause] += receipt->parts[cause];
  }
}

static void check(hmsim_status status, const hmsim_memory* memory) {
  if (status != HMSIM_OK) {
    fprintf(stderr, "kv_server: %s\n", hmsim_error(memory));
    exit(2);
  }
}

/* Submits a read or write of a user's block, after the requests with these ids. */
static void submit(server* self, uint64_t id, int tier, int user, int block, int write,
                   const uint64_t* after, uint64_t followed, int64_t now) {
  const uint64_t place = (uint64_t)(user * (BLOCKS + TOKENS) + block);
  const hmsim_entry entry = {
      {id, place * BLOCK, BLOCK, kClass[tier], write, 0}, HMSIM_ACCESS, 0, followed, after};
  hmsim_memory* machine = self->machines[kMachine[tier]];
  check(hmsim_submit(machine, &entry, 1, now, NULL), machine);
}

/* Begins the step of a user's token. The write follows the reads of its machine: ids of the other
 * machine are not in progress there. */
static void begin_step(server* self, int user, int token, int64_t now) {
  uint64_t ids[STEP];
  for (int i = 0; i < STEP; ++i) {
    const int tier = i / BLOCKS;
    ids[i] = (uint64_t)((token * USERS + user) * STEP + i);
    if (tier < TIERS) {
      submit(self, ids[i], tier, user, i % BLOCKS, 0, NULL, 0, now);
    } else {
      submit(self, ids[i], HBF, user, BLOCKS + token, 1, ids, (uint64_t)i, now);
    }
  }
  self->left[user] = STEP;
}

/* Runs both machines to the next event of either. */
static int64_t run(server* self, int64_t now) {
  const int64_t first = hmsim_next_event(self->machines[0]);
  const int64_t second = hmsim_next_event(self->machines[1]);
  const int64_t next = first < second ? first : second;
  now = next > now ? next : now;
  check(hmsim_run(self->machines[0], now), self->machines[0]);
  check(hmsim_run(self->machines[1], now), self->machines[1]);
  return now;
}

/* Writes the context of all users. */
static int64_t fill(server* self) {
  int64_t now = 0;
  for (int i = 0; i < USERS * TIERS * BLOCKS; ++i) {
    const int tier = i / BLOCKS % TIERS;
    submit(self, FILL + (uint64_t)i, tier, i / BLOCKS / TIERS, i % BLOCKS, 1, NULL, 0, 0);
  }
  while (!hmsim_idle(self->machines[0]) || !hmsim_idle(self->machines[1])) {
    now = run(self, now);
  }
  return now;
}

int main(int argc, char** argv) {
  static server self;
  int tokens[USERS] = {0}; /* begun */
  int busy = 1;
  const hmsim_host host = {&self, on_done, NULL, NULL};
  for (int i = 0; i < 2; ++i) {
    const char* path = argc == 3 ? argv[1 + i] : NULL;
    const hmsim_status made = hmsim_create_from_file(path, 1, 0, &host, &self.machines[i]);
    check(made, self.machines[i]);
    check(hmsim_receipts(self.machines[i], on_receipt), self.machines[i]);
  }
  const int64_t begun = fill(&self);
  int64_t now = begun;
  while (busy) {
    busy = 0;
    for (int user = 0; user < USERS; ++user) {
      if (self.left[user] == 0 && tokens[user] < TOKENS) {
        begin_step(&self, user, tokens[user]++, now);
      }
      busy += self.left[user] > 0;
    }
    now = busy ? run(&self, now) : now;
  }
  printf("%d tokens in %.3f ms, %d failed requests\n", USERS * TOKENS, (double)(now - begun) / 1e9,
         self.failed);
  for (int tier = 0; tier < TIERS; ++tier) {
    printf("%s, us a read:", kName[tier]);
    for (int cause = 0; cause < HMSIM_CAUSES; ++cause) {
      if (self.parts[tier][cause] > 0) {
        printf(" %s %.1f", kCause[cause],
               (double)self.parts[tier][cause] / 1e6 / (USERS * TOKENS * BLOCKS));
      }
    }
    printf("\n");
  }
  hmsim_destroy(self.machines[0]);
  hmsim_destroy(self.machines[1]);
  return 0;
}
