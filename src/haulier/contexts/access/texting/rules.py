"""Through whom a client sends text messages, and when it cannot."""

from enum import StrEnum

from haulier.kernel.errors import problem

SECRETS_NOT_KEPT = problem("secrets_not_kept", 409)
SMS_NOT_SET_UP = problem("sms_not_set_up", 409)

FAULT_MAX = 40


class Through(StrEnum):
    """Who carries a client's messages."""

    OWN = "own_account"
    PLATFORM = "platform"
    NOBODY = "nobody"


def through(*, own: bool, platform: bool) -> Through:
    """An account of its own comes first; the platform's carrier serves those without."""
    return Through.OWN if own else Through.PLATFORM if platform else Through.NOBODY


def about(client_id: int) -> str:
    """What the secret of a client's account is about: it opens for no other client."""
    return f"sms of client {client_id}"
