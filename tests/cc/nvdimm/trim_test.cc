// SPDX-License-Identifier: BSD-3-Clause
// Does a trim discard exactly the pages that it covers completely?
#include <gtest/gtest.h>

#include "core/errors.h"
#include "tests/cc/nvdimm/busy.h"

namespace hmsim {
namespace {

struct Range {
  std::int64_t address;
  std::int64_t size;
  std::int64_t pages;
};

TEST(Trim, OnlyWholePagesAreDiscarded) {
  const std::int64_t page = kPageBytes.value();
  for (const Range& range :
       {Range{0, page, 1}, Range{page, 3 * page, 3}, Range{page, 3 * page - 1, 2},
        Range{page + 1, 3 * page, 2}, Range{page - 1, 3 * page, 2}, Range{page - 1, page + 1, 1},
        Range{page, page - 1, 0}, Range{page + 1, page, 0}, Range{page + 1, 1, 0},
        Range{page, 0, 0}}) {
    NvdimmParameters parameters = small_nvdimm();
    parameters.precondition.fill = 1;
    Rig rig(parameters);
    EXPECT_EQ(rig.nvdimm().trim(Address(range.address), Bytes(range.size), rig.now()), range.pages);
    const Ftl& ftl = rig.nvdimm().ftl();
    for (std::int64_t number = 0; number < 8; ++number) {
      const bool whole =
          number * page >= range.address && (number + 1) * page <= range.address + range.size;
      EXPECT_EQ(ftl.pages().place(LogicalPage(number)) == kNowhere, whole) << number;
    }
    EXPECT_EQ(rig.statistics().ftl.trimmed_pages, static_cast<Counter>(range.pages));
  }
}

TEST(Trim, LessThanAPageChangesNothingWithAnyWorkInFlight) {
  const std::int64_t page = kPageBytes.value();
  for (const NvdimmParameters& parameters : busy_nvdimms()) {
    Busy busy(parameters);
    for (int i = 0; i < 600; ++i) {
      busy.step();
      if (i % 5 != 0) {
        continue;
      }
      const std::string before = busy.rig().saved();
      for (const Range& range :
           {Range{page, page - 64, 0}, Range{7 * page + 64, page, 0}, Range{64, 64, 0}}) {
        ASSERT_EQ(
            busy.rig().nvdimm().trim(Address(range.address), Bytes(range.size), busy.rig().now()),
            0);
      }
      ASSERT_EQ(busy.rig().saved(), before) << i;
    }
  }
}

TEST(Trim, EndsWithTheLastPage) {
  Rig rig(small_nvdimm());
  const Bytes capacity = Nvdimm::logical_capacity(small_nvdimm());
  const Address last(capacity.value() - kPageBytes.value());
  EXPECT_EQ(rig.nvdimm().trim(last, kPageBytes, rig.now()), 1);
  EXPECT_THROW(rig.nvdimm().trim(last, 2 * kPageBytes, rig.now()), Fault);
  EXPECT_THROW(rig.nvdimm().trim(Address(-kPageBytes.value()), kPageBytes, rig.now()), Fault);
}

}  // namespace
}  // namespace hmsim
