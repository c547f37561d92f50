// SPDX-License-Identifier: BSD-3-Clause
//
// Moves the machine from the simulator that runs it to another one. Linux jumps out of itself and
// back (kexec, KEXEC_PRESERVE_CONTEXT): it freezes processes, suspends devices, takes all CPUs but
// the first offline, and calls the page below, at an address known to the host. The page signals
// the host through QEMU's pvpanic device, which pauses the machine; the host saves its memories.
// Another simulator with the same memories, CPUs and interrupt controllers starts at
// `leave_arrival`, in 64-bit mode, with this page mapped at its address. The page returns to Linux,
// which reinitialises CPUs and devices.
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

// Physical location of the page. python/hmsim/capture/leaving.py has the same numbers: the entry is
// at the page's start, the arrival 256 bytes after it.
enum { LEAVE_PLACE = 0x400000, LEAVE_BYTES = 4096 };

extern const char leave_page[LEAVE_BYTES];
extern const char leave_kept[];
__asm__(
    ".section .rodata\n"
    ".balign 4096\n"
    "leave_page:\n"
    // Saves stack, page tables and EFER, and pauses the machine, which takes QEMU some
    // instructions. If the host resumes the machine here, it stays in this simulator.
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
    // Restores Linux's selectors through a private table; then loads Linux's own table, which is
    // mapped where execution continues.
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
    "  .quad 0, 0, 0, 0\n"  // stack, page tables, EFER, address to clear
    "  .word 31\n"          // the table's limit, then its address
    "  .quad 0\n"
    "  .org leave_kept + 48, 0\n"
    "  .word 127\n"  // Linux's own table for CPU 0: its limit, then its place in a CPU's variables
    "  .quad 0\n"
    "  .org leave_kept + 64, 0\n"
    "  .quad 0\n"  // where Linux stores the location of CPU 0's variables
    ".org leave_page + 4096, 0\n"
    ".text\n");

// Locations in this kernel, which the host supplies in $hmsim_leave. gem5 has no register
// IA32_MISC_ENABLE, which Linux found in QEMU. Its `sgdt` does nothing, so Linux takes the
// descriptor table that it finds for one that it may write.
struct leave_places {
  uint64_t unsaved;    // physical: a byte, whether Linux has saved that register; to be cleared
  uint64_t variables;  // physical address of __per_cpu_offset
  uint64_t table;      // gdt_page, within a CPU's variables
};

// Returns in the other simulator, and also in this one if the host resumes the machine. Ends the
// program if Linux refuses.
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
  tcdrain(STDOUT_FILENO);  // a stopped machine transmits nothing
  if (syscall(SYS_kexec_load, LEAVE_PLACE, 1, &segment,
              KEXEC_ARCH_X86_64 | KEXEC_PRESERVE_CONTEXT) ||
      syscall(SYS_reboot, LINUX_REBOOT_MAGIC1, LINUX_REBOOT_MAGIC2, LINUX_REBOOT_CMD_KEXEC, NULL)) {
    perror("kexec");
    exit(1);
  }
}

#endif
