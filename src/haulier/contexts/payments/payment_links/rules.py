"""How long a link works, and what it can be for."""

from datetime import timedelta

from haulier.kernel.operations.errors import declare_error

PAYMENT_LINK_INVALID = declare_error("payment_link_invalid", 404)
LINK_LIFE = timedelta(days=30)
