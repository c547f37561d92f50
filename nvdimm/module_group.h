// SPDX-License-Identifier: BSD-3-Clause
// Several NVDIMMs of one channel, to their host one module: its pages are those of the first, then
// those of the second, and so on. A command goes to the module that has its page; a flush goes to
// all of them, and is acknowledged when the last one has acknowledged it. What several do at the
// same time they do in the order of their numbers.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "nvdimm/module/module.h"

namespace hmsim {

class ModuleGroup final : public NvdimmModule, private AckListener {
 public:
  explicit ModuleGroup(AckListener& host) : host_(host) {}
  // The next of its modules, which was built with listener(), has pages for so many bytes.
  AckListener& listener() { return *this; }
  void add(std::unique_ptr<NvdimmModule> module, Bytes size);
  const std::vector<std::unique_ptr<NvdimmModule>>& modules() const { return modules_; }

  void attach(const Kernel& kernel, const Wakeup& driver) override;
  void command(std::uint32_t tag, Address address, bool write, Tick now) override;
  void post(Address address, const LineData& data, Tick now) override;
  void flush(std::uint32_t tag, Tick now) override;
  Tick finish(std::uint32_t tag, Tick now) override;
  std::int64_t trim(Address address, Bytes size, Tick now) override;

  void write_line(std::uint32_t tag, const LineData& data) override;
  LineBytes read_line(std::uint32_t tag) const override;
  LineBytes peek(Address address) const override;

  void spare(Address address, const LineData& data) override;
  PowerRecord power_fail(Tick now, Tick save_for = kNever) override;
  bool restore(NvdimmModule& before, Tick now, Tick recover_for = kNever) override;
  // The first one's, as parameters().
  const PowerRecord& power_record() const override { return modules_.front()->power_record(); }
  bool off() const override;
  Tick worst_hold_up() const override { return modules_.front()->worst_hold_up(); }
  const ModuleParameters& parameters() const override { return modules_.front()->parameters(); }

  void serialize_start(Archive& archive) override;
  void write_before(const std::vector<LogicalPage>& pages) override;
  void hold_read(const std::vector<LogicalPage>& pages) override;
  void hold_written(const std::vector<LogicalPage>& pages) override;
  std::uint64_t collections_begun() const override;
  std::uint64_t collections_ended() const override;
  bool idle() const override;

  Tick advance(Tick now) override;
  void serialize(Archive& archive) override;

 private:
  static constexpr std::uint8_t kAll = 0xFF;  // in place of a module's number: a flush

  void on_ack(std::uint32_t tag, Tick now) override;
  void on_credit(Tick now) override { host_.on_credit(now); }

  std::size_t number_of(Address address) const;
  Address local(Address address) const { return address - begins_[number_of(address)]; }
  NvdimmModule& of(Address address) const { return *modules_[number_of(address)]; }
  NvdimmModule& of_tag(std::uint32_t tag) const { return *modules_[by_tag_[tag]]; }
  std::vector<std::vector<LogicalPage>> split(const std::vector<LogicalPage>& pages) const;
  Tick first_due() const;

  AckListener& host_;
  std::vector<std::unique_ptr<NvdimmModule>> modules_;
  std::vector<Address> begins_;  // of each one's pages
  Address end_{0};
  std::deque<Tick> due_;              // kept by the modules, so that none may move
  std::vector<std::uint8_t> by_tag_;  // a command's module; of tags that all of them know
  std::size_t flushes_left_ = 0;      // modules that have not acknowledged the flush
};

}  // namespace hmsim
