// SPDX-License-Identifier: BSD-3-Clause
// Presets as tables: the row that the user names supplies the values of other parameters.
#pragma once

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "core/parameters.h"

namespace hmsim {

template <class E, class Values>
struct PresetRow {
  E kind;
  const char* name;
  Values values;
};

// Returns whether the rows, each with a `kind` and a `name`, are in the order of their kinds
// without gaps.
template <class Row, std::size_t kRows>
constexpr bool in_order(const std::array<Row, kRows>& rows) {
  for (std::size_t i = 0; i < kRows; ++i) {
    if (static_cast<std::size_t>(rows[i].kind) != i) {
      return false;
    }
  }
  return true;
}

template <class E, class Row, std::size_t kRows>
constexpr const Row& row_of(const std::array<Row, kRows>& rows, E kind) {
  return rows[static_cast<std::size_t>(kind)];
}

// Declares `field` as a preset whose choices are the names of the rows. fill(row) sets the other
// parameters. The rows must outlive the set.
template <class E, class Row, std::size_t kRows, class Fill>
void declare_preset(ParameterSet& set, const char* name, E& field,
                    const std::array<Row, kRows>& rows, Fill fill, Doc doc) {
  std::vector<std::pair<const char*, E>> values;
  for (const Row& row : rows) {
    values.emplace_back(row.name, row.kind);
  }
  set.preset(
      name, field, std::move(values), [&rows, fill](E kind) { fill(row_of(rows, kind)); }, doc);
}

}  // namespace hmsim
