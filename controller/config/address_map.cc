// SPDX-License-Identifier: BSD-3-Clause
#include "controller/config/address_map.h"

#include <algorithm>
#include <vector>

#include "core/errors.h"

namespace hmsim {

namespace {

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

std::string AddressMap::check(const SystemConfig& config) {
  if (AddressMasks::describe(config)) {
    return AddressMasks::check(config);
  }
  const DramOrganisation& part = config.dram.organisation;
  std::vector<std::string> known(kNames.begin(), kNames.end());
  std::vector<std::string> fields = split_fields(config.controller.address_map);
  for (const std::string& name : fields) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      known.emplace_back(AddressMasks::kMop4clxor);
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
      hash_channels_(config.controller.channel_hash == ChannelHash::exclusive_or),
      split_(config.controller.channels),
      lines_cut_(split_.power_of_two() && !hash_channels_ && config.nodes == 1 &&
                 !AddressMasks::describe(config)),
      pages_cut_(split_.power_of_two() && config.nodes == 1),
      plain_(lines_cut_ && !hash_banks_),
      group_shift_(log2_of(config.dram.organisation.banks_per_group())),
      bank_mask_(config.dram.organisation.banks - 1),
      interleave_(config.population, config.nvdimms()),
      several_(config.nvdimm.present && config.population.count > 1),
      nvdimm_capacity_(config.nvdimm_capacity()),
      nodes_(config.nodes),
      lines_of_node_(config.dram_capacity() / kLineBytes / config.nodes),
      nvdimm_pages_of_node_(nvdimm_capacity_ / kPageBytes / config.nodes),
      masks_(config) {
  const std::array<std::int64_t, kFields> sizes{config.dram.organisation.rows,
                                                config.dram.organisation.banks_per_group(),
                                                config.dram.ranks,
                                                config.dram.organisation.columns,
                                                std::int64_t{1} << split_.bits(),
                                                config.dram.organisation.groups};
  std::vector<std::string> fields =
      split_fields(masks_.empty() ? config.controller.address_map : AddressMasks::kFields);
  int shift = 0;
  for (auto name = fields.rbegin(); name != fields.rend(); ++name) {
    const auto which =
        static_cast<std::size_t>(std::find(kNames.begin(), kNames.end(), *name) - kNames.begin());
    slices_[which] = {shift, sizes[which] - 1};
    shift += log2_of(sizes[which]);
  }
}

std::int64_t AddressMap::arranged(std::int64_t line) const {
  const int shift = slices_[kChannel].shift;
  const std::int64_t own = masks_.mapped(nodes_ == 1 ? line : line % lines_of_node_);
  const ChannelSplit::Place place = place_of_line(own);
  return (place.unit << split_.bits() | place.channel) << shift |
         (own & ((std::int64_t{1} << shift) - 1));
}

std::int64_t AddressMap::hashed(std::int64_t line) const {
  line = arranged(line);
  if (hash_banks_) {
    const std::int64_t low = field(line, kRow) & bank_mask_;
    line ^= (low >> group_shift_) << slices_[kGroup].shift;
    line ^= (low & slices_[kBank].mask) << slices_[kBank].shift;
  }
  return line;
}

}  // namespace hmsim
