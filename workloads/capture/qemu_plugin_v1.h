// SPDX-License-Identifier: BSD-3-Clause
//
// The part of QEMU's TCG plug-in interface, version 1 (QEMU 6.0 to 8.2), that the capture plug-in
// calls. Debian's packages ship no header; QEMU documents the interface in
// docs/devel/tcg-plugins. These functions live in QEMU's executables and are bound when one
// loads the plug-in.
#ifndef HMSIM_QEMU_PLUGIN_V1_H
#define HMSIM_QEMU_PLUGIN_V1_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint64_t qemu_plugin_id_t;
typedef uint32_t qemu_plugin_meminfo_t;

struct qemu_plugin_tb;    // a translation block, valid during the translation callback
struct qemu_plugin_insn;  // one instruction of it; the same validity

typedef struct {
  const char* target_name;  // "x86_64"
  struct {
    int min, cur;  // interface versions that this QEMU accepts
  } version;
  bool system_emulation;
  struct {
    int smp_vcpus, max_vcpus;  // full-system emulation only
  } system;
} qemu_info_t;

enum { QEMU_PLUGIN_CB_NO_REGS = 0 };  // callback flags: touches no guest register
enum { QEMU_PLUGIN_MEM_RW = 3 };      // loads (1) and stores (2)

// Symbols that a plug-in must provide.
extern __attribute__((visibility("default"))) int qemu_plugin_version;
__attribute__((visibility("default"))) int qemu_plugin_install(qemu_plugin_id_t id,
                                                               const qemu_info_t* info, int argc,
                                                               char** argv);

// Callbacks for the whole run.
void qemu_plugin_register_vcpu_init_cb(qemu_plugin_id_t id,
                                       void (*call)(qemu_plugin_id_t, unsigned vcpu));
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
                                           void (*call)(qemu_plugin_id_t, struct qemu_plugin_tb*));
void qemu_plugin_register_vcpu_syscall_cb(qemu_plugin_id_t id,
                                          void (*call)(qemu_plugin_id_t, unsigned vcpu,
                                                       int64_t number, uint64_t, uint64_t, uint64_t,
                                                       uint64_t, uint64_t, uint64_t, uint64_t,
                                                       uint64_t));
void qemu_plugin_register_vcpu_syscall_ret_cb(qemu_plugin_id_t id,
                                              void (*call)(qemu_plugin_id_t, unsigned vcpu,
                                                           int64_t number, int64_t result));
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, void (*call)(qemu_plugin_id_t, void* data),
                                    void* data);

// Callbacks that are registered at translation. `call` gets `data` at each execution.
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb* block,
                                          void (*call)(unsigned vcpu, void* data), int flags,
                                          void* data);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn* insn,
                                            void (*call)(unsigned vcpu, void* data), int flags,
                                            void* data);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn* insn,
                                      void (*call)(unsigned vcpu, qemu_plugin_meminfo_t info,
                                                   uint64_t address, void* data),
                                      int flags, int accesses, void* data);

// Queries.
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb* block);
struct qemu_plugin_insn* qemu_plugin_tb_get_insn(const struct qemu_plugin_tb* block, size_t index);
const void* qemu_plugin_insn_data(const struct qemu_plugin_insn* insn);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn* insn);
unsigned qemu_plugin_mem_size_shift(qemu_plugin_meminfo_t info);  // log2 of the bytes accessed
bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t info);

// Full-system emulation only, in a memory callback: returns the place of the access, or NULL if
// QEMU does not know it. The result is valid until the next call by the same thread.
struct qemu_plugin_hwaddr;
struct qemu_plugin_hwaddr* qemu_plugin_get_hwaddr(qemu_plugin_meminfo_t info, uint64_t address);
bool qemu_plugin_hwaddr_is_io(const struct qemu_plugin_hwaddr* place);
uint64_t qemu_plugin_hwaddr_phys_addr(const struct qemu_plugin_hwaddr* place);

#endif
