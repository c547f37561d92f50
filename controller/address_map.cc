// SPDX-License-Identifier: BSD-3-Clause
#include "controller/address_map.h"

#include <algorithm>
#include <vector>

#include "core/errors.h"

namespace hmsim {

namespace {

int log2_of(std::int64_t power_of_two) {
  int bits = 0;
  while ((std::int64_t{1} << bits) < power_of_two) {
    ++bits;
  }
  return bits;
}

std::vector<std::string> split_fields(const std::string& text) {
  std::vector<std::string> fields(1);
  for (const char c : text) {
    if (c == '|') {
      fields.emplace_back();
    } else if (c != ' ') {
      fields.back() += c;
    }
  }
  return fields;
}

}  // namespace

std::string AddressMap::default_map(const DramOrganisation& part, bool own_buses) {
  if (own_buses && part.groups > 1) {
    return "row|bank|column|rank|group|channel";
  }
  return part.groups > 1 ? "row|bank|rank|column|group|channel" : "row|bank|rank|column|channel";
}

std::string AddressMap::check(const std::string& text, const DramOrganisation& part) {
  const std::vector<std::string> known(kNames.begin(), kNames.end());
  std::vector<std::string> fields = split_fields(text);
  for (const std::string& name : fields) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      const std::string nearest = nearest_name(name, known);
      return "'" + name + "' is not a field" +
             (nearest.empty() ? "" : "; did you mean '" + nearest + "'?");
    }
  }
  for (const std::string& name : known) {
    const auto count = std::count(fields.begin(), fields.end(), name);
    if (name == kNames[kGroup] && part.groups == 1) {
      if (count != 0) {
        return "field '" + name + "' is not allowed: the part has no bank groups";
      }
    } else if (count != 1) {
      return "field '" + name + "' must occur exactly once" +
             (name == kNames[kGroup] ? ": the part has " + std::to_string(part.groups) +
                                           " bank groups; for example '" + default_map(part) + "'"
                                     : "");
    }
  }
  return "";
}

AddressMap::AddressMap(const SystemConfig& config)
    : hash_banks_(config.controller.bank_hash == BankHash::exclusive_or),
      channel_bits_(log2_of(config.controller.channels)),
      channel_mask_(config.controller.channels - 1),
      group_shift_(log2_of(config.dram.organisation.banks_per_group())),
      bank_mask_(config.dram.organisation.banks - 1),
      interleave_(config.population, config.nvdimms()),
      several_(config.nvdimm.present && config.population.count > 1),
      nvdimm_capacity_(config.nvdimm_capacity()),
      nodes_(config.nodes),
      lines_of_node_(config.dram_capacity() / kLineBytes / config.nodes),
      nvdimm_of_node_(nvdimm_capacity_.value() / config.nodes) {
  const std::array<std::int64_t, kFields> sizes{config.dram.organisation.rows,
                                                config.dram.organisation.banks_per_group(),
                                                config.dram.ranks,
                                                config.dram.organisation.columns,
                                                config.controller.channels,
                                                config.dram.organisation.groups};
  std::vector<std::string> fields = split_fields(config.controller.address_map);
  int shift = 0;
  for (auto name = fields.rbegin(); name != fields.rend(); ++name) {
    const auto which =
        static_cast<std::size_t>(std::find(kNames.begin(), kNames.end(), *name) - kNames.begin());
    slices_[which] = {shift, sizes[which] - 1};
    shift += log2_of(sizes[which]);
  }
}

}  // namespace hmsim
