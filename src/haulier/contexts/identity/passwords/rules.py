"""How long a link that resets a password works, and the error for one that does not."""

from datetime import timedelta

from haulier.kernel.operations.errors import declare_error

RESET_LINK_INVALID = declare_error("reset_link_invalid", 410)
"""The same error for unknown, used and expired links."""

RESET_LINK_LIFETIME = timedelta(minutes=30)
EXPIRED_RESET_LINKS_KEPT = timedelta(days=1)
"""Links that ended longer ago are deleted when the next e-mail to the same user is sent."""
