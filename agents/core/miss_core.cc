// SPDX-License-Identifier: BSD-3-Clause
#include "agents/core/miss_core.h"

#include <algorithm>
#include <string>
#include <utility>

#include "agents/application_observer.h"
#include "agents/core/core_steps.h"
#include "agents/translation.h"
#include "core/errors.h"

namespace hmsim {

namespace {

constexpr std::uint32_t kPosted = 0xFFFFFFFF;       // tag of writes that no fence waits for
constexpr std::uint32_t kNonTemporal = 0xFFFFFFFE;  // tag of writes that fences wait for
constexpr std::uint32_t kPrefetch = 0x80000000;     // first tag of prefetches, by buffer
}  // namespace

void MissCore::Settings::declare(ParameterSet& parameters) {
  CoreParameters::declare_mshrs(parameters, mshrs);
  parameters.boolean("paged", paged,
                     {"whether the pager (storage.paging) manages its DRAM pages: holds them in "
                      "memory and swaps them to the storage",
                      "a modelling choice of hmsim"});
}

void MissCore::open(const Settings& settings, const AddressSpace& space,
                    std::unique_ptr<MissSource> source) {
  const AgentEnvironment& environment = link_.environment();
  source_ = std::move(source);
  nvdimm_bytes_ =
      static_cast<std::uint64_t>(environment.port->capacity(MemoryClass::nvdimm).value());
  if (source_->has_nvdimm() && nvdimm_bytes_ == 0) {
    throw InputError(link_.name() +
                     ": its trace accesses an NVDIMM, but the configuration has none");
  }
  loads_.open(pass_.window().capacity(), settings.mshrs);
  application_ = environment.application;
  space_ = space;
  most_writes_ = pass_.window_size();
  fences_.open(settings.page_fences, settings.persistence);
  if (settings.prefetch.degree > 0) {
    prefetcher_ = std::make_unique<StreamPrefetcher>(settings.prefetch);
  }
  if (settings.paged) {
    if (environment.pager == nullptr) {
      throw InputError(
          link_.name() +
          ".paged: the system has no paging: set storage.kind and storage.paging.memory");
    }
    paging_ =
        std::make_unique<CorePaging>(*environment.pager, space_.space,
                                     space_.offset[static_cast<std::size_t>(MemoryClass::dram)],
                                     [this](Tick now) { page_came(now); });
  }
}

[[gnu::flatten]] Tick MissCore::advance(Tick now) { return pass_.advance(*this, now); }

bool MissCore::fetch_record(std::int64_t& gap) {
  const bool have = source_->next(miss_);
  gap = miss_.gap;
  return have;
}

bool MissCore::seek_record(std::int64_t instructions, std::int64_t& gap) {
  const bool have = source_->seek(static_cast<std::uint64_t>(instructions), miss_);
  gap = miss_.gap;
  return have;
}

void MissCore::rewind() {
  source_->rewind();
  loads_.restart();
  if (paging_ != nullptr) {
    paging_->give_up();
  }
}

bool MissCore::blocked() const {
  return (miss_.write && writes_outside_ >= most_writes_) || fences_.block(miss_) ||
         (paging_ != nullptr && paging_->waits(miss_));
}

void MissCore::on_stall(Tick now) {
  if (paging_ != nullptr) {
    paging_->ask(miss_, now);
  }
}

void MissCore::page_came(Tick now) {
  if (pass_.stalled() && paging_->waits(miss_)) {
    paging_->ask(miss_, now);
  } else {
    end_stall(now);
  }
}

// Ends the stall, if any, unless the core is still blocked.
void MissCore::end_stall(Tick now) {
  if (!blocked() && pass_.unblock(now)) {
    link_.notify();
  }
}

[[gnu::flatten]] void MissCore::dispatched(std::int64_t number, std::int64_t slot, Tick now) {
  owner_.dispatched(number, slot);
  if (paging_ != nullptr) {
    paging_->dispatched(miss_);
  }
  fences_.dispatched(miss_);
  if (miss_.load) {
    pass_.window().set_ready(number, kUnknown);
    const auto index = static_cast<std::uint32_t>(pass_.window().place_of(number));
    if (loads_.add(number, miss_, slot, pass_.slots()) && loads_.issue(index)) {
      send_load(index, now);
    }
  }
  if (miss_.write) {
    dispatch_write(now);
  }
}

void MissCore::dispatch_write(Tick now) {
  ++writes_outside_;
  const bool fenced = fences_.write(miss_);
  const Address address = location(miss_.memory, miss_.write_address);
  if (prefetcher_ != nullptr) {
    owner_.stored(miss_.memory, address);
  }
  link_.send(miss_.memory, address, true, fenced ? kNonTemporal : kPosted, now);
}

void MissCore::give_up_copy(MemoryClass memory, Address address) {
  if (prefetcher_ != nullptr) {
    prefetcher_->overwrite(memory, address);
  }
}

void MissCore::do_step(Tick now) {
  bool sent = false;
  const std::uint32_t index = loads_.take_step(sent);
  if (sent) {
    send_load(index, now);
  }
  if (prefetcher_ != nullptr) {
    pass_.resume();  // the load's data may have been prefetched
  }
}

void MissCore::send_load(std::uint32_t index, Tick now) {
  const LoadQueue::Load& load = loads_[index];
  const Address line = location(load.memory, load.address);
  if (prefetcher_ == nullptr || !prefetched(index, line, now)) {
    if (application_ != nullptr) {
      application_->on_issue(link_.index(), index, false, now);
    }
    link_.send(load.memory, line, false, index, now);
  }
  if (prefetcher_ != nullptr) {
    prefetcher_->follow(load.memory, line, [&](Address next, std::uint32_t buffer) {
      link_.send(load.memory, next, false, kPrefetch + buffer, now);
    });
  }
}

// Returns whether the load need not be sent because its line is prefetched or in flight.
bool MissCore::prefetched(std::uint32_t index, Address line, Tick now) {
  const StreamPrefetcher::Line found = prefetcher_->take(loads_[index].memory, line, index);
  if (found == StreamPrefetcher::Line::here) {
    data_came(index, now);
  }
  return found != StreamPrefetcher::Line::absent;
}

// NVDIMM addresses are not translated, only taken modulo the capacity.
Address MissCore::location(MemoryClass memory, std::uint64_t address) const {
  address += space_.offset[static_cast<std::size_t>(memory)];
  return memory == MemoryClass::nvdimm
             ? Address(address % nvdimm_bytes_)
             : link_.environment().translation->translate(space_.space, address);
}

void MissCore::each_page_read(bool to_limit, const PageVisitor& visit) {
  if (!source_->has_nvdimm()) {
    return;
  }
  pass_.each_record(to_limit, [&] {
    return !miss_.load || miss_.memory == MemoryClass::dram ||
           visit(location(MemoryClass::nvdimm, miss_.load_address).value() / kPageBytes.value());
  });
}

void MissCore::on_taken(const Request& request, Tick now) {
  if (request.write) {
    --writes_outside_;
    if (pass_.stalled()) {
      end_stall(now);
    }
  }
}

void MissCore::on_admit(const Request& request, Tick now) {
  if (request.write) {
    writes_outside_ -= request.link == Tick(0) ? 1 : 0;
    reached(Persistence::controller, request, now);
  }
}

void MissCore::reached(Persistence where, const Request& write, Tick now) {
  if (where == fences_.safe_at(write) && write.tag == kNonTemporal) {
    fences_.safe();
  }
  if (pass_.stalled()) {
    end_stall(now);
  }
}

void MissCore::on_complete(const Request& request, Tick now) {
  if (!request.write) {
    line_arrived(request, now);
  } else if (fences_.safe_at(request) == Persistence::module) {
    reached(Persistence::module, request, now);
  }
}

[[gnu::flatten]] void MissCore::line_arrived(const Request& request, Tick now) {
  bool has_steps = false;
  if (request.tag < kPrefetch) {
    has_steps = data_came(request.tag, now);
    if (application_ != nullptr) {
      const std::int64_t number = pass_.window().number_at(request.tag);
      application_->on_usable(link_.index(), request.tag,
                              pass_.slots().tick(pass_.window()[number].ready));
    }
  } else if (prefetcher_ == nullptr) {
    raise_fault("core", now, request.tag, "arrival of a line that no prefetcher requested");
  } else if (const auto load = prefetcher_->arrived(request.tag - kPrefetch, now)) {
    has_steps = data_came(*load, now);
  } else {
    return;
  }
  if (pass_.resume() || has_steps) {
    link_.notify(next_event());
  }
}

// Records that a load has its data and that its MSHR is free. Returns whether that scheduled steps
// of other loads. The index may come from a loaded state, so it is taken modulo the window.
bool MissCore::data_came(std::uint32_t index, Tick now) {
  const std::int64_t slot = pass_.slots().edge_at_or_after(now);
  const std::int64_t number = pass_.window().number_at(index);
  const std::int64_t ready = std::max(slot, pass_.window()[number].dispatch + pass_.cycle_slots());
  pass_.window().set_ready(number, ready);
  return loads_.arrived(number, ready, slot, pass_.slots());
}

void MissCore::register_statistics(StatisticRegistry& registry, const std::string& path) {
  const StatisticGroup group(registry, path);
  if (fences_.present()) {
    group.counter("fences", "", "fences after runs of non-temporal writes to a page",
                  fences_.fences());
  }
  if (prefetcher_ != nullptr) {
    prefetcher_->register_statistics(registry, path + ".prefetch");
  }
  if (paging_ != nullptr) {
    group.counter("page_faults", "", "touches of pages that were not in memory", paging_->faults());
  }
}

void MissCore::serialize(Archive& archive) {
  source_->serialize(archive);
  archive(miss_);
  archive(loads_, writes_outside_, fences_);
  if (prefetcher_ != nullptr) {
    archive(*prefetcher_);
  }
  if (paging_ != nullptr) {
    archive(*paging_);
  }
  archive.check(writes_outside_ >= 0, "core in wait for writes without writes");
  // NVDIMM addresses are taken modulo its capacity, so it must not be 0.
  const auto check_memory = [&](MemoryClass memory) {
    archive.check(memory == MemoryClass::dram || nvdimm_bytes_ > 0,
                  "access to an NVDIMM in a system without one");
  };
  check_memory(miss_.memory);
  loads_.each_memory(check_memory);
}

}  // namespace hmsim
