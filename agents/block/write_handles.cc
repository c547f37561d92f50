// SPDX-License-Identifier: BSD-3-Clause
#include "agents/block/write_handles.h"

#include <limits>
#include <optional>
#include <string_view>

#include "core/random.h"
#include "core/text.h"
#include "core/units.h"
#include "traces/trace_formats.h"

namespace hmsim {

namespace {

constexpr std::int64_t kMostHandle = 65'535;
constexpr std::size_t kMost = 1'024;  // places, and handles of the list
constexpr std::uint64_t kThreadBits = 40;

std::optional<std::uint16_t> handle_of(std::string_view text) {
  const Parsed<std::int64_t> parsed = parse_integer(text);
  return parsed.value && *parsed.value >= 0 && *parsed.value <= kMostHandle
             ? std::optional(static_cast<std::uint16_t>(*parsed.value))
             : std::nullopt;
}

}  // namespace

void HandleKeys::declare(ParameterSet& parameters) {
  parameters.text(
      "handle", handle,
      {"placement handles of the writes, for nvdimm.ftl.placement: by_handle and that of a drive: "
       "a list of HANDLE, FIRST-LAST and HANDLE/START-END. A write that begins in a place of the "
       "device, START-END, has its handle (without END, up to the device's end); the others take "
       "the rest in turn",
       "NVMe 2.1, Flexible Data Placement (TP4146): placement identifier; fio's plids, dp_scheme"});
  parameters.choice(
      "handle_order", order,
      {{"round_robin", HandleOrder::round_robin}, {"random", HandleOrder::random}},
      {"order in which each thread's writes take the listed handles", "fio's plid_select"});
}

std::vector<ParameterError> HandleKeys::check() const {
  const std::string problem = WriteHandles::problem(handle);
  return problem.empty() ? std::vector<ParameterError>()
                         : std::vector{ParameterError{"handle", problem}};
}

WriteHandles::WriteHandles(const HandleKeys& keys, std::uint64_t seed)
    : random_(keys.order == HandleOrder::random), seed_(seed) {
  read(keys.handle);
  if (list_.empty()) {
    list_.push_back(0);
  }
}

std::string WriteHandles::read(std::string_view text) {
  do {
    std::string_view place = cut(text, ',');
    const std::string entry(place);
    std::string_view handles = cut(place, '/');
    const std::optional<std::uint16_t> first = handle_of(cut(handles, '-'));
    const std::optional<std::uint16_t> last = handles.empty() ? first : handle_of(trimmed(handles));
    const bool placed = !place.empty();
    if (!first || !last || *last < *first || (placed && last != first)) {
      return "'" + entry + "' is not HANDLE, FIRST-LAST or HANDLE/START-END, handles 0 to 65535";
    }
    if (!placed) {
      for (std::uint32_t handle = *first; handle <= *last; ++handle) {
        list_.push_back(static_cast<std::uint16_t>(handle));
      }
    } else {
      const Parsed<Bytes> begin = parse_size(cut(place, '-'));
      const Parsed<Bytes> end =
          place.empty() ? Parsed<Bytes>{Bytes(std::numeric_limits<std::int64_t>::max()), ""}
                        : parse_size(place);
      if (!begin.value || !end.value || *begin.value >= *end.value) {
        return "'" + entry + "': must be HANDLE/START-END with sizes, for example 1/16MiB-32MiB";
      }
      places_.push_back({static_cast<std::uint64_t>(begin.value->value()) / kSectorBytes,
                         (static_cast<std::uint64_t>(end.value->value()) - 1) / kSectorBytes + 1,
                         *first});
    }
    if (places_.size() + list_.size() > kMost) {
      return "has more than " + std::to_string(kMost) + " handles and places";
    }
  } while (!text.empty());
  return "";
}

std::uint16_t WriteHandles::of(std::uint64_t sector, std::uint64_t thread,
                               std::uint64_t turn) const {
  for (const Place& place : places_) {
    if (sector >= place.begin && sector < place.end) {
      return place.handle;
    }
  }
  if (list_.size() == 1) {
    return list_.front();
  }
  return list_[(random_ ? mix64(seed_ ^ mix64(thread << kThreadBits | turn)) : turn) %
               list_.size()];
}

}  // namespace hmsim
