# SPDX-License-Identifier: BSD-3-Clause
"""Who waits for whom in a causal twin (docs/profiles.md).

By construction a wait ends by a wake that stands behind it, so that any replay can go on: a thread
that begins to wait has chosen who wakes it, among those who do not wait for it themselves, and by
when; who ends wakes all those whom it was to wake.
"""

from __future__ import annotations

import heapq
import random

from hmsim.clones.causes import SLEEP
from hmsim.clones.profile import PHASES
from hmsim.clones.tape import Tape
from hmsim.clones.twin_threads import SHORTEST, RoleState, State, Thread
from hmsim.traces.escapes import ALARM, WAKE

NS_PER_US = 1000
LONGEST_SLEEP = (1 << 24) - 1  # us, as records have it
PATIENCE = 1 / PHASES  # of a pass: by so much may work, and requests, be late or early


class Waits:
    """Threads that wait, sleep, and are woken.

    Attributes:
        ready: threads that neither wait nor sleep, by number.
        current: the one that the vCPU runs.
        idle: nanoseconds so far in which it ran none.
    """

    def __init__(
        self, roles: dict[str, RoleState], tape: Tape, turn: int, numbers: random.Random
    ) -> None:
        """Take roles with their threads, all of them ready; ``turn``: as `Causes` has it."""
        self._roles = roles
        self._tape = tape
        self._turn = turn
        self._numbers = numbers
        self._sleepers: list[tuple[int, int, int, int, Thread]] = []
        self.ready = {t.number: t for state in roles.values() for t in state.threads}
        self.current: Thread | None = None
        self.idle = 0

    def now(self) -> int:
        """Return the time, in nanoseconds."""
        return self._tape.time + self.idle

    def set_state(self, thread: Thread, state: State) -> None:
        """Let a thread be in a state, whatever that means for others."""
        thread.state = state
        self.ready.pop(thread.number, None)
        if state is State.READY:
            self.ready[thread.number] = thread

    def wake(self, thread: Thread, us: int | None = None) -> None:
        """Make a thread ready: by the one that runs, or an alarm after some microseconds."""
        if us is None and self.current is not None:
            self._tape.escape(WAKE, thread.number)
        else:
            self._tape.escape(ALARM, thread.number | min(us or 0, LONGEST_SLEEP) << 16)
        least = min((t.turns for t in self.ready.values()), default=0.0)
        self.set_state(thread, State.READY)
        thread.waker = None
        thread.token += 1
        thread.turns = max(thread.turns, least - self._turn / 2)
        for other in self.ready.values():
            if other.put_off and other.step == thread.role.name:
                other.step_at = other.work

    def wait(self, thread: Thread) -> None:
        """Let a thread that is ready wait, if anybody can wake it, and plan its next step."""
        if self._can_wait_later(thread):
            return
        steps = thread.role.begin if thread.first else thread.role.steps
        name, length = thread.step, steps.length(thread.step)
        thread.plan()
        if name == SLEEP:
            us = min(length, LONGEST_SLEEP)
            self.set_state(thread, State.SLEEPING)
            ready = self.now() + NS_PER_US * us
            heapq.heappush(self._sleepers, (ready, thread.number, thread.token, us, thread))
            return
        waker = self._waker(thread, name, length)
        if waker is not None:
            self.set_state(thread, State.WAITING)
            thread.waker = waker
            duty = (waker.work + length, thread.number, thread.token, thread)
            heapq.heappush(waker.duties, duty)

    def _can_wait_later(self, thread: Thread) -> bool:
        """Put a step off where all who could end it wait, too, up to some work: a thread waits for
        those who are at it."""
        state = self._roles.get(thread.step)
        if thread.first or thread.put_off or state is None:
            return False
        if any(t.state is not State.WAITING or t.waker is thread for t in state.threads):
            return False
        thread.put_off = True
        thread.step_at = thread.work + max(SHORTEST, int(PATIENCE * (thread.span - thread.began)))
        return True

    def _waker(self, thread: Thread, role: str, work: int) -> Thread | None:
        """Return who wakes a thread after so much work: of a role, if one of it can."""
        state = self._roles.get(role)
        rivals = [t for t in (state.threads if state else []) if t is not thread]
        lasting = [t for t in rivals if t.span - t.work >= work]
        for group in (lasting, rivals):
            if found := self._any([t for t in group if t.state is State.READY]):
                return found
            own = [t for t in group if t.waker is thread and thread is self.current]
            if found := self._any(own):
                self.wake(found)
                return found
            if found := self._any([t for t in group if self._can_wake(t, thread)]):
                return found
        return self._any([t for t in self.ready.values() if t is not thread])

    def _any(self, threads: list[Thread]) -> Thread | None:
        return threads[int(self._numbers.random() * len(threads))] if threads else None

    @staticmethod
    def _can_wake(waker: Thread, thread: Thread) -> bool:
        """Tell whether one that sleeps or waits does not wait for a thread, nor for its waiters."""
        last: Thread | None = waker
        while last is not None and last is not thread and last.state is State.WAITING:
            last = last.waker
        return last is not None and last is not thread and last.state is not State.ENDED

    def hurry(self, thread: Thread) -> None:
        """Have a thread woken now: by the one that was to, if that is ready."""
        waker = thread.waker
        if waker is not None and waker.state is State.READY and waker is not self.current:
            duty = (waker.work, thread.number, thread.token, thread)
            if duty not in waker.duties:
                heapq.heappush(waker.duties, duty)
        else:
            self.wake(thread)

    def end(self, thread: Thread) -> None:
        """End a thread for this pass of the profile; whom it was to wake is woken."""
        for _, _, token, other in sorted(thread.duties, key=lambda duty: duty[:3]):
            if other.token == token:
                self.wake(other)
        thread.duties.clear()
        self.set_state(thread, State.ENDED)

    def next_alarm(self) -> int | None:
        """Return when the next thread that sleeps is woken."""
        while self._sleepers and self._sleepers[0][4].token != self._sleepers[0][2]:
            heapq.heappop(self._sleepers)
        return self._sleepers[0][0] if self._sleepers else None

    def ring(self) -> None:
        """Wake those who have slept long enough."""
        alarm = self.next_alarm()
        while alarm is not None and alarm <= self.now():
            *_, us, thread = heapq.heappop(self._sleepers)
            self.wake(thread, us)
            alarm = self.next_alarm()
