// SPDX-License-Identifier: BSD-3-Clause
// Errors reported when the pages of a LUN run out, and cases without an error.
#include <gtest/gtest.h>

#include <string>

#include "core/errors.h"
#include "nvdimm/ftl/ftl.h"

namespace hmsim {
namespace {

constexpr std::uint32_t kBlocks = 8;
constexpr std::uint32_t kPages = 4;

FtlShape one_lun(std::uint32_t bad_blocks) {
  FtlShape shape;
  shape.blocks = kBlocks;
  shape.pages = kPages;
  shape.logical_pages = 8;
  shape.stripe = {0};
  shape.bad_blocks = bad_blocks;
  return shape;
}

// The pages that the host gets without collection, and the error for the next one.
struct Taken {
  std::uint32_t pages = 0;
  std::string worn;     // message to the user
  bool faulty = false;  // reported as a fault, an internal error
};

// Takes all pages. A block is open for collection: one page of it is used, and the host gets the
// others in the end. `fails`: the block of the host's first page fails.
Taken claim_all(std::uint32_t bad_blocks, bool fails) {
  Ftl ftl(one_lun(bad_blocks));
  const auto next = [&ftl](WriteStream stream) {
    ftl.claims().claim_on(0, 1);
    return ftl.allocate(0, stream);
  };
  ftl.commit(LogicalPage(1), next(WriteStream::collection));
  Taken taken;
  try {
    for (; taken.pages <= kBlocks * kPages; ++taken.pages) {
      const PhysicalPage at = next(WriteStream::host);
      if (fails && taken.pages == 0) {
        ftl.fail(at, 1);
      } else {
        ftl.commit(LogicalPage(0), at);
      }
    }
  } catch (const InputError& error) {
    taken.worn = error.what();
  } catch (const Fault&) {
    taken.faulty = true;
  }
  return taken;
}

TEST(LastPages, WithoutANewBadBlockTheyNeverRunOut) {
  for (const std::uint32_t bad : {0u, 2u}) {
    const Taken taken = claim_all(bad, false);
    EXPECT_EQ(taken.pages, (kBlocks - bad) * kPages - 1);
    EXPECT_TRUE(taken.faulty);
    EXPECT_EQ(taken.worn, "");
  }
}

// The other pages of the failed block are lost.
TEST(LastPages, WithOneTheFlashIsWornOut) {
  for (const std::uint32_t bad : {0u, 2u}) {
    const Taken taken = claim_all(bad, true);
    EXPECT_EQ(taken.pages, (kBlocks - bad) * kPages - 1 - (kPages - 1));
    EXPECT_FALSE(taken.faulty);
    EXPECT_NE(taken.worn.find(": " + std::to_string(bad + 1) + " blocks of LUN 0 are bad"),
              std::string::npos)
        << taken.worn;
  }
}

}  // namespace
}  // namespace hmsim
