"""How long a link that resets a password works, and how a link that does not is refused."""

from datetime import timedelta

from haulier.kernel.operations.errors import declare_error

RESET_LINK_INVALID = declare_error("reset_link_invalid", 410)
"""Unknown, used and expired links are refused alike."""

RESET_LINK_LIFETIME = timedelta(minutes=30)
EXPIRED_RESET_LINKS_KEPT = timedelta(days=1)
"""Links that ended longer ago are forgotten when the next letter of the same user is sent."""
