// SPDX-License-Identifier: BSD-3-Clause
// Several NVDIMMs of one channel that the host sees as one module. The address space is the first
// module's pages, then the second's, and so on. A command goes to the module that has its page. A
// flush goes to all modules and is acknowledged after the last of them acknowledged it. Events at
// the same time run in module order.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "nvdimm/module/module.h"

namespace hmsim {

class ModuleGroup final : public NvdimmModule, private AckListener {
  using Pages = std::vector<LogicalPage>;

 public:
  explicit ModuleGroup(AckListener& host) : host_(host) {}
  // Adds the next module. It must have been built with listener() as its host and has `size` bytes.
  AckListener& listener() { return *this; }
  void add(std::unique_ptr<NvdimmModule> module, Bytes size);
  const std::vector<std::unique_ptr<NvdimmModule>>& modules() const { return modules_; }

  void attach(const Kernel& kernel, const Wakeup& driver) override;
  void command(std::uint32_t tag, Address address, bool write, Tick now,
               std::uint8_t lines = 1) override;
  void post(Address address, const LineData& data, std::uint16_t handle, Tick now) override;
  void flush(std::uint32_t tag, Tick now) override;
  void set_handle(std::uint32_t tag, std::uint16_t handle) override;
  Tick finish(std::uint32_t tag, Tick now) override;
  std::int64_t trim(Address address, Bytes size, Tick now) override;

  void write_line(std::uint32_t tag, const LineData& data, std::uint8_t line = 0) override;
  LineBytes read_line(std::uint32_t tag, std::uint8_t line = 0) const override;
  LineBytes peek(Address address) const override;

  void spare(Address address, const LineData& data) override;
  PowerRecord power_fail(Tick now, Tick save_for = kNever) override;
  bool restore(NvdimmModule& before, Tick now, Tick recover_for = kNever) override;
  // Returns the first module's record. parameters() and worst_hold_up() are the first module's too.
  const PowerRecord& power_record() const override { return modules_.front()->power_record(); }
  bool off() const override;
  Tick worst_hold_up() const override { return modules_.front()->worst_hold_up(); }
  const ModuleParameters& parameters() const override { return modules_.front()->parameters(); }

  void serialize_start(Archive& archive) override;
  void write_before(const Pages& pages) override { pass(pages, &NvdimmModule::write_before); }
  void hold_read(const Pages& pages) override { pass(pages, &NvdimmModule::hold_read); }
  void hold_written(const Pages& pages) override { pass(pages, &NvdimmModule::hold_written); }
  std::uint64_t collections_begun() const override { return sum(&NvdimmModule::collections_begun); }
  std::uint64_t collections_ended() const override { return sum(&NvdimmModule::collections_ended); }
  bool idle() const override;

  Tick advance(Tick now) override;
  void serialize(Archive& archive) override;

 private:
  static constexpr std::uint8_t kAll = 0xFF;  // in by_tag_: the command is a flush

  void on_ack(std::uint32_t tag, Tick now) override;
  void on_credit(Tick now) override { host_.on_credit(now); }

  std::size_t number_of(Address address) const;
  Address local(Address address) const { return address - begins_[number_of(address)]; }
  NvdimmModule& of(Address address) const { return *modules_[number_of(address)]; }
  NvdimmModule& of_tag(std::uint32_t tag) const { return *modules_[by_tag_[tag]]; }
  void pass(const Pages& pages, void (NvdimmModule::*call)(const Pages&));
  std::uint64_t sum(std::uint64_t (NvdimmModule::*count)() const) const;
  Tick first_due() const;

  AckListener& host_;
  std::vector<std::unique_ptr<NvdimmModule>> modules_;
  std::vector<Address> begins_;  // first address of each module
  Address end_{0};
  std::deque<Tick> due_;  // next events, written by the modules; a deque keeps their addresses
  std::vector<std::uint8_t> by_tag_;  // module of each command; all modules share the tags
  std::size_t flushes_left_ = 0;      // modules that have not acknowledged the flush
};

}  // namespace hmsim
