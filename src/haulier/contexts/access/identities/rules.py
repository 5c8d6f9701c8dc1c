"""Whether somebody whom an identity provider knows is a user of ours."""

from msgspec import Struct

from haulier.kernel.errors import problem

IDENTITY_REFUSED = problem("identity_refused", 401)
IDENTITY_UNKNOWN_NOW = problem("identity_provider_unavailable", 503)
REGISTRATION_REQUIRED = problem("registration_required", 409)
IDENTITY_CONFLICT = problem("identity_conflict", 409)


class Candidate(Struct, frozen=True):
    """The user who has the e-mail address that the provider verified.

    `bound` is whether the provider already knows them as somebody else; `came_alone` is whether they registered themselves,
    so that nobody ever saw that the address is theirs.
    """

    bound: bool
    came_alone: bool


def demand_may_bind(candidate: Candidate) -> None:
    """A user is bound at their first sign-in, by the address that their business wrote down and the provider verified.

    Who registered themselves is never bound by address: they may have taken a stranger's, to wait for them inside. That, and
    a user bound to another identity, is an `IDENTITY_CONFLICT`.
    """
    if candidate.bound or candidate.came_alone:
        raise IDENTITY_CONFLICT()
