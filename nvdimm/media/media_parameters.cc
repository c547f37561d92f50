// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/media/media_parameters.h"

#include <string>

#include "core/units.h"

namespace hmsim {

namespace {

constexpr const char* kTechnologies = "Caulfield et al., SC 2010";
constexpr const char* kEnergies = "pcm: Caulfield et al., MICRO 2010; sttram: not given";
constexpr const char* kMediaLine =
    "Optane: 256 B, 64 lines; Yang et al., FAST 2020; Wang et al. (LENS, VANS), MICRO 2020";
constexpr const char* kStartGap = "Qureshi et al., MICRO 2009";

}  // namespace

void MediaParameters::declare(ParameterSet& set) {
  const ParameterSet::Scope scope(set, "media");
  const ParameterSet::PartData part(set);
  const Range lines{kLineBytes.value(), std::int64_t{1} << 20};
  set.time("read_time", technology.read_time,
           {"time to read a media line from its cells", kTechnologies}, kMillisecond);
  set.time("write_time", technology.write_time,
           {"time to write a media line into its cells", kTechnologies}, kMillisecond);
  set.real("read_energy", technology.read_energy, 0, 1e6, "pJ a bit",
           {"energy to read a bit", kEnergies});
  set.real("write_energy", technology.write_energy, 0, 1e6, "pJ a bit",
           {"energy to write a bit", kEnergies});
  set.time("command_time", command_time,
           {"time from a command to its bank or the write queue: decoding, remapping", "assumed"},
           kMillisecond);
  set.integer("banks", banks, {1, 64}, "banks",
              {"banks, or partitions of banks, that work independently", "assumed"});
  set.size("interleave", interleave, lines,
           {"contiguous bytes in one bank before the next bank follows", "assumed"});
  set.size("line", line, {kLineBytes.value(), kPageBytes.value()},
           {"media line: bytes that a bank reads or writes as a whole, a power of two; above 64 B, "
            "the module buffers lines that it has read and combines writes",
            kMediaLine});
  set.integer("line_buffer", line_buffer, {1, 65536}, "media lines",
              {"media lines that the read buffer and the combining buffer hold each, if "
               "nvdimm.media.line is above 64 B; the combining buffer is safe from power failures",
               kMediaLine});
  set.integer("write_queue", write_queue, {1, 65536}, "lines",
              {"written lines that may wait for their banks; safe from power failures", "assumed"});
  const ParameterSet::Scope inner(set, "start_gap");
  set.integer_or(
      "psi", start_gap.psi, {1, 1'000'000'000}, "off", 0, "writes",
      {"wear levelling: writes to a region after which its gap moves by one line", kStartGap});
  set.integer("regions", start_gap.regions, {1, 4096}, "regions per bank",
              {"equal parts of a bank, each with a spare line (the gap) and separate start and gap "
               "registers",
               kStartGap});
  set.boolean("randomised", start_gap.randomised,
              {"lines of a region are permuted by a fixed random function (a Feistel network), so "
               "that neighbours do not wear out the same cells",
               kStartGap});
}

void MediaParameters::check(Bytes capacity, std::vector<ParameterError>& errors) const {
  const Bytes unit = banks * start_gap.regions * interleave;
  if ((line.value() & (line.value() - 1)) != 0) {
    errors.push_back({"nvdimm.media.line", format_size(line) + " is not a power of two"});
  } else if (interleave % line != Bytes(0)) {
    errors.push_back({"nvdimm.media.interleave", format_size(interleave) +
                                                     " is not a multiple of nvdimm.media.line, " +
                                                     format_size(line)});
  } else if (capacity % unit != Bytes(0) || capacity % kPageBytes != Bytes(0)) {
    errors.push_back(
        {"nvdimm.capacity", format_size(capacity) + " is not a multiple of 4 KiB and of " +
                                format_size(unit) + ", nvdimm.media.interleave in each of " +
                                std::to_string(banks * start_gap.regions) +
                                " regions (nvdimm.media.banks, "
                                "nvdimm.media.start_gap.regions)"});
  }
}

}  // namespace hmsim
