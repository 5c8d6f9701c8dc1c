"""How long a link that resets a password works, and how a link that does not is refused."""

from datetime import timedelta

from haulier.kernel.errors import problem

RESET_LINK_INVALID = problem("reset_link_invalid", 410)
"""Unknown, used and expired links are refused alike."""

LIFETIME = timedelta(minutes=30)
EXPIRED_KEPT = timedelta(days=1)
"""Links that ended longer ago are forgotten when the next letter of the same user is sent."""
