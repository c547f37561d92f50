// SPDX-License-Identifier: BSD-3-Clause
#include "storage/page_cache_parameters.h"

#include <cmath>
#include <utility>

#include "policies/policy.h"

namespace hmsim {

void PageCacheParameters::declare(ParameterSet& set) {
  const ParameterSet::Scope scope(set, "cache");
  constexpr std::int64_t kMost = std::int64_t{1} << 40;
  constexpr const char* kSlides = "slides on an extended buffer cache; the size is assumed";
  set.size("first", first, {0, kMost},
           {"page cache in front of the device, in DRAM; 0B: none, direct I/O", kSlides});
  set.size("second", second, {0, kMost},
           {"its second level, on the memory bus, for pages evicted from the first level; 0B: none",
            kSlides});
  set.name_of("replacement", replacement, policy_names(PolicyKind::buffer_replacement),
              {"replacement policy of the first level", "Linux: an approximation of LRU"});
  set.time("hit", hit, {"time of a page of the first level, with all lines at once", "assumed"});
  set.time("line", line,
           {"time of a line between the levels, one after another, at the speed of DRAM",
            "a burst of DDR3-1333"},
           kMillisecond);
  set.real("slow_down", slow_down, 1, 1'000'000, "times DRAM",
           {"slowdown of the second level against DRAM", "slides on an extended buffer cache"});
  set.choice("mover", mover, {{"fixed", Mover::fixed}, {"lines", Mover::lines}},
             {"how a page moves between the levels. fixed: in 64 times `line`, slowed down; lines: "
              "through the memory controller, as lines of the NVDIMM, whose first pages are the "
              "second level",
              "slides on an extended buffer cache: emulated by slowed-down DRAM"});
  set.integer(
      "window", window, {1, 64}, "lines",
      {"mover: lines: outstanding lines of a page that moves", "assumed: load misses of a core"});
  set.integer("read_ahead", read_ahead, {0, 65'536}, "pages",
              {"largest window that is read ahead of sequential reads; 0: none",
               "slides on an extended buffer cache name its impact; Linux 2.6: 32, 128 KiB"});
  set.size(
      "reserve", reserve, {0, kMost},
      {"free part of the first level: pages are written and moved to the second level before a "
       "reader needs their room; 0B: when the reader needs it",
       "Linux: kswapd"});
}

Tick PageCacheParameters::page_time() const {
  return Tick(std::llround(static_cast<double>((line * kLinesPerPage).value()) * slow_down));
}

std::vector<ParameterError> PageCacheParameters::check() const {
  std::vector<ParameterError> errors;
  for (const auto& [name, size] :
       {std::pair("first", first), {"second", second}, {"reserve", reserve}}) {
    if (size % kPageBytes != Bytes(0)) {
      errors.push_back({std::string("storage.cache.") + name,
                        format_size(size) + " is not a multiple of a page, 4KiB; nearest: " +
                            format_size((size + kPageBytes / 2) / kPageBytes * kPageBytes)});
    }
  }
  if (!present() && second > Bytes(0)) {
    errors.push_back({"storage.cache.second", "needs a first level: set storage.cache.first"});
  }
  if (present() && reserve > first / 2) {
    errors.push_back({"storage.cache.reserve",
                      "must be at most half of storage.cache.first, " + format_size(first / 2)});
  }
  if (present() && read_ahead > first_frames() / 2) {
    errors.push_back({"storage.cache.read_ahead", "must be at most half of storage.cache.first, " +
                                                      std::to_string(first_frames() / 2) +
                                                      " pages"});
  }
  if (mover == Mover::lines && second == Bytes(0)) {
    errors.push_back(
        {"storage.cache.mover", "lines need a second level: set storage.cache.second"});
  }
  for (const auto& [name, time] : {std::pair("hit", hit), {"line", line}}) {
    if (time < Tick(1) || time > kMicrosecond * 1000) {
      errors.push_back({std::string("storage.cache.") + name,
                        format_time(time) + " is not between 1ps and 1ms"});
    }
  }
  return errors;
}

}  // namespace hmsim
