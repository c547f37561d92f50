// SPDX-License-Identifier: BSD-3-Clause
#include "gem5-ext/written_before.hh"

#include <algorithm>
#include <fstream>

#include "core/input_file.h"
#include "core/types.h"
#include "gem5-ext/guarded.hh"
#include "sim/serialize.hh"

namespace gem5 {
namespace memory {

namespace {

constexpr auto kPage = static_cast<Addr>(hmsim::kPageBytes.value());
constexpr auto kLine = static_cast<Addr>(hmsim::kLineBytes.value());

std::vector<std::int64_t> pages_in(const std::string& path, Addr bytes) {
  return guarded(path, [&] {
    hmsim::InputFile file(path, "written");
    if (file.size() > hmsim::WrittenPages::kMostBytes) {
      throw hmsim::InputError("longer than " + std::to_string(hmsim::WrittenPages::kMostBytes) +
                              " bytes");
    }
    return hmsim::written_pages(file.read_all(), static_cast<std::int64_t>(bytes / kPage));
  });
}

}  // namespace

std::int64_t WrittenBefore::page_of(Addr address) const {
  return static_cast<std::int64_t>(range_.getOffset(address) / kPage);
}

void WrittenBefore::note(const Packet& packet, bool loaded) {
  const auto* const bytes = packet.getConstPtr<std::uint8_t>();
  const auto is_zero = [](std::uint8_t byte) { return byte == 0; };
  if (!loaded || !std::all_of(bytes, bytes + packet.getSize(), is_zero)) {
    pages_.note(page_of(packet.getAddr()));
  }
}

// If several controllers interleave a page, each has some of its lines.
void WrittenBefore::read(const std::string& path) {
  for (const std::int64_t page : pages_in(path, range_.end() - range_.start())) {
    const Addr first = range_.start() + static_cast<Addr>(page) * kPage;
    for (Addr line = first; line < first + kPage; line += kLine) {
      if (range_.contains(line)) {
        pages_.note(page_of(line));
      }
    }
  }
}

std::string WrittenBefore::save(const std::string& name) const {
  if (pages_.empty()) {
    return "";
  }
  std::string file = name + ".written";
  const std::string path = CheckpointIn::dir() + "/" + file;
  std::ofstream out(path, std::ios::binary);
  out << pages_.text();
  out.close();
  fatal_if(!out, "%s: cannot write %s", name, path);
  return file;
}

void WrittenBefore::load(const std::string& path) {
  for (const std::int64_t page : pages_in(path, range_.size())) {
    pages_.note(page);
  }
}

}  // namespace memory
}  // namespace gem5
