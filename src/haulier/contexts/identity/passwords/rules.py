"""Lifetime of password reset links, and the error of invalid ones."""

from datetime import timedelta

from haulier.kernel.operations.errors import declare_error

RESET_LINK_INVALID = declare_error("reset_link_invalid", 410)
"""One error for unknown, used and expired links."""

RESET_LINK_LIFETIME = timedelta(minutes=30)
EXPIRED_RESET_LINKS_KEPT = timedelta(days=1)
"""Age after which ended links are deleted, with the next email to the same user."""
