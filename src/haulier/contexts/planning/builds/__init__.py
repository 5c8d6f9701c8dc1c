"""Route building: a planning input, a durable search, a plan, and its commit.

A *build* is one search. Its *question* is the complete input, stored once, so that an interrupted search can be
repeated unchanged. A *plan* is a proposal until it is committed.
"""

from haulier.kernel.operations.enums import Area

AREA = Area.CLIENT
