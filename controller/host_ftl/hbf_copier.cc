// SPDX-License-Identifier: BSD-3-Clause
#include "controller/host_ftl/hbf_copier.h"

#include "controller/hbf/page_lines.h"
#include "controller/host_ftl/hbf_collector.h"
#include "nvdimm/hbf/hbf_status.h"

namespace hmsim {

void HbfCopier::begin(const HbfCopy& copy, Tick now) {
  const std::uint32_t index = jobs_.take();
  jobs_[index].copy = copy;
  if (store_data_ && bytes_.size() <= index) {
    bytes_.resize(jobs_.size());
  }
  ++counts_.flash_reads;
  send_page(index, copy.source, false, now);
}

Request HbfCopier::request_of(std::uint32_t index, bool write) const {
  Request request;
  request.write = write;
  request.tag = index;
  request.agent = own_;
  request.origin = jobs_[index].copy.origin;
  return request;
}

void HbfCopier::send_page(std::uint32_t index, PhysicalPage place, bool write, Tick now) {
  Request request = request_of(index, write);
  request.memory = MemoryClass::nvdimm;
  request.address = addresses_.flash(place);
  request.lines = kLinesPerPage;
  path_.originate(request, now);
}

void HbfCopier::move_lines(std::uint32_t index, bool write, Tick now) {
  jobs_[index].step = write ? Step::stage : Step::fetch;
  jobs_[index].lines = kLinesPerPage;
  (write ? counts_.line_writes : counts_.line_reads) += kLinesPerPage;
  for (std::int64_t line = 0; line < kLinesPerPage; ++line) {
    Request request = request_of(index, write);
    request.address = addresses_.staging_line(index, line);
    path_.originate(request, now);
  }
}

void HbfCopier::write(std::uint32_t index, Tick now) {
  Job& own = jobs_[index];
  own.step = Step::write;
  own.copy.target =
      ftl_.allocate_copy(own.copy.lun, own.copy.page,
                         ftl_.stream_of_copy(own.copy.page, own.copy.source), own.copy.levelling);
  ++counts_.flash_writes;
  send_page(index, own.copy.target, true, now);
}

void HbfCopier::on_complete(const Request& request, Tick now) {
  Job& own = jobs_.held(request.tag);
  switch (own.step) {
    case Step::read:
      move_lines(request.tag, true, now);
      return;
    case Step::stage:
      if (--own.lines == 0) {
        move_lines(request.tag, false, now);
      }
      return;
    case Step::fetch:
      if (--own.lines == 0) {
        write(request.tag, now);
      }
      return;
    case Step::write:
      if (static_cast<HbfStatus>(request.status) == HbfStatus::done) {
        end(request.tag, now);
      } else {
        write_again(request.tag, now);
      }
      return;
  }
}

// The page is still in the HBM. Its block takes no more pages.
void HbfCopier::write_again(std::uint32_t index, Tick now) {
  const PhysicalPage target = jobs_[index].copy.target;
  ftl_.fail(target, 0);
  ++counts_.rewrites;
  collector_.on_copy_failed(target, now);
  move_lines(index, false, now);
}

void HbfCopier::end(std::uint32_t index, Tick now) {
  const HbfCopy done = jobs_[index].copy;
  jobs_.give_back(index);
  const bool current = ftl_.commit_copy(done.page, done.source, done.target);
  collector_.on_copied(done, current, now);
}

LineData HbfCopier::write_data(const Request& request) const {
  if (request.memory == MemoryClass::dram) {
    return no_data();
  }
  jobs_.held(request.tag);  // otherwise a fault
  LineData data;
  data.bytes = line_at(bytes_[request.tag], offset_of(request.address));
  return data;
}

void HbfCopier::on_read_data(const Request& request, const LineBytes& bytes) {
  if (request.memory == MemoryClass::nvdimm) {
    put_line(bytes_[request.tag], offset_of(request.address), bytes);
  }
}

void HbfCopier::serialize(Archive& archive) {
  archive.section("hbf copier");
  archive(jobs_, counts_);
  for (const std::uint32_t index : jobs_.taken()) {
    const HbfCopy& own = jobs_[index].copy;
    archive.check_index(own.lun, ftl_.shape().luns, "copy of an invalid bank");
    archive.check_index(own.page.value(), ftl_.pages().size(), "copy of an invalid page");
    ftl_.shape().check_place(archive, own.source);
    archive.check(own.target == kNowhere ||
                      static_cast<std::uint64_t>(own.target.value()) < ftl_.shape().places(),
                  "copy to an invalid page");
  }
  bytes_.resize(store_data_ ? jobs_.size() : 0);
  for (PageBytes& page : bytes_) {
    archive.raw(page.data(), page.size());
  }
}

}  // namespace hmsim
