// SPDX-License-Identifier: BSD-3-Clause
#include "core/parameters.h"

#include <algorithm>

#include "core/errors.h"
#include "core/units.h"

namespace hmsim {

namespace {

constexpr std::size_t kMostErrors = 20;  // each looks for the nearest of all names

std::string join(const std::vector<std::string>& names, const char* separator) {
  std::string text;
  for (const std::string& name : names) {
    text += text.empty() ? "" : separator;
    text += name;
  }
  return text;
}

std::string show(Range range) {
  return std::to_string(range.low) + " .. " + std::to_string(range.high);
}

std::string outside(std::string_view text, const std::string& range) {
  return in_quotes(text.substr(0, 80)) + " is outside " + range;
}

// Returns a parser that sets `field` to a value of a range, which messages give as `shown`. `word`,
// if there is one, sets it to `special`.
template <class T, class Parse>
std::function<std::string(std::string_view)> in_range(T& field, T low, T high, std::string shown,
                                                      Parse parse, const char* word = nullptr,
                                                      T special = T()) {
  return [&field, low, high, shown = std::move(shown), parse, word,
          special](std::string_view text) -> std::string {
    if (word != nullptr && text == word) {
      field = special;
      return "";
    }
    const Parsed<T> parsed = parse(text);
    if (!parsed.value) {
      return word == nullptr ? parsed.error : parsed.error + "; '" + word + "' is also allowed";
    }
    if (*parsed.value < low || *parsed.value > high) {
      return outside(text, shown);
    }
    field = *parsed.value;
    return "";
  };
}

auto parser(const UnitScale& scale) {
  return [&scale](std::string_view text) { return scale.parse(text); };
}

// Lists all choices and suggests the likeliest. For a long list, gives the nearest ones only.
std::string suggestion(std::string_view text, const std::vector<std::string>& names,
                       const std::string& shown) {
  constexpr std::size_t kMostListed = 24;
  constexpr std::size_t kNearest = 4;
  if (names.size() <= kMostListed) {
    return shown + did_you_mean(text, names);
  }
  const std::vector<std::string> nearest = nearest_names(text, names, kNearest);
  return std::to_string(names.size()) + " names" +
         (nearest.empty() ? "" : "; did you mean one of '" + join(nearest, "', '") + "'?");
}

}  // namespace

ParameterSet::Scope::Scope(ParameterSet& set, std::string_view prefix)
    : set_(set), length_(set.prefix_.size()) {
  set_.prefix_ += prefix;
  set_.prefix_ += '.';
}

ParameterSet::Scope::~Scope() { set_.prefix_.resize(length_); }

void ParameterSet::add(const char* name, const char* type, const char* unit, std::string range,
                       Doc doc, std::function<std::string(std::string_view)> parse,
                       std::function<std::string()> format) {
  Entry entry{
      {prefix_ + name, type, unit, format(), std::move(range), doc.text, doc.source, part_data_},
      std::move(parse),
      std::move(format)};
  entries_.push_back(std::move(entry));
}

void ParameterSet::integer(const char* name, std::int64_t& field, Range range, const char* unit,
                           Doc doc) {
  add(name, "integer", unit, show(range), doc,
      in_range(field, range.low, range.high, show(range), parse_integer),
      [&field] { return std::to_string(field); });
}

void ParameterSet::integer_or(const char* name, std::int64_t& field, Range range, const char* word,
                              std::int64_t special, const char* unit, Doc doc) {
  add(name, "integer", unit, std::string(word) + " | " + show(range), doc,
      in_range(field, range.low, range.high, show(range), parse_integer, word, special),
      [&field, word, special] {
        return field == special ? std::string(word) : std::to_string(field);
      });
}

void ParameterSet::quantity(const char* name, std::int64_t& field, Range range,
                            const UnitScale& scale, Doc doc) {
  const std::string shown = scale.format(range.low) + " .. " + scale.format(range.high);
  add(name, scale.quantity(), "", shown, doc,
      in_range(field, range.low, range.high, shown, parser(scale)),
      [&field, &scale] { return scale.format(field); });
}

void ParameterSet::quantity_or(const char* name, std::int64_t& field, Range range,
                               const UnitScale& scale, const char* word, std::int64_t special,
                               Doc doc) {
  const std::string shown = scale.format(range.low) + " .. " + scale.format(range.high);
  add(name, scale.quantity(), "", std::string(word) + " | " + shown, doc,
      in_range(field, range.low, range.high, shown, parser(scale), word, special),
      [&field, &scale, word, special] {
        return field == special ? std::string(word) : scale.format(field);
      });
}

void ParameterSet::time(const char* name, Tick& field, Doc doc, Tick longest) {
  const std::string shown = format_time(Tick(0)) + " .. " + format_time(longest);
  add(name, "time", "", shown, doc, in_range(field, Tick(0), longest, shown, parse_time),
      [&field] { return format_time(field); });
}

void ParameterSet::size(const char* name, Bytes& field, Range range, Doc doc) {
  const Bytes low(range.low);
  const Bytes high(range.high);
  const std::string shown = format_size(low) + " .. " + format_size(high);
  add(name, "size", "", shown, doc, in_range(field, low, high, shown, parse_size),
      [&field] { return format_size(field); });
}

void ParameterSet::real(const char* name, double& field, double low, double high, const char* unit,
                        Doc doc) {
  const std::string shown = format_real(low) + " .. " + format_real(high);
  add(name, "real", unit, shown, doc, in_range(field, low, high, shown, parse_real),
      [&field] { return format_real(field); });
}

void ParameterSet::boolean(const char* name, bool& field, Doc doc) {
  add(
      name, "boolean", "", "true | false", doc,
      [&field](std::string_view text) -> std::string {
        const auto parsed = parse_boolean(text);
        field = parsed.value.value_or(field);
        return parsed.error;
      },
      [&field] { return std::string(field ? "true" : "false"); });
}

void ParameterSet::text(const char* name, std::string& field, Doc doc) {
  add(
      name, "text", "", "", doc,
      [&field](std::string_view text) -> std::string {
        field = std::string(text);
        return "";
      },
      [&field] { return field; });
}

void ParameterSet::name_of(const char* name, std::string& field,
                           const std::vector<std::string>& names, Doc doc) {
  const Names shared = std::make_shared<const std::vector<std::string>>(names);
  choice_by_index(
      name, shared, [&field, shared](std::size_t index) { field = (*shared)[index]; },
      [&field, shared] {
        const auto found = std::find(shared->begin(), shared->end(), field);
        return static_cast<std::size_t>(found - shared->begin());  // size() if not set yet
      },
      doc);
}

void ParameterSet::choice_by_index(const char* name, const Names& names,
                                   std::function<void(std::size_t)> set,
                                   std::function<std::size_t()> get, Doc doc) {
  const std::string shown = join(*names, " | ");
  add(
      name, "choice", "", shown, doc,
      [names, shown, set = std::move(set)](std::string_view text) -> std::string {
        const auto found = std::find(names->begin(), names->end(), text);
        if (found == names->end()) {
          return in_quotes(text.substr(0, 80)) + " is not one of " +
                 suggestion(text, *names, shown);
        }
        set(static_cast<std::size_t>(found - names->begin()));
        return "";
      },
      [names, get = std::move(get)] {
        const std::size_t index = get();
        return index < names->size() ? (*names)[index] : std::string();
      });
}

std::vector<ParameterError> ParameterSet::apply(const Assignments& assignments) {
  std::vector<ParameterError> errors;
  apply(assignments, true, errors);
  apply(assignments, false, errors);
  return errors;
}

void ParameterSet::apply(const Assignments& assignments, bool presets,
                         std::vector<ParameterError>& errors) {
  for (const auto& [name, text] : assignments) {
    if (errors.size() == kMostErrors) {
      return;
    }
    const auto found =
        std::find_if(entries_.begin(), entries_.end(),
                     [&wanted = name](const Entry& e) { return e.info.name == wanted; });
    if (found == entries_.end()) {
      if (presets) {
        continue;
      }
      errors.push_back({name, "unknown parameter" + did_you_mean(name, names())});
      continue;
    }
    if (found->preset != presets) {
      continue;
    }
    const std::string problem = found->parse(text);
    if (!problem.empty()) {
      errors.push_back({name, problem});
    }
  }
}

Assignments ParameterSet::values() const {
  Assignments values;
  for (const Entry& entry : entries_) {
    values.emplace_back(entry.info.name, entry.format());
  }
  return values;
}

std::vector<ParameterInfo> ParameterSet::describe() const {
  std::vector<ParameterInfo> infos;
  for (const Entry& entry : entries_) {
    infos.push_back(entry.info);
  }
  return infos;
}

std::vector<std::string> ParameterSet::names() const {
  std::vector<std::string> names;
  for (const Entry& entry : entries_) {
    names.push_back(entry.info.name);
  }
  return names;
}

void append(std::vector<ParameterError>& errors, std::vector<ParameterError> more,
            const std::string& prefix) {
  for (ParameterError& error : more) {
    errors.push_back({prefix + error.name, std::move(error.message)});
  }
}

std::string join_errors(const std::vector<ParameterError>& errors) {
  std::string text;
  for (const ParameterError& error : errors) {
    text += text.empty() ? "" : "\n";
    text += error.name + ": " + error.message;
  }
  return text;
}

}  // namespace hmsim
