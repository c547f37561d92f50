/* SPDX-License-Identifier: BSD-3-Clause */
/* hmsim's memory system as a C library, for other simulators.
 *
 * A memory has a port for each class. The simulator sends requests and gets a call when each is
 * done. hmsim_submit() takes many requests at a time, which may depend on others. Times are in
 * picoseconds of the simulator's clock, begin at 0 and never decrease.
 *
 *     hmsim_run(memory, now);             calls done() for what has ended by now
 *     hmsim_send(memory, &request, now);  HMSIM_WAITS: the next after room()
 *
 * A simulator with events calls hmsim_run() at hmsim_next_event(); one that ticks, on each tick.
 * Memories are independent of each other. One memory is for one thread at a time.
 *
 * Functions return HMSIM_BAD_INPUT for errors of the caller, which do nothing, and HMSIM_FAULT for
 * errors of hmsim or of memory space, after which all calls return HMSIM_FAULT. hmsim_error()
 * has the text. No function ends the process.
 */
#ifndef HMSIM_H
#define HMSIM_H

#include <stddef.h>
#include <stdint.h>

/* Increases with every change that breaks compiled callers. */
#define HMSIM_ABI 3

#define HMSIM_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

/* HMSIM_STORAGE: blocks of the device of storage.* or, with storage.kind: none, of the NVDIMM
 * through the driver of frontend.block. */
typedef enum { HMSIM_DRAM = 0, HMSIM_NVDIMM = 1, HMSIM_STORAGE = 2 } hmsim_class;

typedef enum {
  HMSIM_OK = 0,
  HMSIM_WAITS = 1, /* the request was taken, and its queue is now full */
  HMSIM_FULL = 2,  /* the request was refused, because an earlier one of its class, to any
                      channel, waits */
  HMSIM_BAD_INPUT = 3,
  HMSIM_FAULT = 4
} hmsim_status;

/* What became of a request. Only HBF answers otherwise than HMSIM_DONE; "read" and "write" say
 * which requests. After the last five, a write is not stored and must be sent again. */
typedef enum {
  HMSIM_DONE = 0,
  HMSIM_REFRESH_DUE = 1,   /* read: the data are good, their block has reached hbf.refresh_reads */
  HMSIM_ERASED_PAGE = 2,   /* read: the page is not programmed */
  HMSIM_PENDING_PART = 3,  /* read: of a part of a page that has not arrived yet */
  HMSIM_OVERLAP = 4,       /* write: of a part that has arrived already */
  HMSIM_LATE = 5,          /* write: its page was not complete within hbf.accumulate */
  HMSIM_OUT_OF_ORDER = 6,  /* write: not the next page of its block, or its block failed */
  HMSIM_PROGRAM_FAILED = 7 /* write: the block must be written again from page 0 */
} hmsim_answer;

#define HMSIM_NEVER INT64_MAX

typedef struct hmsim_memory hmsim_memory;

typedef struct {
  uint64_t id;      /* of the caller; done() returns it */
  uint64_t address; /* of the first byte, from 0 in each class */
  uint64_t size;    /* bytes, at least 1; done() follows the last of its 64-byte lines. On storage,
                       address and size are multiples of 512, or of 64 without storage.kind */
  int memory;       /* an hmsim_class */
  int write;        /* 0: read */
  uint16_t source;  /* core or device, for policies that tell sources apart */
} hmsim_request;

/* Of a request of hmsim_submit(). A trim discards the whole pages in its range, on the NVDIMM
 * without taking time. After a flush, earlier writes are durable; its address and size are
 * ignored. DRAM has neither. */
typedef enum { HMSIM_ACCESS = 0, HMSIM_TRIM = 1, HMSIM_FLUSH = 2 } hmsim_operation;

/* A request of hmsim_submit(). It begins when the last of the `followed` requests in `after` ends,
 * whatever its answer, or at once. Ids that are not in progress count as ended. */
typedef struct {
  hmsim_request request; /* unique id among the submitted requests that have not ended */
  int operation;         /* an hmsim_operation; HMSIM_ACCESS: a read or write */
  uint16_t stream;       /* placement handle of a write; 0: none */
  uint64_t followed;     /* at most 65536 */
  const uint64_t* after; /* ids; NULL if there are none */
} hmsim_entry;

/* Causes of the parts of a request's time. Every moment counts for exactly one of them. Where a
 * request has several lines or pages, they are those of the last to end. */
enum {
  HMSIM_HELD = 0,       /* until the last request that it follows had ended */
  HMSIM_SOFTWARE = 1,   /* storage: in the layers of the software path */
  HMSIM_QUEUE = 2,      /* waits for a queue, bank, bus, refresh, map, lock or context */
  HMSIM_LINK = 3,       /* on the link to a device */
  HMSIM_SENSE = 4,      /* cells: activation of a DRAM row, flash or its buffer */
  HMSIM_TRANSFER = 5,   /* on a data bus, or on the links of an HBF channel */
  HMSIM_COLLECTION = 6, /* blocked by garbage collection */
  HMSIM_DEVICE = 7,     /* in a device that does not measure a request by these causes */
  HMSIM_CAUSES = 8
};

typedef struct {
  uint64_t id;
  int answer;        /* an hmsim_answer */
  int64_t submitted; /* times, as of done() */
  int64_t ended;
  int64_t parts[HMSIM_CAUSES]; /* picoseconds; their sum is ended - submitted */
} hmsim_receipt;

/* Calls into the simulator, from within functions that take `now`, at the exact times of their
 * events. They may call hmsim_send() and hmsim_submit() with the same time, nothing else, and must
 * return. */
