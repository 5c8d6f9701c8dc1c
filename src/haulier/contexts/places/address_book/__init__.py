"""Address book: people and businesses with an address, found by any of its parts."""

from haulier.kernel.operations.enums import Area

AREA = Area.ADDRESS_BOOK
