"""Rules for binding identities of a provider to users."""

from msgspec import Struct

from haulier.kernel.operations.errors import declare_error

IDENTITY_REFUSED = declare_error("identity_refused", 401)
IDENTITY_PROVIDER_UNAVAILABLE = declare_error("identity_provider_unavailable", 503)
REGISTRATION_REQUIRED = declare_error("registration_required", 409)
IDENTITY_CONFLICT = declare_error("identity_conflict", 409)

ISSUER_MAX = 255
SUBJECT_MAX = 255
PHONE_MAX = 16
"""A plus sign and the fifteen digits of E.164."""


class BindingCandidate(Struct, frozen=True):
    """The user with the email address that the provider verified.

    `bound` is true if another identity of the provider is bound to the user. `self_registered` is true if the user
    registered without a check of the address.
    """

    bound: bool
    self_registered: bool


def require_bindable(candidate: BindingCandidate) -> None:
    """Require a user that can be bound at the first sign-in.

    The business entered the address, and the provider verified it. Raises `IDENTITY_CONFLICT` for a user bound to
    another identity, and for a self-registered user, who may have entered another person's address to share that
    account later.
    """
    if candidate.bound or candidate.self_registered:
        raise IDENTITY_CONFLICT()
