// SPDX-License-Identifier: BSD-3-Clause
// Kind table: a device defined only by its operation times.
#include <optional>

#include "storage/design.h"
#include "storage/table_device.h"

namespace hmsim {

void TableParameters::declare(ParameterSet& set) {
  const ParameterSet::Scope scope(set, "table");
  constexpr const char* kRule =
      "Caulfield et al., MICRO 2010 and SC 2010, give rates at 512 B and 4 KiB; the line between "
      "points is assumed";
  set.text("read", read,
           {"time of a read by its size, for example 512B=80us, 4KiB=100us: linear between points; "
            "the first point's time below it; extrapolated from the last two points above them",
            kRule});
  set.text("write", write, {"time of a write by its size, in the form of read", kRule});
  set.time("flush", flush, {"time of a flush", "assumed"});
  set.integer("channels", channels, {1, 65536}, "operations",
              {"operations served at a time; 1: one after another", "assumed"});
}

std::vector<ParameterError> TableParameters::check(Bytes /*capacity*/) const {
  std::vector<ParameterError> errors;
  for (const auto& [name, text] : {std::pair("read", &read), {"write", &write}}) {
    const Parsed<TimeTable> table = TimeTable::parse(*text);
    if (!table.value) {
      errors.push_back({std::string("storage.table.") + name, table.error});
    }
  }
  if (flush < kNanosecond) {
    errors.push_back({"storage.table.flush", format_time(flush) + " is not between 1ns and 1s"});
  }
  return errors;
}

TableDevice::TableDevice(const TableParameters& parameters, Bytes capacity)
    : QueuedDevice(capacity),
      read_(TimeTable::parse(parameters.read).value.value()),
      write_(TimeTable::parse(parameters.write).value.value()),
      flush_(parameters.flush),
      channels_(parameters.channels) {}

void TableDevice::begin(std::uint32_t place, Tick now) {
  if (channels_.acquire(1, place, now)) {
    serve(place, now);
  }
}

Tick TableDevice::time_of_request(std::uint32_t place) const {
  const IoRequest& request = io_queue_[place];
  return request.kind == IoRequest::Kind::flush  ? flush_
         : request.kind == IoRequest::Kind::read ? read_(request.bytes)
                                                 : write_(request.bytes);
}

void TableDevice::serve(std::uint32_t place, Tick now) {
  ends_.schedule(now + time_of_request(place), Event::end, place);
}

Tick TableDevice::advance(Tick now) {
  while (ends_.next_time() <= now) {
    const auto event = ends_.pop();
    channels_.release(1, event.time);
    while (const std::optional<std::uint32_t> place = channels_.admit(event.time)) {
      serve(*place, event.time);
    }
    DeviceTimes parts;
    parts[DevicePart::media] = time_of_request(event.payload);
    end(event.payload, event.time, parts);
  }
  return next_event();
}

void TableDevice::register_statistics(StatisticRegistry& registry, const std::string& path) {
  io_queue_.register_statistics(registry, path);
  StatisticGroup(registry, path + ".table")
      .level("busy", "", "share of the device's channels that are busy", channels_.level(),
             channels_.count());
}

void TableDevice::serialize(Archive& archive) {
  archive.section("table device");
  io_queue_.serialize(archive);
  archive(channels_, ends_);
  if (archive.loading()) {
    const auto check_place = each_is_one_of(archive, io_queue_.in_use());
    ends_.each([&](const auto& event) { check_place(event.payload); });
    channels_.each_waiting(check_place);
  }
}

extern const StorageDescriptor kStorage_table;
const StorageDescriptor kStorage_table{
    "table", "a time for each size of operation, in storage.table, on one or more channels",
    make_storage_design<PlainDesign<TableParameters, TableDevice>>};

}  // namespace hmsim
