// SPDX-License-Identifier: BSD-3-Clause
// A statistical twin: generated records of hmsim's trace format whose figures are those of a
// profile (docs/profiles.md).
//
// A profile tells of each stream (fills, write-backs or non-temporal writes of one memory) how it
// visits pages. A visit is what a stream does in a page before it goes to another. It follows the
// visit before it when it begins on the very next line, else it is a jump: to a page never visited,
// or to one visited so many visits ago. Choices are drawn so that shares so far stay close to those
// wanted. The numbers of accesses in each phase, an interval of the run, hold exactly; gaps between
// visits are stretched for that.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/random.h"

namespace hmsim {

// Cases of numbers from `low` to `high`, of a mean.
struct TwinBin {
  double share = 0;
  std::int64_t low = 0;
  std::int64_t high = 0;
  double mean = 0;
};

// Visits of one class of lengths, in accesses.
struct TwinVisits {
  TwinBin length;
  double whole = 0;  // share of those that go from line to line
  double next = 0;   // of the steps of others, those to the next line
  double first = 0;  // share of those that begin in the page's first line ...
  double last = 0;   // ... and that end in its last
};

inline constexpr std::size_t kSweeps = 8;
inline constexpr std::uint64_t kLongSweep = 4;
inline constexpr std::int64_t kLongVisit = 9;  // accesses

struct TwinStream {
  int kind = 0;  // of record
  bool nvdimm = false;
  bool attached = false;           // to fills, with no gaps of its own
  std::vector<TwinVisits> jumped;  // visits that a jump began
  std::vector<TwinVisits> followed;
  std::vector<TwinVisits> swept;  // those of them that were the kLongSweep-th in a row, or later
  // Shares of visits ending in a page's last line that are followed, by the visits in a row before:
  // 0, 1, 2-3, 4-7 ... kSweeps - 1 stands for all more; of new pages, of others.
  std::array<std::array<double, 2>, kSweeps> follow{};
  std::array<double, 3> kinds{};  // shares of visits: jumped, followed, swept
  double visit = 1;               // mean accesses of a visit
  std::vector<TwinBin> reuse;     // of jumps and follows: visits since the page's last; low 0: none
  std::vector<TwinBin> inside;    // gaps, in instructions, of accesses within a visit
  std::vector<TwinBin> between;   // gaps between visits
  std::vector<TwinBin> skips;     // within a visit: how many lines a step that is not next goes
  // Runs of lines that long visits consist of which do not go from line to line.
  std::vector<TwinBin> pieces;
  std::vector<std::uint64_t> phases;  // accesses in each phase
  std::uint64_t first_page = 0;
  std::uint64_t pages = 0;  // jumps go to no more new ones
};

struct TwinProfile {
  std::int64_t instructions = 0;
  double speed = 1;  // gaps within visits are divided by it
  std::uint64_t seed = 1;
  std::vector<TwinStream> streams;
};

// Draws cases so that, at any time, each came about as often as its share says.
class Quota {
 public:
  Quota() = default;
  explicit Quota(const std::vector<double>& shares);
  // One of the cases that are open, not counted yet; size() when none is open.
  template <class Open>
  std::size_t draw(Random& random, Open open);
  void count(std::size_t number);
  std::size_t size() const { return shares_.size(); }

 private:
  std::vector<std::int64_t> shares_;  // x 2^32
  std::vector<std::int64_t> counts_;
  std::int64_t total_ = 0;
  std::vector<std::int64_t> wanted_;  // scratch
};

// A number of one of some bins, all drawn independently.
class BinDraw {
 public:
  BinDraw() = default;
  explicit BinDraw(std::vector<TwinBin> bins);
  // Leaves the bins of the largest numbers out.
  void keep(std::size_t bins);
  std::size_t kept() const { return ends_.size(); }
  std::int64_t draw(Random& random) const;
  double mean() const { return mean_; }  // of the bins kept
  std::size_t size() const { return bins_.size(); }
  static std::int64_t within(const TwinBin& bin, Random& random);

