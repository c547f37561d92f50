// SPDX-License-Identifier: BSD-3-Clause
// Parameters, each declared once. A component binds each field of its parameter struct to a dotted
// name, a unit, a range, a line of documentation and a source. The field's initial value is the
// default. Checking, listing, YAML, --set, Python and gem5 all use these declarations.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/types.h"
#include "core/units.h"

namespace hmsim {

// One (dotted name, text) pair as given by the user.
using Assignment = std::pair<std::string, std::string>;
using Assignments = std::vector<Assignment>;

// Error in one assignment.
struct ParameterError {
  std::string name;     // dotted name as given
  std::string message;  // what is wrong, and the nearest valid choice
};

// Contents of one declaration, for listings and reference pages.
struct ParameterInfo {
  std::string name;
  std::string
      type;  // integer, time, size, rate, frequency, voltage, current, boolean, real, choice, text
  std::string unit;     // of a number without a unit: "", "cycles", "entries", ...
  std::string initial;  // default, formatted as a user would write it
  std::string range;    // "1 .. 4096", "a | b | c", or ""
  std::string doc;
  std::string source;  // "the paper, Table III", "JESD79-3F table 65", ...
  bool of_part;        // describes a part; presets and shipped configurations usually set it
};

// Valid values of a number; both limits are included.
struct Range {
  std::int64_t low;
  std::int64_t high;
};

// Documentation of a parameter, and the source of its default.
struct Doc {
  const char* text;
  const char* source = "";
};

inline constexpr std::int64_t kFromPreset = -1;  // value of an integer that the preset supplies

// Declarations of parameters, each bound to a field.
class ParameterSet {
 public:
  // While a scope is open, declared names start with "prefix.".
  class Scope {
   public:
    Scope(ParameterSet& set, std::string_view prefix);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    ParameterSet& set_;
    std::size_t length_;
  };

  // While it is open, declared parameters describe a part (ParameterInfo::of_part).
  class PartData {
   public:
    explicit PartData(ParameterSet& set) : set_(set), outer_(std::exchange(set.part_data_, true)) {}
    ~PartData() { set_.part_data_ = outer_; }
    PartData(const PartData&) = delete;
    PartData& operator=(const PartData&) = delete;

   private:
    ParameterSet& set_;
    bool outer_;
  };

  // The bound fields must outlive the set.
  void integer(const char* name, std::int64_t& field, Range range, const char* unit, Doc doc);
  // As integer(); the text `word` stands for the value `special` (e.g. "preset" for kFromPreset).
  void integer_or(const char* name, std::int64_t& field, Range range, const char* word,
                  std::int64_t special, const char* unit, Doc doc);
  // "52ns", "3us", "0s": from 0 to `longest`. The limit keeps a mistyped time from stalling a run.
  void time(const char* name, Tick& field, Doc doc, Tick longest = kSecond);
  void size(const char* name, Bytes& field, Range range, Doc doc);  // "4MiB", "64B"
  // "200MT/s": transfers per second, from 1MT/s to 1000GT/s.
  void rate(const char* name, std::int64_t& field, Doc doc) {
    quantity(name, field, {kMillion, kMillion * kMillion}, kTransferRates, doc);
  }
  // "10Gb/s": bits per second, from 1Mb/s to 1Tb/s.
  void bit_rate(const char* name, std::int64_t& field, Doc doc) {
    quantity(name, field, {kMillion, kMillion * kMillion}, kBitRates, doc);
  }
  // "2GHz": hertz, from 1MHz to 10GHz.
  void frequency(const char* name, std::int64_t& field, Doc doc) {
    quantity(name, field, {kMillion, 10'000 * kMillion}, kFrequencies, doc);
  }
  // "1.35V", "55mA", stored in the smallest unit of the scale. `word` as in integer_or().
  void quantity_or(const char* name, std::int64_t& field, Range range, const UnitScale& scale,
                   const char* word, std::int64_t special, Doc doc);
  void real(const char* name, double& field, double low, double high, const char* unit, Doc doc);
  void boolean(const char* name, bool& field, Doc doc);
  void text(const char* name, std::string& field, Doc doc);
  // One of `names`.
  void name_of(const char* name, std::string& field, const std::vector<std::string>& names,
               Doc doc);
  template <class E>
  void choice(const char* name, E& field, std::vector<std::pair<const char*, E>> values, Doc doc) {
    std::vector<std::string> names;
    for (const auto& value : values) {
      names.emplace_back(value.first);
    }
    choice_by_index(
        name, std::make_shared<const std::vector<std::string>>(std::move(names)),
        [&field, values](std::size_t index) { field = values[index].second; },
        [&field, values] {
          for (std::size_t i = 0; i < values.size(); ++i) {
            if (values[i].second == field) {
              return i;
            }
          }
          return std::size_t{0};
        },
        doc);
  }

  // As choice(). Setting it calls select(), which sets other fields of this set. Explicit
  // assignments to those fields take precedence, whether they come before or after it.
  template <class E, class Select>
  void preset(const char* name, E& field, std::vector<std::pair<const char*, E>> values,
              Select select, Doc doc) {
    choice(name, field, std::move(values), doc);
    Entry& entry = entries_.back();
    entry.preset = true;
    entry.parse = [&field, select, parse = entry.parse](std::string_view text) {
      std::string problem = parse(text);
      if (problem.empty()) {
        select(field);
      }
      return problem;
    };
  }

  // Sets every field named in `assignments`; later assignments win. Returns the first 20 errors.
  // The error for an undeclared name suggests the nearest declared one.
  std::vector<ParameterError> apply(const Assignments& assignments);

  // Returns names and current values in declaration order, formatted so that apply() accepts them.
  Assignments values() const;
  std::vector<ParameterInfo> describe() const;
  std::vector<std::string> names() const;

 private:
  using Names = std::shared_ptr<const std::vector<std::string>>;
  struct Entry {
    ParameterInfo info;
    std::function<std::string(std::string_view)> parse;  // returns an error message, or ""
    std::function<std::string()> format;
    bool preset = false;
  };

  static constexpr std::int64_t kMillion = 1'000'000;
  void quantity(const char* name, std::int64_t& field, Range range, const UnitScale& scale,
                Doc doc);
  void add(const char* name, const char* type, const char* unit, std::string range, Doc doc,
           std::function<std::string(std::string_view)> parse, std::function<std::string()> format);
  void choice_by_index(const char* name, const Names& names, std::function<void(std::size_t)> set,
                       std::function<std::size_t()> get, Doc doc);

  void apply(const Assignments& assignments, bool presets, std::vector<ParameterError>& errors);

  std::string prefix_;
  bool part_data_ = false;
  std::vector<Entry> entries_;
};

// Appends errors, with `prefix` before their names.
void append(std::vector<ParameterError>& errors, std::vector<ParameterError> more,
            const std::string& prefix = "");

// Joins errors into one message for an exception: "2 errors: a: ...; b: ...".
std::string join_errors(const std::vector<ParameterError>& errors);

}  // namespace hmsim
