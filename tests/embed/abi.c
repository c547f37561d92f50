/* SPDX-License-Identifier: BSD-3-Clause */
/* Uses the C library as C does: two memories at a time, and every function once. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "hmsim.h"

static int done[2];

static void on_done(void* context, uint64_t id, hmsim_answer answer, int64_t time) {
  (void)id;
  (void)time;
  *(int*)context += answer == HMSIM_DONE;
}

static void on_receipt(void* context, const hmsim_receipt* receipt) {
  *(int*)context += receipt->ended - receipt->submitted == receipt->parts[HMSIM_SENSE] +
                                                               receipt->parts[HMSIM_QUEUE] +
                                                               receipt->parts[HMSIM_TRANSFER];
}

static void count(void* context, const char* name, const char* description, double value) {
  (void)value;
  *(int*)context += name[0] != '\0' && description[0] != '\0';
}

int main(void) {
  hmsim_memory* memories[2];
  int64_t now = 0;
  int statistics = 0;
  double reads = -1;
  const void* state = NULL;
  size_t size = 0;
  if (hmsim_abi() != HMSIM_ABI) {
    return 1;
  }
  for (int i = 0; i < 2; ++i) {
    const hmsim_host host = {&done[i], on_done, NULL, NULL};
    if (hmsim_create("nvdimm.present=false\n", 1, 1, &host, &memories[i]) != HMSIM_OK) {
      fprintf(stderr, "%s\n", hmsim_error(memories[i]));
      return 1;
    }
  }
  {
    const hmsim_entry entry = {{100, 0, 64, HMSIM_DRAM, 0, 0}, HMSIM_ACCESS, 0, 0, NULL};
    uint64_t taken = 0;
    if (hmsim_receipts(memories[0], on_receipt) != HMSIM_OK ||
        hmsim_submit(memories[0], &entry, 1, now, &taken) != HMSIM_OK || taken != 1) {
      return 1;
    }
  }
  for (uint64_t i = 0; i < 100; ++i) {
    const hmsim_request request = {i, i * 64, 64, HMSIM_DRAM, i % 2, 0};
    const int which = i % 4 == 0;
    while (hmsim_send(memories[which], &request, now) == HMSIM_FULL) {
      now += 1000;
      hmsim_run(memories[which], now);
    }
  }
  for (int i = 0; i < 2; ++i) {
    while (!hmsim_idle(memories[i])) {
      now = hmsim_next_event(memories[i]) > now ? hmsim_next_event(memories[i]) : now;
      if (hmsim_run(memories[i], now) != HMSIM_OK) {
        return 1;
      }
    }
  }
  hmsim_statistic(memories[0], "dram.reads", now, &reads);
  hmsim_statistics(memories[0], now, count, &statistics);
  hmsim_reset_statistics(memories[0], now);
  if (hmsim_save(memories[1], now, &state, &size) != HMSIM_OK || size == 0 ||
      hmsim_load(memories[0], now, state, size) != HMSIM_BAD_INPUT) {
    return 1;
  }
  printf("%d and %d done, %.0f reads, %d statistics, %" PRIu64 " bytes\n", done[0], done[1], reads,
         statistics > 50, hmsim_capacity(memories[1], HMSIM_DRAM));
  hmsim_destroy(memories[0]);
  hmsim_destroy(memories[1]);
  hmsim_destroy(NULL);
  return 0;
}
