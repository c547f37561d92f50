// SPDX-License-Identifier: BSD-3-Clause
#include "policies/monitors/performance_table.h"

#include <algorithm>
#include <charconv>

#include "core/errors.h"

namespace hmsim {

namespace {

constexpr std::int64_t kFastest = 1'000'000'000;  // requests per millisecond; far above any memory
constexpr std::string_view kVersion = "1";

class Words {
 public:
  explicit Words(std::string_view text) : rest_(text) {}
  std::string_view next() {
    constexpr const char* kSpace = " \t\r\n";
    const std::size_t start = std::min(rest_.find_first_not_of(kSpace), rest_.size());
    rest_.remove_prefix(start);
    const std::size_t length = std::min(rest_.find_first_of(kSpace), rest_.size());
    const std::string_view word = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return word;
  }

 private:
  std::string_view rest_;
};

std::string shown(std::string_view word) {
  constexpr std::size_t kLongest = 20;
  return word.empty() ? "its end" : in_quotes(word.substr(0, kLongest));
}

std::string expect(Words& words, std::string_view wanted) {
  const std::string_view word = words.next();
  return word == wanted ? "" : "expected '" + std::string(wanted) + "', found " + shown(word);
}

template <std::size_t N>
std::string parse_rates(Words& words, const char* name, std::array<std::int64_t, N>& rates) {
  for (std::size_t i = 0; i < N; ++i) {
    const std::string_view word = words.next();
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), rates[i]);
    if (error != std::errc() || end != word.data() + word.size() || rates[i] < 0 ||
        rates[i] > kFastest) {
      return std::string("rate ") + std::to_string(i) + " of " + std::to_string(N) + " of " + name +
             ": expected a number from 0 to " + std::to_string(kFastest) + ", found " + shown(word);
    }
  }
  const bool any = *std::max_element(rates.begin(), rates.end()) > 0;
  return any ? "" : std::string("no rate of ") + name + " is above 0";
}

std::string parse(std::string_view text, std::array<std::int64_t, kDramCells>& dram,
                  std::array<std::int64_t, kNvdimmCells>& nvdimm) {
  Words words(text);
  for (const std::string_view wanted : {std::string_view("version"), kVersion}) {
    if (std::string wrong = expect(words, wanted); !wrong.empty()) {
      return wrong;
    }
  }
  std::string wrong = expect(words, "dram");
  wrong = wrong.empty() ? parse_rates(words, "dram", dram) : wrong;
  wrong = wrong.empty() ? expect(words, "nvdimm") : wrong;
  wrong = wrong.empty() ? parse_rates(words, "nvdimm", nvdimm) : wrong;
  if (wrong.empty()) {
    const std::string_view more = words.next();
    wrong = more.empty() ? "" : "expected its end, found " + shown(more);
  }
  return wrong;
}

// Appends a digit to a mixed-radix cell index; the new bin varies fastest.
template <std::size_t N>
std::size_t append(std::size_t cell, std::int64_t value,
                   const std::array<std::int64_t, N>& bounds) {
  return cell * N + static_cast<std::size_t>(bin_of(value, bounds));
}

}  // namespace

std::size_t PerformanceTable::cell(const DramPattern& pattern) {
  std::size_t cell = append(0, pattern.stride(), kStrideBins);
  cell = append(cell, pattern.reuse(), kReuseBins);
  return cell * kDepthBins.size();
}

std::size_t PerformanceTable::cell(const NvdimmPattern& pattern) {
  std::size_t cell = append(0, pattern.write_ratio(), kWriteRatioBins);
  cell = append(cell, pattern.write_randomness(), kRandomnessBins);
  cell = append(cell, pattern.read_randomness(), kRandomnessBins);
  return cell * kDepthBins.size();
}

std::string PerformanceTable::check(std::string_view text) {
  std::array<std::int64_t, kDramCells> dram{};
  std::array<std::int64_t, kNvdimmCells> nvdimm{};
  return parse(text, dram, nvdimm);
}

void PerformanceTable::read(std::string_view text) {
  std::array<std::int64_t, kDramCells> dram{};
  std::array<std::int64_t, kNvdimmCells> nvdimm{};
  parse(text, dram, nvdimm);
  dram_.set(dram);
  nvdimm_.set(nvdimm);
}

template <std::size_t N>
void PerformanceTable::Class<N>::set(const std::array<std::int64_t, N>& rates) {
  const std::int64_t largest = *std::max_element(rates.begin(), rates.end());
  for (std::size_t i = 0; i < N; ++i) {
    share[i] = static_cast<std::int32_t>(rates[i] * kWhole / largest);
    stage[i] = static_cast<std::uint8_t>(
        std::min<std::int64_t>(rates[i] * kStages / largest, kStages - 1));
  }
}

}  // namespace hmsim
