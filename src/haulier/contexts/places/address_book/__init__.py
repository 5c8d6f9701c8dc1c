"""The address book: people and businesses at places, found by any part of what is known of them."""

from haulier.kernel.operations.enums import Area

AREA = Area.ADDRESS_BOOK
