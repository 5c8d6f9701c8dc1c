"""Third-party delivery: orders that are offered to another business of the platform, which takes and delivers them.

A partnership lets one business offer and the other take. An offer names both: it is the only row through which one of them
reaches anything of the other.
"""

from haulier.kernel.operations.enums import Area

AREA = Area.THIRD_PARTY_DELIVERY
