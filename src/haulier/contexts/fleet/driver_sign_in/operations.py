"""Make, list and revoke links that sign a driver in."""

from datetime import datetime, timedelta

from haulier.contexts.fleet.driver_sign_in.contract import (
    CreateSignInLink,
    ListSignInLinks,
    NewSignInLink,
    SignInLink,
    SignInLinkDetail,
    SignInLinkList,
    SignInLinkRef,
)
from haulier.contexts.fleet.drivers.actions import create_driver_account
from haulier.contexts.fleet.drivers.queries import get_visible_driver, lock_drivers
from haulier.contexts.identity.public import (
    SignInLinkRow,
    list_sign_in_links,
    make_sign_in_link,
    require_user,
    revoke_sign_in_link,
)
from haulier.contexts.identity.sign_in_links.rules import sign_in_link_state
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, RateLimit, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Account, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND, SCOPES_EXCEEDED, declare_error, record_not_found
from haulier.kernel.operations.records import record
from haulier.rendering.qr_svg import qr_svg

DRIVER_WITHOUT_ACCOUNT = declare_error("driver_without_account", 409)
DRIVER_DISABLED = declare_error("driver_disabled", 409)

PLANNERS = OFFICE | {Account.CONTRACTOR}


@writes(
    "create_driver_sign_in_link",
    replayable=False,
    audience=PLANNERS,
    scopes={Scope.DRIVERS_WRITE, Scope.ACCOUNT_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", "/v1/drivers/{driver_id}/sign-in-links", status=201), GraphQL("createDriverSignInLink")),
    limits=(RateLimit(60, 3600, ("user",)), RateLimit(10, 3600, ("user", "driver_id"))),
    errors=(NOT_FOUND, DRIVER_WITHOUT_ACCOUNT, DRIVER_DISABLED, SCOPES_EXCEEDED),
)
async def create_driver_sign_in_link(call: Call, request: CreateSignInLink) -> NewSignInLink:
    """Create a sign-in link for a driver.

    The link signs the driver in without a password, once and within minutes, and is also returned as a QR code. It
    replaces an unused earlier link. A driver without an account gets one with `create_account`. Contractors create
    links for their own drivers.
    """
    await lock_drivers(call, [request.driver_id])
    driver = await get_visible_driver(call, request.driver_id)
    user_id = driver.user_id
    if user_id is None:
        if not request.create_account:
            raise DRIVER_WITHOUT_ACCOUNT(driver_id=driver.id)
        user_id = await create_driver_account(call, driver)
    user = await require_user(call.work, user_id)
    if not user.active:
        raise DRIVER_DISABLED(driver_id=driver.id)
    made = await make_sign_in_link(call, user, timedelta(minutes=request.minutes))
    call.add_audit_subjects("driver", driver.id)
    return NewSignInLink(link=_sign_in_link(made.link, call.now), url=made.address, qr_svg=qr_svg(made.address))


@reads(
    "list_driver_sign_in_links",
    audience=PLANNERS,
    scopes={Scope.DRIVERS_READ},
    interfaces=(Rest("GET", "/v1/drivers/{driver_id}/sign-in-links"), GraphQL("driverSignInLinks")),
    errors=(NOT_FOUND,),
)
async def list_driver_sign_in_links(call: Call, request: ListSignInLinks) -> SignInLinkList:
    """List sign-in links of a driver, newest first.

    Includes the status of each link. Addresses of links are not stored.
    """
    driver = await get_visible_driver(call, request.driver_id)
    rows, total = await list_sign_in_links(call, driver.user_id or 0, limit=request.per_page, offset=request.offset)
    links = [_sign_in_link(row, call.now) for row in rows]
    return SignInLinkList(total=total, page=request.page, per_page=request.per_page, links=links)


@writes(
    "revoke_driver_sign_in_link",
    audience=PLANNERS,
    scopes={Scope.DRIVERS_WRITE, Scope.ACCOUNT_WRITE},
    interfaces=(Rest("DELETE", "/v1/drivers/{driver_id}/sign-in-links/{link_id}"), GraphQL("revokeDriverSignInLink")),
    errors=(NOT_FOUND,),
)
async def revoke_driver_sign_in_link(call: Call, request: SignInLinkRef) -> SignInLinkDetail:
    """Revoke an unused sign-in link.

    A used link is unchanged: end the session instead.
    """
    driver = await get_visible_driver(call, request.driver_id)
    row = await revoke_sign_in_link(call, driver.user_id or 0, request.link_id)
    if row is None:
        raise record_not_found(link_id=request.link_id)
    call.add_audit_subjects("driver", driver.id)
    return SignInLinkDetail(link=_sign_in_link(row, call.now))


def _sign_in_link(row: SignInLinkRow, now: datetime) -> SignInLink:
    return record(SignInLink, row, state=sign_in_link_state(row, now))
