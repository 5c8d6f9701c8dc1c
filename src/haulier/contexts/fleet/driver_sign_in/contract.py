"""Request and response models for driver sign-in links."""

from datetime import datetime
from typing import Annotated

from pydantic import Field

from haulier.contexts.fleet.drivers.contract import DriverRef
from haulier.contexts.identity.sign_in_links.rules import LINK_LIFETIME, LINK_MINUTES_MAX, SignInLinkState
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.ids import DriverSignInLinkId
from haulier.kernel.values.pagination import PagedAnswer, PageRequest


class CreateSignInLink(DriverRef):
    """A new sign-in link."""

    minutes: int = Field(default=int(LINK_LIFETIME.total_seconds()) // 60, ge=1, le=LINK_MINUTES_MAX)
    """Validity of the link in minutes."""
    create_account: bool = False
    """If true, create an account for a driver without one. It has no email address and signs in with links only."""


class ListSignInLinks(DriverRef, PageRequest):
    """Driver and page of a link list."""


class SignInLinkRef(DriverRef):
    """Reference to a sign-in link."""

    link_id: DriverSignInLinkId
    """ID of the link."""


class SignInLink(Answer):
    """A sign-in link of a driver."""

    id: int
    state: Annotated[SignInLinkState, doc("Status of the link.", SignInLinkState.WAITING.value)]
    made_by: Annotated[int | None, doc("User who created the link.")]
    created_at: datetime
    expires_at: datetime
    used_at: Annotated[datetime | None, doc("Time of the sign-in; null if the link is unused.")]
    revoked_at: Annotated[datetime | None, doc("Time when the link was revoked or replaced; null otherwise.")]


class SignInLinkDetail(Answer):
    """One link."""

    result: bool = True
    link: SignInLink


class NewSignInLink(SignInLinkDetail):
    """A new link. It is shown only once; only its digest is stored."""

    url: Annotated[
        str, doc("Address that the driver opens on their phone.", "https://example.com/sign-in-link#hlsignin_…")
    ]
    qr_svg: Annotated[str, doc("The address as a QR code (SVG image).", "<svg …></svg>")]


class SignInLinkList(PagedAnswer):
    """A page of links, newest first."""

    links: list[SignInLink]
