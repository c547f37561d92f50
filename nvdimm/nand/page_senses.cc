// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/nand/page_senses.h"

#include <algorithm>
#include <utility>

namespace hmsim {

namespace {

// Returns whether the first of the parts is the one after the last of `before`.
bool follows(PartMask parts, PartMask before) {
  const int first = parts & -parts;
  return first / 2 <= before && before < first;
}

}  // namespace

PageSenses::PageSenses(const NandParameters& nand, const FlashGeometry& at, Pool<FlashNode>& nodes)
    : on_(nand.parts() > 1 || nand.register_hits),
      at_(at),
      nodes_(nodes),
      registers_(nand.register_hits ? static_cast<std::size_t>(nand.luns() * nand.planes) : 0, -1) {
}

bool PageSenses::may_share(const FlashCommand& command) {
  return command.operation == FlashOperation::read && command.transfer && !command.hold_bus &&
         command.priority != FlashPriority::collection;
}

void PageSenses::open(std::uint32_t node, std::int64_t page, PartMask parts) {
  nodes_[node].page = page;
  nodes_[node].wanted = parts;
  of_page_.insert(page, node);
}

void PageSenses::close(std::uint32_t node) {
  if (nodes_[node].page >= 0) {
    of_page_.erase(std::exchange(nodes_[node].page, -1));
  }
}

void PageSenses::append(std::uint32_t head, std::uint32_t node, PartMask parts) {
  nodes_[head].wanted = static_cast<PartMask>(nodes_[head].wanted | parts);
  std::uint32_t last = head;
  while (nodes_[last].sharer != kNoIndex) {
    last = nodes_[last].sharer;
  }
  nodes_[last].sharer = node;
}

PageSenses::Join PageSenses::submit(std::uint32_t node) {
  const FlashCommand& command = nodes_[node].command;
  const PhysicalPage place =
      may_share(command) ? command.requester->next_flash_place(command) : kNowhere;
  if (place == kNowhere || at_.lun_of(place) != command.lun) {
    return Join::none;  // its page has moved, so its requester will submit it to another LUN
  }
  const PartMask wanted = parts(nodes_[node], place);
  const std::uint32_t head = of_page_.find(page_of(place));
  if (head != kNoIndex && (nodes_[head].wanted & wanted) != 0) {
    return Join::none;
  }
  if (head != kNoIndex && nodes_[head].sensing) {
    return Join::sensing;
  }
  if (head != kNoIndex && nodes_[head].command.priority <= command.priority) {
    append(head, node, wanted);
    return Join::waiting;
  }
  if (head != kNoIndex) {
    close(head);
  }
  open(node, page_of(place), wanted);
  return Join::none;
}

std::uint32_t PageSenses::begin(std::uint32_t node) {
  close(node);
  FlashNode& own = nodes_[node];
  own.sensing = true;
  const std::int64_t page = page_of(own.place);
  if (may_share(own.command) && of_page_.find(page) == kNoIndex) {
    open(node, page, own.command.parts);
  }
  return std::exchange(own.sharer, kNoIndex);
}

std::uint32_t PageSenses::withdraw(std::uint32_t node) {
  close(node);
  return std::exchange(nodes_[node].sharer, kNoIndex);
}

bool PageSenses::same_page(std::uint32_t waiting, std::uint32_t begun) const {
  const FlashCommand& command = nodes_[waiting].command;
  const PhysicalPage place = command.requester->next_flash_place(command);
  return nodes_[begun].page >= 0 && place != kNowhere && page_of(place) == nodes_[begun].page &&
         (nodes_[begun].wanted & parts(nodes_[waiting], place)) == 0;
}

void PageSenses::add(std::uint32_t node) {
  FlashNode& own = nodes_[node];
  own.shared = true;
  append(of_page_.find(page_of(own.place)), node, own.command.parts);
}

std::uint32_t PageSenses::after(std::uint32_t node) {
  const FlashNode done = nodes_[node];
  close(node);
  if (done.sharer == kNoIndex) {
    if (!registers_.empty()) {
      registers_[register_of(done.place)] = page_of(done.place);
    }
    return done.next;
  }
  nodes_[node].sharer = kNoIndex;
  FlashNode& next = nodes_[done.sharer];
  next.next = done.next;
  next.sensing = true;
  next.jumps = !follows(next.command.parts, done.command.parts);
  open(done.sharer, done.page, done.wanted);
  return done.sharer;
}

bool PageSenses::in_register(std::uint32_t node) {
  FlashNode& own = nodes_[node];
  if (registers_.empty() || !may_share(own.command) ||
      registers_[register_of(own.place)] != page_of(own.place)) {
    return false;
  }
  own.shared = true;
  own.jumps = true;
  return true;
}

void PageSenses::forget(std::uint32_t lun) {
  std::fill_n(registers_.begin() + static_cast<std::ptrdiff_t>(lun) * at_.planes, at_.planes, -1);
}

void PageSenses::load(const Archive& archive, SlotClaims& nodes) {
  of_page_.clear();
  const std::vector<std::uint32_t> taken = nodes_.taken();
  for (const std::uint32_t node : taken) {
    const FlashNode& own = nodes_[node];
    if (own.page >= 0) {
      archive.check(
          nodes.has(node) && may_share(own.command) && of_page_.find(own.page) == kNoIndex,
          "page that is sensed twice at once");
      of_page_.insert(own.page, node);
    }
  }
  for (const std::uint32_t node : taken) {
    const std::uint32_t sharer = nodes_[node].sharer;
    if (sharer != kNoIndex) {
      nodes.claim(sharer);
      archive.check(nodes_.holds(sharer) && may_share(nodes_[sharer].command),
                    "flash command that cannot share the sense of a page");
    }
  }
}

}  // namespace hmsim
