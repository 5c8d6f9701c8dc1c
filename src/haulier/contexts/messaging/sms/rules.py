"""Through which account a client sends text messages, and when it cannot."""

from enum import StrEnum

from haulier.kernel.operations.errors import declare_error

SECRETS_NOT_KEPT = declare_error("secrets_not_kept", 409)
SMS_PROVIDER_NOT_OFFERED = declare_error("sms_provider_not_offered", 409)
SMS_NOT_SET_UP = declare_error("sms_not_set_up", 409)

FAULT_MAX = 40


class SmsRoute(StrEnum):
    """The account that sends a client's messages."""

    OWN = "own_account"
    PLATFORM = "platform"
    NOBODY = "nobody"


def choose_sms_route(*, own: bool, platform: bool) -> SmsRoute:
    """Return a client's own account, else the platform's, else none."""
    return SmsRoute.OWN if own else SmsRoute.PLATFORM if platform else SmsRoute.NOBODY


def sms_secret_label(client_id: int) -> str:
    """Return the label that binds the secret of an account to its client."""
    return f"sms of client {client_id}"
