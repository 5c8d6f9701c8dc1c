"""Whether somebody whom an identity provider knows is a user of ours."""

from msgspec import Struct

from haulier.kernel.operations.errors import declare_error

IDENTITY_REFUSED = declare_error("identity_refused", 401)
IDENTITY_PROVIDER_UNAVAILABLE = declare_error("identity_provider_unavailable", 503)
REGISTRATION_REQUIRED = declare_error("registration_required", 409)
IDENTITY_CONFLICT = declare_error("identity_conflict", 409)


class BindingCandidate(Struct, frozen=True):
    """The user who has the e-mail address that the provider verified.

    `bound` is whether the provider already knows them as somebody else; `self_registered` is whether they registered themselves,
    so that nobody ever saw that the address is theirs.
    """

    bound: bool
    self_registered: bool


def require_bindable(candidate: BindingCandidate) -> None:
    """A user is bound at their first sign-in, by the address that their business wrote down and the provider verified.

    Who registered themselves is never bound by address: they may have taken a stranger's, to wait for them inside. That, and
    a user bound to another identity, is an `IDENTITY_CONFLICT`.
    """
    if candidate.bound or candidate.self_registered:
        raise IDENTITY_CONFLICT()
