// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/ftl/map_traffic.h"

#include <utility>

#include "core/errors.h"

namespace hmsim {

MapTraffic::MapTraffic(Ftl& ftl, FlashArray& flash, PendingWork& pending, MapListener& listener)
    : ftl_(ftl), flash_(flash), pending_(pending), listener_(listener) {
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
  submit(FlashOperation::read,
         ftl_.shape().lun_of(ftl_.pages().place(ftl_.shape().map_page(visits_[visit].page))), visit,
         now);
}

void MapTraffic::program(std::uint32_t visit, Tick now) {
  visits_[visit].target = kNowhere;
  const LogicalPage page = ftl_.shape().map_page(visits_[visit].page);
  const std::uint32_t parts = ftl_.shape().parts();
  std::uint32_t lun = ftl_.claims().claim(
      page, [this](std::uint32_t candidate) { return flash_.idle(candidate); }, parts);
  if (lun == kNoIndex) {
    lun = ftl_.claims().claim_any(page, parts);
  }
  submit(FlashOperation::program, lun, visit, now);
}

void MapTraffic::submit(FlashOperation operation, std::uint32_t lun, std::uint32_t visit,
                        Tick now) {
  const PartMask parts = first_parts(ftl_.shape().parts());
  pending_.add(lun, page_work(operation));
  flash_.submit({this, operation, FlashPriority::map, lun, visit, true, parts}, now);
}

bool MapTraffic::on_flash_start(const FlashCommand& command, Tick /*now*/) {
  if (command.operation == FlashOperation::program) {
    Visit& visit = visits_.held(command.subject);
    visit.target = ftl_.allocate(command.lun, WriteStream::translation);
    ftl_.map()->written(visit.page);
  }
  return true;
}

PhysicalPage MapTraffic::flash_place(const FlashCommand& command) const {
  const Visit& visit = visits_.held(command.subject);
  return command.operation == FlashOperation::program
             ? visit.target
             : ftl_.pages().place(ftl_.shape().map_page(visit.page));
}

PhysicalPage MapTraffic::next_flash_place(const FlashCommand& command) const {
  return command.operation == FlashOperation::program
             ? ftl_.frontiers().next_place(command.lun, WriteStream::translation)
             : flash_place(command);
}

void MapTraffic::on_flash_done(const FlashCommand& command, Tick now) {
  const std::uint32_t number = command.subject;
  pending_.remove(command.lun, page_work(command.operation));
  if (command.operation == FlashOperation::read) {
    visits_.held(number).reading = false;
    const bool writes = visits_[number].writes;
    serve(number, command.gc, now);
    if (writes) {
      program(number, now);
    }
    return;
  }
  Visit& visit = visits_.held(number);
  ensure(visit.target != kNowhere, "map", now, visit.page, "end of a program that never began");
  if (command.failed) {
    ftl_.fail(visit.target, ftl_.shape().parts());
    program(number, now);
    return;
  }
  ftl_.statistics().map_pages += ftl_.shape().parts();
  ftl_.commit_map(visit.page, visit.target);
  if (std::exchange(visit.again, false)) {
    program(number, now);
    return;
  }
  --writing_;
  end(number);
}

// Gives all waiters their entries. The visit ends unless it also writes.
void MapTraffic::serve(std::uint32_t visit, const GcWait& gc, Tick now) {
  SlotChain waiters = std::exchange(visits_[visit].waiters, SlotChain());
  if (!visits_[visit].writes) {
    end(visit);
  }
  while (!waiters.empty()) {
    const std::uint32_t waiter = waiters.pop_front(links_of(waiters_.data(), &Waiter::next));
    const Waiter done = waiters_[waiter];
    waiters_.give_back(waiter);
    ftl_.map()->load_read(done.page);
    listener_.on_mapped(done.cookie, gc, now);
  }
}

void MapTraffic::serialize(Archive& archive) {
  archive.section("map traffic");
  archive(visits_, waiters_, writing_);
  const auto links = links_of(waiters_.data(), &Waiter::next);
  for (const std::uint32_t visit : visits_.taken()) {
    serialize_slots(archive, visits_[visit].waiters, links, waiters_.size(), [](std::uint32_t) {});
  }
  if (!archive.loading()) {
    return;
  }
  visit_of_.clear();
  for (const std::uint32_t number : visits_.taken()) {
    const Visit& visit = visits_[number];
    archive.check_index(visit.page, ftl_.shape().map_pages(), "invalid translation page");
    if (visit.target != kNowhere) {
      ftl_.shape().check_flash_page(archive, visit.target);
    }
    visit_of_.insert(visit.page, number);
  }
  for (const std::uint32_t waiter : waiters_.taken()) {
    archive.check_index(waiters_[waiter].page.value(), ftl_.shape().logical_pages,
                        "invalid page of the map");
  }
}

}  // namespace hmsim
