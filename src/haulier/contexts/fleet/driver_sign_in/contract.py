"""What goes in and out of links that sign drivers in."""

from datetime import datetime
from typing import Annotated

from pydantic import Field

from haulier.contexts.fleet.drivers.contract import DriverRef
from haulier.contexts.identity.sign_in_links.rules import LINK_LIFETIME, LINK_MINUTES_MAX, SignInLinkState
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.fields import RecordId
from haulier.kernel.values.pagination import PagedAnswer, PageRequest


class CreateSignInLink(DriverRef):
    """For which driver, and for how long."""

    minutes: int = Field(default=int(LINK_LIFETIME.total_seconds()) // 60, ge=1, le=LINK_MINUTES_MAX)
    """For how many minutes the link works."""


class ListSignInLinks(DriverRef, PageRequest):
    """Whose links."""


class SignInLinkRef(DriverRef):
    """Which link of which driver."""

    link_id: RecordId
    """The link's id."""


class SignInLink(Answer):
    """A link that was made for a driver."""

    id: int
    state: Annotated[SignInLinkState, doc("Whether it can still be used", SignInLinkState.WAITING.value)]
    made_by: Annotated[int | None, doc("The user who made it")]
    created_at: datetime
    expires_at: datetime
    used_at: Annotated[datetime | None, doc("When somebody signed in with it; null before")]
    revoked_at: Annotated[datetime | None, doc("When it was revoked, or a newer one replaced it; null before")]


class SignInLinkDetail(Answer):
    """One link."""

    result: bool = True
    link: SignInLink


class NewSignInLink(SignInLinkDetail):
    """A new link, shown once: only its digest is kept."""

    url: Annotated[str, doc("What the driver opens on their phone", "https://example.com/sign-in-link#hlsignin_…")]
    qr_svg: Annotated[str, doc("The same as a QR code: an SVG picture", "<svg …></svg>")]


class SignInLinkList(PagedAnswer):
    """A page of links, newest first."""

    links: list[SignInLink]
