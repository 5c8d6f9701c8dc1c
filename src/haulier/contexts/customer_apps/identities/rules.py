"""Which user the identity of an identity provider belongs to."""

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
    """The user who has the e-mail address that the provider verified.

    `bound` is whether another identity of the provider is bound to them; `self_registered` is whether they registered
    themselves, so that nobody checked that the address is theirs.
    """

    bound: bool
    self_registered: bool


def require_bindable(candidate: BindingCandidate) -> None:
    """A user is bound at their first sign-in, by the address that their business entered and the provider verified.

    Raises `IDENTITY_CONFLICT` for a user bound to another identity, and for one who registered themselves: they may have
    entered the address of somebody else, to share that person's account later.
    """
    if candidate.bound or candidate.self_registered:
        raise IDENTITY_CONFLICT()
