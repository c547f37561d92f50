// SPDX-License-Identifier: BSD-3-Clause
#include "controller/address_map.h"

#include <algorithm>
#include <vector>

#include "core/errors.h"

namespace hmsim {

namespace {

constexpr int kPageBits = 12;

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

std::string AddressMap::check(const std::string& text) {
  const std::vector<std::string> known(kNames.begin(), kNames.end());
  std::vector<std::string> fields = split_fields(text);
  for (const std::string& name : fields) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      const std::string nearest = nearest_name(name, known);
      return "'" + name + "' is no field" +
             (nearest.empty() ? "" : "; did you mean '" + nearest + "'?");
    }
  }
  for (const std::string& name : known) {
    if (std::count(fields.begin(), fields.end(), name) != 1) {
      return "field '" + name + "' must stand exactly once";
    }
  }
  return "";
}

AddressMap::AddressMap(const SystemConfig& config)
    : hash_banks_(config.controller.bank_hash == BankHash::exclusive_or),
      channel_bits_(log2_of(config.controller.channels)) {
  const std::array<std::int64_t, kFields> sizes{
      config.dram.organisation.rows, config.dram.organisation.banks, config.dram.ranks,
      config.dram.organisation.columns, config.controller.channels};
  std::vector<std::string> fields = split_fields(config.controller.address_map);
  int shift = 0;
  for (auto name = fields.rbegin(); name != fields.rend(); ++name) {
    const auto which =
        static_cast<std::size_t>(std::find(kNames.begin(), kNames.end(), *name) - kNames.begin());
    slices_[which] = {shift, sizes[which] - 1};
    shift += log2_of(sizes[which]);
  }
}

DramPlace AddressMap::dram(Address address) const {
  const std::int64_t line = address.value() >> kLineBits;
  DramPlace place{static_cast<int>(field(line, kChannel)), static_cast<int>(field(line, kRank)),
                  static_cast<int>(field(line, kBank)), field(line, kRow),
                  static_cast<int>(field(line, kColumn))};
  if (hash_banks_) {
    place.bank ^= static_cast<int>(place.row & slices_[kBank].mask);
  }
  return place;
}

NvdimmPlace AddressMap::nvdimm(Address address) const {
  const std::int64_t page = address.value() >> kPageBits;
  const std::int64_t offset = address.value() & ((std::int64_t{1} << kPageBits) - 1);
  return {static_cast<int>(page & ((std::int64_t{1} << channel_bits_) - 1)),
          Address(((page >> channel_bits_) << kPageBits) | offset)};
}

}  // namespace hmsim
