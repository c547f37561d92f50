// SPDX-License-Identifier: BSD-3-Clause
#include "controller/config/nvdimm_population.h"

#include <algorithm>
#include <string_view>

#include "core/errors.h"
#include "core/text.h"
#include "core/units.h"
#include "nvdimm/design.h"

namespace hmsim {

namespace {

constexpr std::string_view kPrefix = "nvdimm.";
constexpr const char* kDevices = "nvdimm.devices";

// Parses "key=value, key=value" and adds the prefix "nvdimm." to each key.
Assignments parse_keys(std::string_view text) {
  Assignments keys;
  while (!text.empty()) {
    std::string_view value = cut(text, ',');
    const std::string_view key = cut(value, '=');
    keys.emplace_back(std::string(kPrefix) + std::string(key), std::string(trimmed(value)));
  }
  return keys;
}

// Returns whether a key depends on the other modules or on the channel, so that a single device
// cannot set it.
bool is_of_all(const std::string& name) {
  return name == "nvdimm.present" || name == "nvdimm.access" ||
         name == "nvdimm.precondition.load" || name == "nvdimm.precondition.buffer" ||
         name == "nvdimm.precondition.resident";
}

void set_keys(NvdimmParameters& module, std::int64_t number, std::string_view text,
              std::vector<ParameterError>& errors) {
  ParameterSet parameters;
  module.declare(parameters);
  const Assignments keys = parse_keys(text);
  const auto add = [&](const std::string& name, const std::string& message) {
    const bool has_prefix = name.compare(0, kPrefix.size(), kPrefix) == 0;
    errors.push_back({kDevices, "device " + std::to_string(number) + ": " +
                                    (has_prefix ? name.substr(kPrefix.size()) : name) + ": " +
                                    message});
  };
  for (const ParameterError& error : parameters.apply(keys)) {
    add(error.name, error.message);
  }
  for (const auto& [name, value] : keys) {
    if (is_of_all(name)) {
      add(name, "applies to all NVDIMMs of a channel: must be set in nvdimm");
    }
  }
}

}  // namespace

void NvdimmPopulation::declare(ParameterSet& parameters) {
  const ParameterSet::Scope scope(parameters, "nvdimm");
  parameters.integer(
      "count", count, {1, kMostNvdimms}, "NVDIMMs",
      {"NVDIMMs on each channel, which share its queues and its arbiter", "assumed"});
  parameters.choice(
      "interleave", interleave,
      {{"page", Interleave::page}, {"range", Interleave::range}, {"device", Interleave::device}},
      {"contiguous addresses on one NVDIMM of a channel before the next NVDIMM follows: a page of "
       "4 KiB, interleave_size, or the whole device",
       "assumed"});
  parameters.size("interleave_size", interleave_size, {kPageBytes.value(), std::int64_t{1} << 40},
                  {"contiguous addresses on one NVDIMM, with interleave: range", "assumed"});
  parameters.text(
      "devices", devices,
      {"keys of the NVDIMMs of a channel that differ from its first one, which has number 0: the "
       "number, a colon, keys of nvdimm; '1: kind=pcm, capacity=8GiB; 2: nand.read_time=3us'",
       ""});
}

std::vector<NvdimmParameters> NvdimmPopulation::modules(const NvdimmParameters& first,
                                                        std::vector<ParameterError>& errors) const {
  std::vector<NvdimmParameters> all(static_cast<std::size_t>(count), first);
  std::vector<bool> told(all.size(), false);
  std::string_view rest = devices;
  while (!trimmed(rest).empty()) {
    std::string_view text = cut(rest, ';');
    const std::string number(cut(text, ':'));
    const Parsed<std::int64_t> parsed = parse_integer(number);
    if (!parsed.value || *parsed.value < 1 || *parsed.value >= count) {
      errors.push_back(
          {kDevices, in_quotes(number.substr(0, 80)) + " is not a number of a device" +
                         (count > 1 ? ": must be between 1 and " + std::to_string(count - 1) +
                                          "; the first one's keys are those of nvdimm"
                                    : ": nvdimm.count is 1")});
      continue;
    }
    const auto index = static_cast<std::size_t>(*parsed.value);
    if (told[index]) {
      errors.push_back({kDevices, "device " + number + " is given twice"});
    }
    told[index] = true;
    set_keys(all[index], *parsed.value, text, errors);
  }
  return all;
}

std::int64_t logical_pages(const NvdimmParameters& module) {
  return design_of(module.kind).logical_capacity(module) / kPageBytes;
}

NvdimmInterleave::NvdimmInterleave(const NvdimmPopulation& population,
                                   const std::vector<NvdimmParameters>& modules)
    : devices_(static_cast<std::int64_t>(modules.size())) {
  std::int64_t end = 0;
  for (const NvdimmParameters& module : modules) {
    end += logical_pages(module);
    ends_.push_back(end);
  }
  if (devices_ > 1 && population.interleave != Interleave::device) {
    chunk_ =
        population.interleave == Interleave::page ? 1 : population.interleave_size / kPageBytes;
  }
}

void check_interleave(const NvdimmPopulation& population,
                      const std::vector<NvdimmParameters>& modules,
                      std::vector<ParameterError>& errors) {
  const std::int64_t pages = logical_pages(modules.front());
  if (modules.size() == 1 || population.interleave == Interleave::device) {
    return;
  }
  for (const NvdimmParameters& module : modules) {
    if (logical_pages(module) != pages) {
      errors.push_back(
          {"nvdimm.interleave", "the NVDIMMs of a channel have " + format_size(pages * kPageBytes) +
                                    " and " + format_size(logical_pages(module) * kPageBytes) +
                                    " for the host: must be 'device' for unequal sizes"});
      return;
    }
  }
  if (population.interleave != Interleave::range) {
    return;
  }
  const std::int64_t size = population.interleave_size / kPageBytes;
  if (population.interleave_size % kPageBytes != Bytes(0) || pages % size != 0) {
    std::int64_t fits = std::min(size, pages);
    while (pages % fits != 0) {
      --fits;
    }
    errors.push_back(
        {"nvdimm.interleave_size",
         "must divide the " + format_size(pages * kPageBytes) +
             " that an NVDIMM has for the host; nearest: " + format_size(fits * kPageBytes)});
  }
}

}  // namespace hmsim
