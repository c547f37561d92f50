// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/ftl/map_traffic.h"

#include <utility>

#include "nvdimm/under_way.h"

namespace hmsim {

MapTraffic::MapTraffic(Ftl& ftl, FlashArray& flash, PendingWork& pending, MapListener& listener,
                       NvdimmStatistics& statistics)
    : ftl_(ftl), flash_(flash), pending_(pending), listener_(listener), statistics_(statistics) {
  flash.attach(*this);
}

bool MapTraffic::look_up(LogicalPage page, std::uint32_t cookie, Tick now) {
  MapCache* const map = ftl_.map();
  if (map == nullptr || map->look_up(page)) {
    return true;
  }
  const std::uint32_t number = map->page_of(page);
  std::uint32_t visit = visit_of_.find(number);
  const bool here = visit == kNoIndex ? !in_flash(number) : !visits_[visit].reading;
  if (here) {
    map->load(page);
    write_back(now);
    return true;
  }
  if (visit == kNoIndex) {
    visit = begin(number);
    wait(visit, page, cookie);
    read(visit, now);
  } else {
    wait(visit, page, cookie);
  }
  return false;
}

void MapTraffic::write_back(Tick now) {
  MapCache* const map = ftl_.map();
  while (map != nullptr && map->wants_write() && writing_ < ftl_.shape().luns) {
    const std::uint32_t number = map->next_write();
    std::uint32_t visit = visit_of_.find(number);
    if (visit == kNoIndex) {
      visit = begin(number);
      visits_[visit].writes = true;
      ++writing_;
      if (in_flash(number)) {
        read(visit, now);
      } else {
        program(visit, now);
      }
    } else if (visits_[visit].writes) {
      visits_[visit].again = visits_[visit].target != kNowhere;
    } else {
      visits_[visit].writes = true;
      ++writing_;
    }
  }
}

std::uint32_t MapTraffic::begin(std::uint32_t page) {
  const std::uint32_t visit = visits_.take();
  visits_[visit].page = page;
  visit_of_.insert(page, visit);
  return visit;
}

void MapTraffic::end(std::uint32_t visit) {
  visit_of_.erase(visits_[visit].page);
  visits_.give_back(visit);
}

void MapTraffic::wait(std::uint32_t visit, LogicalPage page, std::uint32_t cookie) {
  const std::uint32_t waiter = waiters_.take();
  waiters_[waiter] = {page, cookie, kNoIndex};
  visits_[visit].waiters.push_back(links_of(waiters_.data(), &Waiter::next), waiter);
}

void MapTraffic::read(std::uint32_t visit, Tick now) {
  visits_[visit].reading = true;
  ++ftl_.map()->counts().reads;
  submit(FlashOperation::read, ftl_.lun_of(ftl_.place(ftl_.map_page(visits_[visit].page))), visit,
         now);
}

void MapTraffic::program(std::uint32_t visit, Tick now) {
  visits_[visit].target = kNowhere;
  const LogicalPage page = ftl_.map_page(visits_[visit].page);
  const std::uint32_t parts = ftl_.shape().parts();
  std::uint32_t lun = ftl_.claim(
      page, [this](std::uint32_t candidate) { return flash_.idle(candidate); }, parts);
  if (lun == kNoIndex) {
    lun = ftl_.claim(
        page, [](std::uint32_t) { return true; }, parts);
  }
  submit(FlashOperation::program, lun, visit, now);
}

void MapTraffic::submit(FlashOperation operation, std::uint32_t lun, std::uint32_t visit,
                        Tick now) {
  FlashCommand command;
  command.requester = this;
  command.operation = operation;
  command.priority = FlashPriority::map;
  command.lun = lun;
  command.subject = visit;
  command.parts = first_parts(ftl_.shape().parts());
  pending_.add(lun, page_work(operation));
  flash_.submit(command, now);
}

bool MapTraffic::on_flash_start(const FlashCommand& command, Tick /*now*/) {
  if (command.operation == FlashOperation::program) {
    Visit& visit = visits_[command.subject];
    visit.target = ftl_.allocate(command.lun, Ftl::Stream::translation);
    ftl_.map()->written(visit.page);
  }
  return true;
}

PhysicalPage MapTraffic::flash_place(const FlashCommand& command) const {
  const Visit& visit = visits_[command.subject];
  return command.operation == FlashOperation::program ? visit.target
                                                      : ftl_.place(ftl_.map_page(visit.page));
}

PhysicalPage MapTraffic::next_flash_place(const FlashCommand& command) const {
  return command.operation == FlashOperation::program
             ? ftl_.next_place(command.lun, Ftl::Stream::translation)
             : flash_place(command);
}

void MapTraffic::on_flash_done(const FlashCommand& command, Tick now) {
  const std::uint32_t number = command.subject;
  pending_.remove(command.lun, page_work(command.operation));
  if (command.operation == FlashOperation::read) {
    visits_[number].reading = false;
    const bool writes = visits_[number].writes;
    serve(number, command.gc, now);
    if (writes) {
      program(number, now);
    }
    return;
  }
  Visit& visit = visits_[number];
  if (command.failed) {
    ftl_.fail(visit.target, ftl_.shape().parts());
    program(number, now);
    return;
  }
  statistics_.map_pages += ftl_.shape().parts();
  ftl_.commit_map(visit.page, visit.target);
  if (std::exchange(visit.again, false)) {
    program(number, now);
    return;
  }
  --writing_;
  end(number);
}

// All who waited have their entries; the visit ends if that was all.
void MapTraffic::serve(std::uint32_t visit, const GcWait& gc, Tick now) {
  SlotChain waiters = std::exchange(visits_[visit].waiters, SlotChain());
  if (!visits_[visit].writes) {
    end(visit);
  }
  while (!waiters.empty()) {
    const std::uint32_t waiter = waiters.pop_front(links_of(waiters_.data(), &Waiter::next));
    const Waiter done = waiters_[waiter];
    waiters_.give_back(waiter);
    ftl_.map()->load(done.page);
    listener_.on_mapped(done.cookie, gc, now);
  }
}

void MapTraffic::serialize(Archive& archive) {
  archive.section("map traffic");
  archive(visits_, waiters_, writing_);
  if (!archive.loading()) {
    return;
  }
  visit_of_.clear();
  const std::vector<bool> in_use = visits_.in_use();
  for (std::uint32_t visit = 0; visit < visits_.size(); ++visit) {
    const std::uint32_t page = visits_[visit].page;
    if (in_use[visit]) {
      archive.check(page < ftl_.shape().map_pages() && visit_of_.find(page) == kNoIndex,
                    "a translation page is visited twice, or is none");
      visit_of_.insert(page, visit);
    }
  }
}

void MapTraffic::check_loaded(const Archive& archive, UnderWay& under_way) const {
  constexpr const char* kWrong = "visits of translation pages do not hold together";
  archive.check(ftl_.map() != nullptr || visits_.size() == 0, kWrong);
  Places visits(archive, visits_.size(), kWrong);
  visits_.take_free(visits);
  for (const auto& [command, progress] : under_way.of(*this)) {
    visits.take(command.subject);
    const Visit& visit = visits_[command.subject];
    const bool reads = command.operation == FlashOperation::read;
    archive.check(command.priority == FlashPriority::map && visit.reading == reads &&
                      (reads || visit.writes) && command.operation != FlashOperation::erase &&
                      (!reads || in_flash(visit.page)),
                  kWrong);
    under_way.pending.add(command.lun, page_work(command.operation));
    under_way.ftl.claims[command.lun] += reads ? 0 : ftl_.shape().parts();
    if (!reads && progress != FlashArray::Progress::queued) {
      under_way.ftl.programs.push_back(visit.target);
    }
  }
  std::uint32_t writing = 0;
  const std::vector<bool> in_use = visits_.in_use();
  for (std::uint32_t visit = 0; visit < visits_.size(); ++visit) {
    const Visit& own = visits_[visit];
    writing += in_use[visit] && own.writes ? 1 : 0;
    archive.check(!in_use[visit] || own.waiters.empty() || own.reading, kWrong);
  }
  archive.check(visits.all() && writing == writing_, kWrong);
  check_waiters(archive, under_way);
}

void MapTraffic::check_waiters(const Archive& archive, UnderWay& under_way) const {
  constexpr const char* kWrong = "who waits for the map does not hold together";
  Places waiters(archive, waiters_.size(), kWrong);
  waiters_.take_free(waiters);
  const std::vector<bool> in_use = visits_.in_use();
  for (std::uint32_t i = 0; i < visits_.size(); ++i) {
    if (!in_use[i]) {
      continue;
    }
    const Visit& visit = visits_[i];
    visit.waiters.take_all(links_of(waiters_.data(), &Waiter::next), waiters, [&](auto number) {
      const Waiter& waiter = waiters_[number];
      archive.check_index(waiter.page.value(), ftl_.shape().logical_pages, kWrong);
      archive.check(ftl_.map()->page_of(waiter.page) == visit.page, kWrong);
      const auto user = static_cast<MapUser>(waiter.cookie % kMapUsers);
      if (user == MapUser::eviction) {
        under_way.evictions.push_back(waiter.cookie / kMapUsers);
      } else {
        under_way.fetches.take(waiter.cookie / kMapUsers);
        under_way.prefetches += user == MapUser::prefetch ? 1 : 0;
      }
    });
  }
  archive.check(waiters.all(), kWrong);
}

}  // namespace hmsim
