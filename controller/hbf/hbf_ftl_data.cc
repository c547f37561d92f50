// SPDX-License-Identifier: BSD-3-Clause
// Data mode of the host's FTL: bytes go between users' logical pages and their places.
#include "controller/hbf/hbf_ftl.h"
#include "nvdimm/hbf/hbf_device.h"

namespace hmsim {

namespace {

// Returns the user's request for the line that a line of flash holds.
Request line_of(const Request& original, Address flash) {
  const std::int64_t page = kPageBytes.value();
  Request line = original;
  line.address = Address(original.address.value() / page * page + flash.value() % page);
  return line;
}

}  // namespace

LineData HbfFtl::write_data(const Request& request) const {
  if (request.memory == MemoryClass::dram) {
    return no_data();
  }
  const Request& original = jobs_.held(request.tag).request;
  return (*requesters_)[original.agent]->write_data(line_of(original, request.address));
}

// A page that is not mapped reads as zeros. A read that failed begins again.
void HbfFtl::on_read_data(const Request& request, const LineBytes& bytes) {
  if (request.memory == MemoryClass::dram) {
    return;
  }
  const Job& job = jobs_.held(request.tag);
  if (!failed(job, static_cast<HbfStatus>(request.status))) {
    (*requesters_)[job.request.agent]->on_read_data(line_of(job.request, request.address),
                                                    job.mapped ? bytes : LineBytes{});
  }
}

LineBytes HbfFtl::peek(Address line) const {
  LineBytes bytes = page_bytes(line);
  gatherer_.overlay(line, bytes);
  gatherer_.overlay(line_, line, bytes);
  return bytes;
}

LineBytes HbfFtl::page_bytes(Address line) const {
  const LogicalPage page(line.value() / kPageBytes.value());
  const std::uint32_t write = latest_.find(page.value());
  if (write != kNoIndex) {
    const Request& original = jobs_[write].request;
    return (*requesters_)[original.agent]->write_data(line_of(original, line)).bytes;
  }
  const PhysicalPage place = ftl_.pages().place(page);
  return place == kNowhere
             ? LineBytes{}
             : device_->peek(addresses_.in_channel(place, line.value() % kPageBytes.value()));
}

void HbfFtl::lose_power() {
  gatherer_.lose_power();
  line_.clear();
  flush_answered_ = false;
  latest_.clear();
  for (std::size_t page = 0; page < ftl_.pages().size(); ++page) {
    ftl_.trim(LogicalPage(static_cast<std::int64_t>(page)));
  }
}

}  // namespace hmsim
