"""The life of a stored package."""

from enum import StrEnum

from haulier.kernel.operations.errors import declare_error

PACKAGE_NOT_FREE = declare_error("package_not_free", 409)


class PackageState(StrEnum):
    """States of a stored package."""

    STORED = "stored"
    PROMISED = "promised"
    """A ship-out will take it."""
    SHIPPED = "shipped"
    RETURNED = "returned"
    """It was returned to its customer."""


IN_STOCK = frozenset({PackageState.STORED, PackageState.PROMISED})
"""The states of a package that is here."""
