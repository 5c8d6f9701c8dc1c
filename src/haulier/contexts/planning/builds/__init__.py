"""Route building: a planning input of orders, drivers and vehicles, a durable search, a plan, and its commit.

A *build* is one such search. Its *question* is everything the search is asked, written down once, so that a search that
was interrupted is asked the same again. A *plan* is only a proposal until it is committed.
"""

from haulier.kernel.operations.enums import Area

AREA = Area.CLIENT
