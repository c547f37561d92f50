# SPDX-License-Identifier: BSD-3-Clause
"""Plays the machine of a causal twin: threads that take turns on a vCPU (docs/profiles.md)."""

from __future__ import annotations

import heapq
import random

from hmsim.clones.causes import READS, Causes
from hmsim.clones.tape import Tape
from hmsim.clones.twin_threads import NEVER, Pages, RoleState, State, Thread, Wishes
from hmsim.clones.waits import PATIENCE, Waits
from hmsim.traces.escapes import GOES_ON, RUN, USE, WAITS

SHORTEST_TURN = 1000  # instructions


class Machine:
    """Threads of a profile's roles on one vCPU; what they do goes to a tape."""

    def __init__(
        self,
        causes: Causes,
        counts: dict[str, dict[str, list[int]]],
        instructions: int,
        passes: int,
        stretch: float,
        intensity: float,
        seed: int,
    ) -> None:
        """Take pages, or requests without any, by role, kind and part of the twin.

        Args:
            causes: what to be like.
            counts: of roles and kinds of requests, by equal parts of the twin.
            instructions: of the twin.
            passes: how often it goes through the profile.
            stretch: instructions of a pass by those that the profile was measured over.
            intensity: factor on requests per instruction.
            seed: another one gives another twin.
        """
        self._numbers = random.Random(seed)
        self._pages = Pages(self._numbers)
        self._end = instructions
        self._pass = instructions / passes
        self._passes_left = passes - 1
        self._pass_began = 0
        self._next_call = 0  # of those that are late
        self.tape = Tape(causes)
        self.roles = {
            name: RoleState(
                name, role, counts[name], instructions, stretch, self._numbers, intensity
            )
            for name, role in causes.roles.items()
        }
        self._threads: list[Thread] = []
        for state in self.roles.values():
            for _ in range(state.role.threads):
                thread = Thread(len(self._threads) + 1, state)
                self._threads.append(thread)
                state.threads.append(thread)
        self._turn = max(SHORTEST_TURN, causes.turn)
        self._waits = Waits(self.roles, self.tape, self._turn, self._numbers)
        self._rest = self._cost_of_the_rest()
        self._started = False

    def play(self, until: int) -> None:
        """Go on up to some instruction, or a copy behind it."""
        if not self._started:
            self._started = True
            self.tape.introduce([(t.number, t.role.name) for t in self._threads])
            self._begin_pass()
            for thread in self._threads:
                if not thread.first:
                    thread.plan(self._numbers.random())
        until = min(until, self._end)
        while self.tape.time < until:
            if self.tape.time + self._rest >= self._end:
                self._make_the_rest()
            if self._waits.ready:
                self._stint(self._next(), until)
            else:
                self._sleep_all()

    def _next(self) -> Thread:
        """Return who goes next: where all who are ready have done their work, one who waits."""
        thread = min(self._waits.ready.values(), key=self._order)
        if thread.work < thread.span or self._is_due(thread.role):
            return thread
        waiting = [t for t in self._threads if t.state is State.WAITING and t.work < t.span]
        if not waiting:
            return thread
        late = max(waiting, key=lambda t: t.wanted(self._passed()) - t.work)
        self._waits.wake(late)
        return late

    def _begin_pass(self) -> None:
        """Let threads that ended go on; those that wait first do so."""
        self._pass_began = self.tape.time
        for state in self.roles.values():
            for place, thread in enumerate(state.threads):
                thread.began, thread.span = thread.work, thread.work + state.span(place)
                thread.ends = state.ends(place)
                ended = thread.state is State.ENDED
                if state.waits_first(place) and (ended or thread.state is State.READY):
                    thread.first, thread.step = True, state.begin.draw()
                    thread.step_at = thread.work
                    if thread is not self._waits.current:
                        self._waits.set_state(thread, State.READY)
                        self._waits.wait(thread)
                if thread.state is State.ENDED:
                    self._waits.wake(thread)

    def _sleep_all(self) -> None:
        """Nobody is ready: go on to the next alarm, or have somebody woken by a device."""
        self._turn_to(None)
        alarm = self._waits.next_alarm()
        if alarm is not None:
            self._waits.idle += max(0, alarm - self._waits.now())
            self._waits.ring()
            return
        order = {State.WAITING: 0, State.ENDED: 1}
        thread = min(self._threads, key=lambda t: (order.get(t.state, 2), t.number))
        if thread.state is State.ENDED:
            thread.ends = False
        self._waits.wake(thread, 0)

    def _turn_to(self, thread: Thread | None) -> None:
        if thread is self._waits.current and self.tape.running:
            return
        before = self._waits.current
        goes_on = before is None or before.state is State.READY
        number = 0 if thread is None else thread.number
        self.tape.escape(RUN, number | (GOES_ON if goes_on else WAITS) << 16)
        self._waits.current = thread
        self.tape.weigh(0.0 if thread is None else thread.role.role.rpki)

    def _stint(self, thread: Thread, until: int) -> None:
        """Run a thread until it waits, its turn is over, or another one is to go first."""
        self._turn_to(thread)
        end = min(until, self.tape.time + self._turn)
        while thread.state is State.READY:
            self._pass_over(thread, min(end, self._end - self._rest))
            self._waits.ring()
            self._wake_whom_it_is_to(thread)
            if self._act(thread):
                continue
            if thread.ends and thread.work >= thread.span and not self._is_due(thread.role):
                self._waits.end(thread)
            elif thread.work >= thread.step_at:
                self._waits.wait(thread)
            if self.tape.time >= min(end, self._end - self._rest):
                break
            if self._another_goes_first(thread):
                break
        if self._passes_left and self.tape.time >= self._end - self._passes_left * self._pass:
            self._passes_left -= 1
            self._begin_pass()
        self._call_those_that_are_late()

    def _another_goes_first(self, thread: Thread) -> bool:
        """Tell whether a thread has had so much more than another that this one takes the vCPU."""
        early, turns = self._order(thread)
        best = (early, turns - self._turn / 4)
        return any(self._order(t) < best for t in self._waits.ready.values())

    def _order(self, thread: Thread) -> tuple[bool, float]:
        """Return by what threads go first, least first: whether they are early, and their turns."""
        early = thread.work > thread.wanted(self._passed() + PATIENCE)
        return (early or thread.work >= thread.span, thread.turns)

    def _passed(self) -> float:
        """Return the part of the present pass of the profile that lies behind."""
        return (self.tape.time - self._pass_began) / self._pass

    def _pass_over(self, thread: Thread, end: float) -> None:
        """Let a thread work until something happens."""
        now = self.tape.time
        distances = [end - now, thread.step_at - thread.work]
        if thread.work < thread.span:
            distances.append(thread.span - thread.work)
        if thread.duties:
            distances.append(thread.duties[0][0] - thread.work)
        alarm = self._waits.next_alarm()
        if alarm is not None:
            distances.append(alarm - self._waits.now())
        distances.append(self._next_action(thread)[0])
        length = max(0, int(min(distances)))
        thread.work += length
        thread.turns += length
        self.tape.time += length

    def _wake_whom_it_is_to(self, thread: Thread) -> None:
        while thread.duties and thread.duties[0][0] <= thread.work:
            _, _, token, other = heapq.heappop(thread.duties)
            if other.token == token:
                self._waits.wake(other)

    # Requests to the block device, and uses of what they read.

    def _is_due(self, state: RoleState) -> bool:
        found = state.wish()
        return found is not None and found[1].due <= self.tape.time

    def _next_action(self, thread: Thread) -> tuple[float, Wishes | None]:
        """Return in how many instructions a thread uses a page, or makes the request returned."""
        found = thread.role.wish()
        distance, wishes = NEVER, None
        if found is not None:
            wishes, wish = found
            if thread.wish is not wish:
                thread.wish = wish
                thread.request_at = thread.last + wishes.after.draw()
            if wishes.kind not in READS or len(thread.read) <= wish.depth:
                distance = max(thread.request_at - thread.work, wish.due - self.tape.time, 0)
        if len(thread.read) > thread.role.depth():
            if thread.use_at == NEVER:
                thread.use_at = thread.last + thread.read[0][1].uses.draw()
            use = max(thread.use_at - thread.work, 0)
            if use <= distance:
                return use, None
        return distance, wishes

    def _act(self, thread: Thread) -> bool:
        """Use a page or make a request, if a thread is to do so now."""
        distance, wishes = self._next_action(thread)
        if distance >= 1:
            return False
        if wishes is None:
            page, _ = thread.read.popleft()
            self.tape.escape(USE, page)
            self._acted(thread)
        else:
            self._request(thread, wishes)
        return True

    @staticmethod
    def _acted(thread: Thread) -> None:
        thread.last = thread.work
        thread.use_at = NEVER
        thread.wish = None

    def _request(self, thread: Thread, wishes: Wishes) -> None:
        wish = wishes.take()
        reads = wishes.kind in READS
        first, left = thread.places[reads]
        if left <= 0 and wish.pages:
            first, left = wishes.run(self._pages)
        self._rest = self._cost_of_the_rest()
        before = self.tape.time
        self.tape.request(wishes.kind, first, wish.pages)
        thread.turns += self.tape.time - before
        thread.places[reads] = (first + wish.pages, left - wish.pages)
        if reads:
            used = wishes.used_of(wish.pages)
            thread.read.extend((first + page, wishes) for page in range(used))
        self._acted(thread)

    def _call_those_that_are_late(self) -> None:
        """Wake whose work is late; of roles whose requests are late and who all wait, one."""
        if self._waits.current is None or self.tape.time < self._next_call:
            return
        self._next_call = self.tape.time + self._turn // 2
        passed = self._passed() - PATIENCE
        for thread in self._threads:
            if thread.state is State.WAITING and thread.work < thread.wanted(passed):
                self._waits.hurry(thread)
        for state in self.roles.values():
            found = state.wish()
            late = self.tape.time - PATIENCE * self._pass
            if found is None or found[1].due > late:
                continue
            if not any(thread.state is State.READY for thread in state.threads):
                self._waits.wake(
                    min(state.threads, key=lambda t: (t.state is State.ENDED, t.number))
                )

    def _cost_of_the_rest(self) -> int:
        """Return how many instructions the requests still to come take."""
        cost = sum(
            self.tape.cost(each.kind in READS, each.requests_left, each.left)
            for role in self.roles.values()
            for each in role.requests
        )
        return int(cost)

    def _make_the_rest(self) -> None:
        """Make all requests that are left, for the twin ends with them."""
        for state in self.roles.values():
            for wishes in state.requests:
                if wishes.wish is None:
                    continue
                thread = min(state.threads, key=lambda t: (t.state is not State.READY, t.number))
                if thread.state is not State.READY:
                    self._waits.wake(thread)
                self._turn_to(thread)
                while wishes.wish is not None and self.tape.time < self._end:
                    self._request(thread, wishes)