 private:
  std::vector<TwinBin> bins_;
  std::vector<std::uint64_t> ends_;  // cumulative shares x 2^32
  double mean_ = 0;
};

// Which of the last visits were the last ones of their pages: marks by visit, counted.
class LastVisits {
 public:
  explicit LastVisits(std::size_t size);  // a power of two
  std::size_t size() const { return size_; }
  void set(std::uint64_t visit) { change(visit, 1); }
  void clear(std::uint64_t visit) { change(visit, -1); }
  // Marks of visits low .. high; they span at most size().
  std::uint64_t count(std::uint64_t low, std::uint64_t high) const;
  // The visit of the mark with so many marks before it among visits low .. high.
  std::uint64_t select(std::uint64_t low, std::uint64_t number) const;

 private:
  void change(std::uint64_t visit, std::int32_t by);
  std::uint64_t before(std::size_t place) const;  // marks in places 0 .. place - 1

  std::size_t size_;
  std::vector<std::int32_t> tree_;  // Fenwick's
};

// One stream's accesses, one after the other.
class TwinWalk {
 public:
  TwinWalk(const TwinStream& stream, const TwinProfile& profile, std::uint64_t number);

  bool done() const { return done_; }
  double time() const { return time_; }  // of the access to come
  std::uint64_t line() const { return page_ * kPageLines + line_; }
  std::size_t phase() const { return phase_; }
  void advance();

 private:
  static constexpr std::uint64_t kPageLines = 64;
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};
  static constexpr std::uint64_t kMostPages = std::uint64_t{1} << 22;  // then the first come again

  void step_time(bool inside);
  void begin_phase();
  void begin_visit();
  void enter(std::uint64_t page);
  std::uint64_t find_page(bool at_end);
  bool follows(bool at_end);
  int lacks(std::size_t kind) const;
  void begin_lines();
  void step_line();

  const TwinStream& stream_;
  Random random_;
  double speed_;
  double phase_length_;
  Quota jumped_;
  Quota followed_;
  Quota swept_;
  Quota reuse_;
  BinDraw inside_;
  BinDraw between_;
  BinDraw skips_;
  BinDraw pieces_;

  double time_ = 0;
  std::size_t phase_ = 0;
  std::int64_t left_ = 0;  // accesses of this phase
  bool done_ = false;

  std::uint64_t page_ = 0;
  std::uint64_t line_ = 0;    // within the page
  std::int64_t to_come_ = 0;  // accesses of this visit
  const TwinVisits* visit_ = nullptr;
  bool whole_ = false;
  std::int64_t piece_ = -1;   // steps to come of this run; -1: visits have no such runs
  bool ends_ = false;         // this visit, in the last line
  bool new_ = true;           // the page, at this visit
  std::uint64_t in_row_ = 0;  // visits up to this one that followed one another
  std::uint64_t new_pages_ = 0;
  std::uint64_t next_page_ = 0;     // to be visited for the first time
  std::uint64_t left_out_ = kNone;  // a page before it that was not
  std::uint64_t visits_ = 0;
  std::array<std::uint64_t, 3> kinds_{};   // of them, as TwinStream::kinds
  std::vector<std::uint64_t> last_visit_;  // of each page, from 1; 0: none
  std::vector<std::uint32_t> history_;     // page of each visit, the last 2^k of them
  LastVisits last_visits_;
  std::vector<bool> closed_;  // scratch
};

class Twin {
 public:
  explicit Twin(TwinProfile profile);
  Twin(const Twin&) = delete;  // walks refer to the profile
  Twin& operator=(const Twin&) = delete;

  // About `count` records of 8 bytes, little-endian (docs/trace-format.md); none at the end.
  std::string records(std::size_t count);

 private:
  struct Attached {
    std::size_t walk = 0;
    std::uint64_t credit = 0;
    std::uint64_t left = 0;  // accesses
  };

  void emit(const TwinWalk& walk, const TwinStream& stream, std::int64_t time, std::string& bytes);
  void word(std::uint64_t value, std::string& bytes);
  void follow_fill(std::size_t phase, std::int64_t time, std::string& bytes);

  TwinProfile profile_;
  std::vector<TwinWalk> walks_;
  std::vector<std::size_t> clocked_;
  std::vector<Attached> attached_;
  std::vector<std::uint64_t> fills_;  // in each phase
  std::int64_t time_ = 0;             // of the last record
  bool ended_ = false;
};

}  // namespace hmsim
