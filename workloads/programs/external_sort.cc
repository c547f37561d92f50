// SPDX-License-Identifier: BSD-3-Clause
//
// Sorts a file that is larger than memory. Makes sorted runs of as many records as memory holds,
// each written to a separate file and made durable (fdatasync), then merges all of them at once. A
// record has 100 bytes, of which the first ten are its key. All I/O is in blocks of 16 KiB.
//
//   g++ -std=c++17 -O2 -o external_sort external_sort.cc
//   external_sort RECORDS MEMORY_KIB FOLDER
//
// First makes the input in FOLDER, which depends on RECORDS only. Prints the number of runs and a
// sum over the output's records and their places, and checks that they ascend. A marker `xchg
// %bx,%bx` (the start of a region of interest) follows the making of the input, and another one
// follows the merge.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <queue>
#include <string>
#include <utility>
#include <vector>

namespace {

constexpr std::size_t kKey = 10;
constexpr std::size_t kBlock = 16 << 10;

using Record = std::array<char, 100>;

bool before(const Record& a, const Record& b) { return std::memcmp(a.data(), b.data(), kKey) < 0; }

void marker() { __asm__ volatile("xchg %bx,%bx"); }

[[noreturn]] void fail(const std::string& what) {
  std::perror(what.c_str());
  std::exit(1);
}

// A file read or written sequentially through a buffer of one block.
class File {
 public:
  File(const std::string& path, int flags) : file_(open(path.c_str(), flags, 0600)) {
    if (file_ < 0) {
      fail(path);
    }
    buffer_.reserve(kBlock);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() { close(file_); }

  void put(const Record& record) {
    for (const char byte : record) {
      buffer_.push_back(byte);
      if (buffer_.size() == kBlock) {
        flush();
      }
    }
  }
  void finish() {
    flush();
    if (fdatasync(file_) != 0) {
      fail("fdatasync");
    }
  }
  bool get(Record& record) {
    for (char& byte : record) {
      if (next_ == buffer_.size() && !fill()) {
        return false;
      }
      byte = buffer_[next_++];
    }
    return true;
  }

 private:
  void flush() {
    if (write(file_, buffer_.data(), buffer_.size()) != static_cast<ssize_t>(buffer_.size())) {
      fail("write");
    }
    buffer_.clear();
  }
  bool fill() {
    buffer_.resize(kBlock);
    const ssize_t count = read(file_, buffer_.data(), kBlock);
    if (count < 0) {
      fail("read");
    }
    buffer_.resize(static_cast<std::size_t>(count));
    next_ = 0;
    return count > 0;
  }

  int file_;
  std::vector<char> buffer_;
  std::size_t next_ = 0;
};

void make_input(const std::string& path, std::uint64_t records) {
  File file(path, O_WRONLY | O_CREAT | O_TRUNC);
  std::uint64_t state = 1;
  for (std::uint64_t i = 0; i < records; ++i) {
    Record record;
    for (char& byte : record) {
      state = state * 6364136223846793005u + 1442695040888963407u;  // Knuth, MMIX
      byte = static_cast<char>('a' + (state >> 33) % 26);
    }
    file.put(record);
  }
  file.finish();
}

int make_runs(const std::string& folder, std::size_t held) {
  File input(folder + "/input", O_RDONLY);
  std::vector<Record> records;
  records.reserve(held);
  int runs = 0;
  for (bool more = true; more;) {
    records.clear();
    Record record;
    while (more && records.size() < held) {
      more = input.get(record);
      if (more) {
        records.push_back(record);
      }
    }
    if (records.empty()) {
      break;
    }
    std::sort(records.begin(), records.end(), before);
    File run(folder + "/run" + std::to_string(runs++), O_WRONLY | O_CREAT | O_TRUNC);
    for (const Record& each : records) {
      run.put(each);
    }
    run.finish();
  }
  return runs;
}

void merge(const std::string& folder, int runs) {
  std::deque<File> files;
  using Head = std::pair<Record, int>;
  const auto later = [](const Head& a, const Head& b) {
    return before(b.first, a.first) || (!before(a.first, b.first) && a.second > b.second);
  };
  std::priority_queue<Head, std::vector<Head>, decltype(later)> heads(later);
  Record record;
  for (int run = 0; run < runs; ++run) {
    files.emplace_back(folder + "/run" + std::to_string(run), O_RDONLY);
    if (files.back().get(record)) {
      heads.emplace(record, run);
    }
  }
  File output(folder + "/output", O_WRONLY | O_CREAT | O_TRUNC);
  while (!heads.empty()) {
    const Head head = heads.top();
    heads.pop();
    output.put(head.first);
    if (files[static_cast<std::size_t>(head.second)].get(record)) {
      heads.emplace(record, head.second);
    }
  }
  output.finish();
}

// Returns whether the records ascend. `sum` covers all of them.
bool ascends(const std::string& path, std::uint64_t& sum) {
  File file(path, O_RDONLY);
  Record last{};
  Record record;
  bool good = true;
  for (std::uint64_t place = 1; file.get(record); ++place) {
    good = good && (place == 1 || !before(record, last));
    last = record;
    for (const char byte : record) {
      sum += place * static_cast<unsigned char>(byte);
    }
  }
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fputs("external_sort RECORDS MEMORY_KIB FOLDER\n", stderr);
    return 2;
  }
  const std::string folder = argv[3];
  const std::size_t held = std::strtoull(argv[2], nullptr, 10) * 1024 / sizeof(Record);
  make_input(folder + "/input", std::strtoull(argv[1], nullptr, 10));
  marker();
  const int runs = make_runs(folder, held);
  merge(folder, runs);
  marker();
  std::uint64_t sum = 0;
  const bool good = ascends(folder + "/output", sum);
  std::printf("runs %d sum %llu %s\n", runs, static_cast<unsigned long long>(sum),
              good ? "ascending" : "not ascending");
  return good ? 0 : 1;
}
