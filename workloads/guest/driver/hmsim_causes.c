// SPDX-License-Identifier: BSD-3-Clause
//
// Reports to the capture plug-in which thread runs, which thread wakes which, and the requests to
// the block device, by probes on the kernel's tracepoints. workloads/capture/causes.h is the
// receiver.
//
// A message is a series of loads, marked by a number of redundant prefixes that no other code uses.
// The first load reveals the address of `buffer`. The following ones encode one 16-bit word each as
// an offset in it. The last one ends the message. The plug-in neither counts nor models
// instructions between the first and the last load, so probes do their work there.
//
// This module also records the pages that requests wrote before the region of interest, because the
// plug-in may start from a saved state of the machine.
#include <linux/interrupt.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/sched/clock.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/tracepoint.h>
#include <linux/vmalloc.h>

#include "written_by_bio.h"

// First words of messages: the running thread, then one of these, then its arguments.
enum message {
  RUNNING,     // no arguments
  RUN,         // the next thread, and why the running one leaves
  WAKE,        // the thread that is woken
  ALARM,       // as WAKE, then the microseconds that it waited, low half first
  BIO,         // pages, operation and flags
  BIO_END,     // no arguments
  THREAD,      // number, kernel thread or not, process, name; for a thread that already exists
  NEW_THREAD,  // as THREAD, for a new thread
  WRITTEN      // first page, low half first, and their number; in order of writing
};
enum reason { GOES_ON, WAITS, ENDED };
enum operation { READ_PAGES, WRITE_PAGES, FLUSH, DISCARD };
enum { MOST = 0xFFFF, LONGEST = 0xFFFFFF };  // maximum of a word; of microseconds

static char buffer[MOST + 1];
static u64 waiting_since[MOST + 1];            // by thread, in ns; 0: it does not wait
static DEFINE_PER_CPU(unsigned int, softirq);  // the softirq that began last

static unsigned int pages;  // of the block device
module_param(pages, uint, 0400);
MODULE_PARM_DESC(pages, "4 KiB pages of the block device");
static struct written_page* written;
static DEFINE_RAW_SPINLOCK(written_lock);

// mov (%rsi),%al after 5, 6 and 7 redundant prefixes
static __always_inline void load_first(void) {
  asm volatile(".byte 0x3E, 0x3E, 0x3E, 0x3E, 0x3E, 0x8A, 0x06" ::"S"(buffer) : "rax", "memory");
}

static __always_inline void load_word(u16 word) {
  asm volatile(".byte 0x3E, 0x3E, 0x3E, 0x3E, 0x3E, 0x3E, 0x8A, 0x06" ::"S"(buffer + word)
               : "rax", "memory");
}

static __always_inline void load_last(void) {
  asm volatile(".byte 0x3E, 0x3E, 0x3E, 0x3E, 0x3E, 0x3E, 0x3E, 0x8A, 0x06" ::"S"(buffer)
               : "rax", "memory");
}

// Interrupts are off between these two.
static __always_inline unsigned long begin(void) {
  unsigned long flags;
  local_irq_save(flags);
  load_first();
  return flags;
}

static __always_inline void end(unsigned long flags) {
  load_last();
  local_irq_restore(flags);
}

static void tell(enum message message) {
  load_word(current->pid);
  load_word(message);
}

static void tell_thread(enum message message, const struct task_struct* task, const char* name) {
  size_t i;
  tell(message);
  load_word(task->pid);
  load_word(!!(task->flags & PF_KTHREAD));
  load_word(task->tgid);
  for (i = 0; i < TASK_COMM_LEN - 1 && name[i]; i++) load_word((unsigned char)name[i]);
}

// ---- probes

// Reports a thread switch. A thread that stays in its queue does not wait, even if prev_state
// indicates a wait, as it does when a signal is pending.
static void on_switch(void* data, bool preempt, struct task_struct* prev, struct task_struct* next,
                      unsigned int prev_state) {
  unsigned long flags = begin();
  enum reason reason = prev_state & TASK_DEAD ? ENDED : prev->on_rq ? GOES_ON : WAITS;
  tell(RUN);
  load_word(next->pid);
  load_word(prev->pid ? reason : GOES_ON);
  waiting_since[prev->pid] = reason == WAITS ? local_clock() : 0;
  end(flags);
}

// Returns whether a clock or a device causes the current wake-up, not a thread. Network softirqs
// run for the sending thread, because the only network is internal to the machine. All other
// softirqs run for clocks and devices.
static bool by_clock_or_device(void) {
  unsigned int vector = __this_cpu_read(softirq);
  return in_hardirq() ||
         (in_serving_softirq() && vector != NET_TX_SOFTIRQ && vector != NET_RX_SOFTIRQ);
}

static void tell_wake(struct task_struct* task) {
  u64 since = waiting_since[task->pid], now = local_clock();
  u64 waited = since && now > since ? div_u64(now - since, 1000) : 0;
  if (waited > LONGEST) waited = LONGEST;
  if (!by_clock_or_device()) {
    tell(WAKE);
    load_word(task->pid);
    return;
  }
  tell(ALARM);
  load_word(task->pid);
  load_word(waited & MOST);
  load_word(waited >> 16);
}

