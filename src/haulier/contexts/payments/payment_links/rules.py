"""Lifetime and purposes of payment links."""

from datetime import timedelta

from haulier.kernel.operations.errors import declare_error

PAYMENT_LINK_INVALID = declare_error("payment_link_invalid", 404)
LINK_LIFE = timedelta(days=30)