typedef struct {
  void* context;
  /* A request is done. `answer`: the largest of its lines. A write that is done survives power
   * failures, which the library does not simulate, on
   *   NVDIMMs of flash, PCM, STT-RAM  yes, since it got its entry in the controller's queue
   *   the same behind CXL ports       yes, since it got its entry in the device's queue
   *   HBF with hbf.ftl: raw           after HMSIM_DONE, until the erase of its block begins
   *   HBF with hbf.ftl: host          no: its page does, the host's map of it does not
   *   DRAM                            no */
  void (*done)(void* context, uint64_t id, hmsim_answer answer, int64_t time);
  /* Follows HMSIM_WAITS: the class takes requests again. NULL: the simulator retries. */
  void (*room)(void* context, hmsim_class memory, int64_t time);
  /* Instructions that the source has completed, for policies that rank sources by misses per
   * instruction. NULL: 0. */
  int64_t (*instructions)(void* context, uint16_t source);
} hmsim_host;

/* Returns the HMSIM_ABI of the loaded library. */
HMSIM_API int hmsim_abi(void);

/* Makes a memory. `parameters` has a line NAME=VALUE each, as `hmsim check CONFIG --flat` prints;
 * the later line of a name counts, lines that are empty or begin with # are skipped, frontend.* but
 * for frontend.block.*, and storage.paging.*, are ignored. Errors begin with parameters:LINE.
 * `check`: verify every command against the rules of devices and buses. `*memory` is set even after
 * an error, for hmsim_error() and hmsim_destroy(), or NULL without memory space. */
HMSIM_API hmsim_status hmsim_create(const char* parameters, uint64_t seed, int check,
                                    const hmsim_host* host, hmsim_memory** memory);
/* The same from a file of such lines, at most 1 MiB. Errors begin with PATH:LINE. */
HMSIM_API hmsim_status hmsim_create_from_file(const char* path, uint64_t seed, int check,
                                              const hmsim_host* host, hmsim_memory** memory);
HMSIM_API void hmsim_destroy(hmsim_memory* memory); /* NULL: does nothing */

/* Returns the text of the last error, "" if there was none. Valid until the next call. */
HMSIM_API const char* hmsim_error(const hmsim_memory* memory);

/* Returns the bytes of a class, 0 if it is absent. */
HMSIM_API uint64_t hmsim_capacity(const hmsim_memory* memory, hmsim_class which);

/* Sends a request: HMSIM_OK, HMSIM_WAITS or HMSIM_FULL. Outside of calls into the simulator, a
 * request at the time of the last hmsim_run() counts as one picosecond later. One sent before
 * hmsim_run() of its time enters ahead of the events at this time. To storage: as hmsim_submit().
 */
HMSIM_API hmsim_status hmsim_send(hmsim_memory* memory, const hmsim_request* request, int64_t now);

/* Takes `n` requests in order, at the time at which hmsim_send() would. None is refused for lack of
 * room: requests that find their queue full wait outside it, in order. HBF takes whole pages, other
 * memories lines. After HMSIM_BAD_INPUT, `*taken` requests were taken, and the next is invalid.
 * `taken`: NULL: not of interest. */
HMSIM_API hmsim_status hmsim_submit(hmsim_memory* memory, const hmsim_entry* entries, uint64_t n,
                                    int64_t now, uint64_t* taken);

/* Calls `receipt`, with the context of the host and under the rules of its calls, before done() of
 * each request of hmsim_submit() that ends from now on; NULL: not. Requests that began before the
 * first call, and those of dram.backend: dramsim3_full, count as HMSIM_DEVICE. */
HMSIM_API hmsim_status hmsim_receipts(hmsim_memory* memory,
                                      void (*receipt)(void* context, const hmsim_receipt* receipt));

/* Returns the time of the next event, HMSIM_NEVER if none is scheduled. */
HMSIM_API int64_t hmsim_next_event(const hmsim_memory* memory);

/* Processes all events up to `now`. */
HMSIM_API hmsim_status hmsim_run(hmsim_memory* memory, int64_t now);

/* Returns whether no request, and no flash operation or collection of the NVDIMM, is in progress.
 */
HMSIM_API int hmsim_idle(const hmsim_memory* memory);

/* Processes all events up to `now` and sets `*value` to a statistic by its name
 * (docs/statistics.md), NaN if it has no value. Numbers of histograms have a part more:
 * "nvdimm.latency.read.ack_wait_ns.mean". */
HMSIM_API hmsim_status hmsim_statistic(hmsim_memory* memory, const char* name, int64_t now,
                                       double* value);
/* Processes all events up to `now` and calls `visit` for each statistic, always in the same order.
 */
HMSIM_API hmsim_status hmsim_statistics(hmsim_memory* memory, int64_t now,
                                        void (*visit)(void* context, const char* name,
                                                      const char* description, double value),
                                        void* context);
/* Begins to measure at `now`: the end of warm-up. */
HMSIM_API hmsim_status hmsim_reset_statistics(hmsim_memory* memory, int64_t now);

/* Saves the state of an idle memory. `*data` is valid until the next call. */
HMSIM_API hmsim_status hmsim_save(hmsim_memory* memory, int64_t now, const void** data,
                                  size_t* size);
/* Restores a state into a memory with the same parameters, seed and `check`, after hmsim_create()
 * and before other calls. Time continues from `now`. After an error of the state, all calls return
 * HMSIM_FAULT. */
HMSIM_API hmsim_status hmsim_load(hmsim_memory* memory, int64_t now, const void* data, size_t size);

#ifdef __cplusplus
}
#endif

#endif
