// SPDX-License-Identifier: BSD-3-Clause
#include <cstdint>
#include <vector>

#include "core/places.h"
#include "core/slot_list.h"
#include "policies/buffer_replacement.h"

namespace hmsim {

// Second chance. Frames stand in a circle, the newest just behind a hand that goes round. A frame
// that was used since it came, or since the hand last passed, is passed over once; the first other
// one that can be given up goes. The circle is kept as a line, whose front is before the hand; the
// hand moves when a frame is given up indeed.
class Clock final : public BufferReplacement {
 public:
  void grow(std::uint32_t count) override { frames_.resize(count); }

  void listed(std::uint32_t frame, std::int64_t /*key*/) override {
    Slot& slot = frames_[frame];
    if (slot.known) {
      slot.used = true;
    } else {
      slot.known = true;
      line_.push_back(links(), frame);
    }
    slot.listed = true;
  }
  void unlisted(std::uint32_t frame) override { frames_[frame].listed = false; }
  void released(std::uint32_t frame) override {
    if (!frames_[frame].known) {
      return;
    }
    while (line_.first != frame) {
      const std::uint32_t passed = line_.first;
      frames_[passed].used = false;
      line_.remove(links(), passed);
      line_.push_back(links(), passed);
    }
    line_.remove(links(), frame);
    frames_[frame] = Slot();
  }

  std::uint32_t victim() const override {
    const std::uint32_t unused = search(line_.first, false);
    return unused != kNoIndex ? unused : search(line_.first, true);
  }
  std::uint32_t after(std::uint32_t frame) const override {
    const bool used = frames_[frame].used;
    const std::uint32_t following = search(frames_[frame].link.next, used);
    return following != kNoIndex || used ? following : search(line_.first, true);
  }

  void serialize(Archive& archive) override {
    archive.fixed(frames_);
    archive(line_);
    if (archive.loading()) {
      Places places(archive, frames_.size(), "a hand goes round frames that are none");
      line_.take_all(links(), places);
      for (std::size_t frame = 0; frame < frames_.size(); ++frame) {
        const Slot& slot = frames_[frame];
        places.check(places.has(frame) == slot.known && (slot.known || !slot.listed));
      }
    }
  }

 private:
  struct Slot {
    bool known = false;  // it holds something
    bool used = false;   // since it came, or since the hand passed
    bool listed = false;
    SlotLink link;

    void serialize(Archive& archive) { archive(known, used, listed, link); }
  };

  LinksOf<Slot, SlotLink> links() { return links_of(frames_.data(), &Slot::link); }
  // The first such frame from there on.
  std::uint32_t search(std::uint32_t from, bool used) const {
    while (from != kNoIndex && !(frames_[from].listed && frames_[from].used == used)) {
      from = frames_[from].link.next;
    }
    return from;
  }

  std::vector<Slot> frames_;
  SlotList line_;
};

extern const PolicyDescriptor kPolicy_clock;
const PolicyDescriptor kPolicy_clock{
    PolicyKind::buffer_replacement, "clock",
    "in a circle, passing over once what was used since the hand came by",
    "Corbato, A paging experiment with the Multics system, 1968; from memory", make_policy<Clock>};

}  // namespace hmsim
