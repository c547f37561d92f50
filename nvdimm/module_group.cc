// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/module_group.h"

#include <algorithm>
#include <utility>

namespace hmsim {

void ModuleGroup::add(std::unique_ptr<NvdimmModule> module, Bytes size) {
  begins_.push_back(end_);
  end_ += Address(size.value());
  const ModuleParameters& own = module->parameters();
  const std::size_t tags = own.tags() - static_cast<std::size_t>(own.posted_writes);
  by_tag_.resize(modules_.empty() ? tags : std::min(by_tag_.size(), tags));
  modules_.push_back(std::move(module));
  modules_.back()->keep_next_in(due_.emplace_back());
}

// The modules notify no driver; the group's own next event wakes its driver.
void ModuleGroup::attach(const Kernel& kernel, const Wakeup& driver) {
  NvdimmModule::attach(kernel, driver);
  for (const auto& module : modules_) {
    module->attach(kernel, Wakeup());
  }
  set_next(first_due());
}

std::size_t ModuleGroup::number_of(Address address) const {
  std::size_t number = begins_.size() - 1;
  while (address < begins_[number]) {
    --number;
  }
  return number;
}

Tick ModuleGroup::first_due() const { return *std::min_element(due_.begin(), due_.end()); }

void ModuleGroup::command(std::uint32_t tag, Address address, bool write, Tick now,
                          std::uint8_t lines) {
  by_tag_[tag] = static_cast<std::uint8_t>(number_of(address));
  of_tag(tag).command(tag, local(address), write, now, lines);
  reschedule_at(first_due());
}

void ModuleGroup::post(Address address, const LineData& data, std::uint16_t handle, Tick now) {
  of(address).post(local(address), data, handle, now);
  reschedule_at(first_due());
}

void ModuleGroup::flush(std::uint32_t tag, Tick now) {
  by_tag_[tag] = kAll;
  flushes_left_ = modules_.size();
  for (const auto& module : modules_) {
    module->flush(tag, now);
  }
  reschedule_at(first_due());
}

void ModuleGroup::on_ack(std::uint32_t tag, Tick now) {
  if (by_tag_[tag] != kAll || --flushes_left_ == 0) {
    host_.on_ack(tag, now);
  }
}

void ModuleGroup::set_handle(std::uint32_t tag, std::uint16_t handle) {
  of_tag(tag).set_handle(tag, handle);
}

Tick ModuleGroup::finish(std::uint32_t tag, Tick now) {
  Tick waited(0);
  if (by_tag_[tag] == kAll) {
    for (const auto& module : modules_) {
      waited = later(waited, module->finish(tag, now));
    }
  } else {
    waited = of_tag(tag).finish(tag, now);
  }
  reschedule_at(first_due());
  return waited;
}

std::int64_t ModuleGroup::trim(Address address, Bytes size, Tick now) {
  std::int64_t pages = 0;
  const Address end = address + Address(size.value());
  for (std::size_t i = 0; i < modules_.size(); ++i) {
    const Address from = later(address, begins_[i]);
    const Address to = earlier(end, i + 1 < begins_.size() ? begins_[i + 1] : end_);
    if (from < to) {
      pages += modules_[i]->trim(from - begins_[i], Bytes((to - from).value()), now);
    }
  }
  reschedule_at(first_due());
  return pages;
}

void ModuleGroup::write_line(std::uint32_t tag, const LineData& data, std::uint8_t line) {
  of_tag(tag).write_line(tag, data, line);
}

LineBytes ModuleGroup::read_line(std::uint32_t tag, std::uint8_t line) const {
  return of_tag(tag).read_line(tag, line);
}

LineBytes ModuleGroup::peek(Address address) const { return of(address).peek(local(address)); }

void ModuleGroup::spare(Address address, const LineData& data) {
  of(address).spare(local(address), data);
}

bool ModuleGroup::off() const {
  return std::any_of(modules_.begin(), modules_.end(),
                     [](const auto& module) { return module->off(); });
}

PowerRecord ModuleGroup::power_fail(Tick now, Tick save_for) {
  for (const auto& module : modules_) {
    module->power_fail(now, save_for);
  }
  return power_record();
}

bool ModuleGroup::restore(NvdimmModule& before, Tick now, Tick recover_for) {
  const auto& old = static_cast<ModuleGroup&>(before);
  bool complete = true;
  for (std::size_t i = 0; i < modules_.size(); ++i) {
    complete = modules_[i]->restore(*old.modules_[i], now, recover_for) && complete;
  }
  reschedule_at(first_due());
  return complete;
}

void ModuleGroup::serialize_start(Archive& archive) {
  for (const auto& module : modules_) {
    module->serialize_start(archive);
  }
}

// Calls `call` for each module with its pages.
void ModuleGroup::pass(const Pages& pages, void (NvdimmModule::*call)(const Pages&)) {
  std::vector<Pages> parts(modules_.size());
  for (const LogicalPage page : pages) {
    const Address address(page.value() * kPageBytes.value());
    parts[number_of(address)].emplace_back(local(address).value() / kPageBytes.value());
  }
  for (std::size_t i = 0; i < modules_.size(); ++i) {
    ((*modules_[i]).*call)(parts[i]);
  }
}

std::uint64_t ModuleGroup::sum(std::uint64_t (NvdimmModule::*count)() const) const {
  std::uint64_t sum = 0;
  for (const auto& module : modules_) {
    sum += ((*module).*count)();
  }
  return sum;
}

bool ModuleGroup::idle() const {
  return std::all_of(modules_.begin(), modules_.end(),
                     [](const auto& module) { return module->idle(); });
}

Tick ModuleGroup::advance(Tick now) {
  for (std::size_t i = 0; i < modules_.size(); ++i) {
    if (due_[i] <= now) {
      modules_[i]->advance(now);
    }
  }
  set_next(first_due());
  return next_event();
}

void ModuleGroup::serialize(Archive& archive) {
  archive.fixed(by_tag_);
  archive(flushes_left_);
  archive.check_indices(by_tag_, modules_.size(), kAll, "command without a module");
  for (const auto& module : modules_) {
    module->serialize(archive);
  }
  set_next(first_due());
}

}  // namespace hmsim
