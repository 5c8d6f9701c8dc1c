"""Orders that are offered to and delivered by another business of the platform.

A partnership lets one business offer and the other accept. An offer names both businesses and is the only row that
gives one of them access to data of the other.
"""

from haulier.kernel.operations.enums import Area

AREA = Area.THIRD_PARTY_DELIVERY
