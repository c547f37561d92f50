# SPDX-License-Identifier: BSD-3-Clause
"""Ruby's caches of measured machines. Importing this module needs a gem5 built with Ruby."""

from gem5.components.cachehierarchies.abstract_cache_hierarchy import AbstractCacheHierarchy
from gem5.components.cachehierarchies.ruby.mesi_two_level_cache_hierarchy import (
    MESITwoLevelCacheHierarchy,
)
from gem5.utils.override import overrides


class RubyCaches(MESITwoLevelCacheHierarchy):
    """Ruby's MESI_Two_Level: private L1 caches, a shared L2 cache, one directory per memory."""

    def __init__(self, options):
        super().__init__(
            *(options.l1, "8", options.l1, "8"), l2_size=options.llc, l2_assoc="16", num_l2_banks=1
        )
        self._mshrs = options.mshrs

    @overrides(AbstractCacheHierarchy)
    def incorporate_cache(self, board):
        super().incorporate_cache(board)
        for cache in self._l1_controllers:
            cache.sequencer.max_outstanding_requests = self._mshrs
            cache.number_of_TBEs = self._mshrs
        for controller in (*self._l2_controllers, *self._directory_controllers):
            controller.number_of_TBEs = max(256, 4 * self._mshrs)
