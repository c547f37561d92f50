// SPDX-License-Identifier: BSD-3-Clause
//
// Leaving the simulator that runs the machine for another one that goes on with it. Linux jumps
// out of itself and back (kexec, KEXEC_PRESERVE_CONTEXT): it freezes processes, suspends devices,
// takes all CPUs but the first offline, and calls the page below, at a place that the host knows.
// The page tells the host by QEMU's pvpanic device, which pauses the machine; the host keeps the
// bytes of its memories. Another simulator with the same memories, CPUs and interrupt controllers
// begins at `leave_arrival`, in 64-bit mode with this page mapped where it lies; what it
// returns to is Linux, which sets up CPUs and devices anew.
#ifndef HMSIM_LEAVE_H
#define HMSIM_LEAVE_H

#include <inttypes.h>
#include <linux/kexec.h>
#include <linux/reboot.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <termios.h>
#include <unistd.h>

// Where the page lies, physically; python/hmsim/capture/leaving.py knows them, too: the entry is at
// the page's begin, the arrival 256 bytes behind it.
enum { LEAVE_PLACE = 0x400000, LEAVE_BYTES = 4096 };

extern const char leave_page[LEAVE_BYTES];
extern const char leave_kept[];
__asm__(
    ".section .rodata\n"
    ".balign 4096\n"
    "leave_page:\n"
    // Keeps stack, page tables and EFER, and pauses the machine, which takes QEMU some
    // instructions; whoever lets it go on, stays.
    "  leaq leave_kept(%rip), %rdi\n"
    "  movq %rsp, (%rdi)\n"
    "  movq %cr3, %rax\n"
    "  movq %rax, 8(%rdi)\n"
    "  movl $0xC0000080, %ecx\n"
    "  rdmsr\n"
    "  movl %eax, 16(%rdi)\n"
    "  movl %edx, 20(%rdi)\n"
    "  movq 24(%rdi), %rax\n"
    "  movb $0, (%rax)\n"
    "  movw $0x505, %dx\n"
    "  movb $1, %al\n"
    "  outb %al, %dx\n"
    "  movl $10000000, %ecx\n"
    "1:\n"
    "  pause\n"
    "  loop 1b\n"
    "  jmp leave_return\n"
    ".org leave_page + 256, 0x90\n"
    "leave_arrival:\n"
    "  leaq leave_kept(%rip), %rdi\n"
    "  movl $0xC0000080, %ecx\n"
    "  movl 16(%rdi), %eax\n"
    "  movl 20(%rdi), %edx\n"
    "  wrmsr\n"
    "  movq 8(%rdi), %rax\n"
    "  movq %rax, %cr3\n"
    "  movq (%rdi), %rsp\n"
    // Linux's selectors, by a table of our own; then its own one, which is mapped where it goes on.
    "  leaq leave_table(%rip), %rax\n"
    "  movq %rax, 34(%rdi)\n"
    "  lgdt 32(%rdi)\n"
    "  movq %rsp, %rcx\n"
    "  pushq $0x18\n"
    "  pushq %rcx\n"
    "  pushq $2\n"
    "  pushq $0x10\n"
    "  leaq 1f(%rip), %rax\n"
    "  pushq %rax\n"
    "  iretq\n"
    "1:\n"
    "  movl $0x18, %ecx\n"
    "  movl %ecx, %ds\n"
    "  movl %ecx, %es\n"
    "leave_return:\n"
    "  movq 64(%rdi), %rax\n"
    "  movq (%rax), %rax\n"
    "  addq %rax, 50(%rdi)\n"
    "  lgdt 48(%rdi)\n"
    "  ret\n"
    ".balign 64\n"
    "leave_table:\n"
    "  .quad 0, 0, 0x00AF9B000000FFFF, 0x00CF93000000FFFF\n"
    "leave_kept:\n"
    "  .quad 0, 0, 0, 0\n"  // stack, page tables, EFER, what to clear
    "  .word 31\n"          // the table's limit, its address
    "  .quad 0\n"
    "  .org leave_kept + 48, 0\n"
    "  .word 127\n"  // Linux's own table for CPU 0: its limit, its place among a CPU's variables
    "  .quad 0\n"
    "  .org leave_kept + 64, 0\n"
    "  .quad 0\n"  // where Linux notes the place of CPU 0's variables
    ".org leave_page + 4096, 0\n"
    ".text\n");

// What the host knows of this kernel, $hmsim_leave. gem5 has no register IA32_MISC_ENABLE, which
// Linux found in QEMU; and its `sgdt` does nothing, so that Linux takes the table of descriptors
// that it finds for one that it may write to.
struct leave_places {
  uint64_t unsaved;    // physical: a byte, whether Linux has saved that register; to be cleared
  uint64_t variables;  // physical: __per_cpu_offset
  uint64_t table;      // gdt_page, among a CPU's variables
};

// Returns in the other simulator; in this one, too, if the host lets the machine go on. Ends the
// program when Linux refuses.
static inline void leave_machine(const char* told) {
  struct leave_places places;
  static char page[LEAVE_BYTES];
  if (sscanf(told, "%" SCNu64 ",%" SCNu64 ",%" SCNu64, &places.unsaved, &places.variables,
             &places.table) != 3) {
    fprintf(stderr, "hmsim_leave: %s\n", told);
    exit(1);
  }
  memcpy(page, leave_page, LEAVE_BYTES);
  char* kept = page + (leave_kept - leave_page);
  memcpy(kept + 24, &places.unsaved, sizeof places.unsaved);
  memcpy(kept + 50, &places.table, sizeof places.table);
  memcpy(kept + 64, &places.variables, sizeof places.variables);
  const struct {
    const void* from;
    size_t bytes;
    const void* to;
    size_t room;
  } segment = {page, LEAVE_BYTES, (const void*)LEAVE_PLACE, LEAVE_BYTES};
  puts("hmsim-guest: leaves");
  fflush(stdout);
  tcdrain(STDOUT_FILENO);  // a machine that stands still sends nothing of it
  if (syscall(SYS_kexec_load, LEAVE_PLACE, 1, &segment,
              KEXEC_ARCH_X86_64 | KEXEC_PRESERVE_CONTEXT) ||
      syscall(SYS_reboot, LINUX_REBOOT_MAGIC1, LINUX_REBOOT_MAGIC2, LINUX_REBOOT_CMD_KEXEC, NULL)) {
    perror("kexec");
    exit(1);
  }
}

#endif
