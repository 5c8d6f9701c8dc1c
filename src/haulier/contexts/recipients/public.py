"""Public interface of recipients: access to a delivery without an account."""

from haulier.contexts.recipients.brand.queries import load_mail_brand, shows_live_map
from haulier.contexts.recipients.deliveries.operations import ACCESS_LIMITS
from haulier.contexts.recipients.deliveries.queries import find_pending_visit, open_access
from haulier.contexts.recipients.deliveries.rules import DELIVERY_ACCESS_INVALID

__all__ = [
    "ACCESS_LIMITS",
    "DELIVERY_ACCESS_INVALID",
    "find_pending_visit",
    "load_mail_brand",
    "open_access",
    "shows_live_map",
]