// A thread that has not left its queue is prevented from waiting; the wait is not reported.
static void on_waking(void* data, struct task_struct* task) {
  unsigned long flags = begin();
  if (!task->on_rq) tell_wake(task);
  end(flags);
}

static void on_first_wake(void* data, struct task_struct* task) {
  unsigned long flags = begin();
  waiting_since[task->pid] = 0;
  tell_wake(task);
  end(flags);
}

static void on_softirq(void* data, unsigned int vector) {
  unsigned long flags = begin();
  __this_cpu_write(softirq, vector);
  end(flags);
}

static void on_new(void* data, struct task_struct* task, unsigned long clone_flags) {
  unsigned long flags = begin();
  tell_thread(NEW_THREAD, task, task->comm);
  end(flags);
}

static void on_rename(void* data, struct task_struct* task, const char* name) {
  unsigned long flags = begin();
  tell_thread(THREAD, task, name);
  end(flags);
}

static enum operation operation_of(const struct bio* bio) {
  if (bio_op(bio) == REQ_OP_DISCARD) return DISCARD;
  if (!bio->bi_iter.bi_size && bio->bi_opf & REQ_PREFLUSH) return FLUSH;
  return op_is_write(bio_op(bio)) ? WRITE_PAGES : READ_PAGES;
}

static void note_written(const struct bio* bio) {
  raw_spin_lock(&written_lock);
  set_written_by(bio, written, pages);
  raw_spin_unlock(&written_lock);
}

static void on_bio(void* data, struct bio* bio) {
  unsigned long flags = begin();
  blk_opf_t how = bio->bi_opf;
  u64 length = DIV_ROUND_UP_ULL(bio->bi_iter.bi_size, PAGE_SIZE);
  if (length && operation_of(bio) == WRITE_PAGES) note_written(bio);
  tell(BIO);
  load_word(length < MOST ? length : MOST);
  load_word(operation_of(bio) | !!(how & REQ_RAHEAD) << 3 | !!(how & REQ_SYNC) << 4 |
            !!(how & REQ_FUA) << 5 | !!(how & REQ_PREFLUSH) << 6 | !!(how & REQ_META) << 7);
  end(flags);
}

static void on_bio_end(void* data, struct request_queue* queue, struct bio* bio) {
  unsigned long flags = begin();
  tell(BIO_END);
  end(flags);
}

static struct probe {
  const char* name;
  void* call;
  struct tracepoint* point;  // where it is registered
} probes[] = {
    {"sched_switch", on_switch},
    {"sched_waking", on_waking},
    {"sched_wakeup_new", on_first_wake},
    {"softirq_entry", on_softirq},
    {"task_newtask", on_new},
    {"task_rename", on_rename},
    {"block_bio_queue", on_bio},
    {"block_bio_complete", on_bio_end},
};

// ---- "announce": reports all threads, what each vCPU runs, and the pages written last

static void tell_written(void) {
  unsigned int place, length;
  for (place = written[0].newer; place; place = written[place + length - 1].newer) {
    unsigned long flags = begin();
    length = run_of_written(written, place);
    tell(WRITTEN);
    load_word((place - 1) & MOST);
    load_word((place - 1) >> 16);
    load_word(length);
    end(flags);
  }
}

static void tell_running(void* data) {
  unsigned long flags = begin();
  tell(RUNNING);
  end(flags);
}

static int announce(const char* value, const struct kernel_param* parameter) {
  const struct task_struct *process, *task;
  rcu_read_lock();
  for_each_process_thread(process, task) {
    unsigned long flags = begin();
    tell_thread(THREAD, task, task->comm);
    end(flags);
  }
  rcu_read_unlock();
  on_each_cpu(tell_running, NULL, true);
  tell_written();
  return 0;
}

static const struct kernel_param_ops announcing = {.set = announce};
module_param_cb(announce, &announcing, NULL, 0200);
MODULE_PARM_DESC(announce, "a write of any value announces all threads");

// ---- module init and exit

static void find(struct tracepoint* point, void* data) {
  size_t i;
  for (i = 0; i < ARRAY_SIZE(probes); i++)
    if (!strcmp(probes[i].name, point->name)) probes[i].point = point;
}

static void unregister(size_t count) {
  while (count-- > 0) tracepoint_probe_unregister(probes[count].point, probes[count].call, NULL);
  tracepoint_synchronize_unregister();
}

static int __init causes_init(void) {
  size_t i;
  int error;
  written = vcalloc(pages + 1ul, sizeof *written);
  if (!written) return -ENOMEM;
  for_each_kernel_tracepoint(find, NULL);
  for (i = 0; i < ARRAY_SIZE(probes); i++) {
    error = -ENOENT;
    if (probes[i].point) error = tracepoint_probe_register(probes[i].point, probes[i].call, NULL);
    if (error) {
      unregister(i);
      vfree(written);
      return error;
    }
  }
  return 0;
}

static void __exit causes_exit(void) {
  unregister(ARRAY_SIZE(probes));
  vfree(written);
}

module_init(causes_init);
module_exit(causes_exit);
MODULE_DESCRIPTION("Reports to a capture what threads wait for");
MODULE_LICENSE("Dual BSD/GPL");
