"""Look at an invitation by its link, and accept it."""

from typing import Any

from haulier.contexts.access.accounts import passwords
from haulier.contexts.access.accounts.rules.passwords import demand_strength
from haulier.contexts.access.accounts.store import members as member_store
from haulier.contexts.access.accounts.store import users as user_store
from haulier.contexts.access.invitations import store
from haulier.contexts.access.invitations.contract import AcceptInvitation, InvitationLetter, ReadInvitation
from haulier.contexts.access.invitations.rules import INVITATION_INVALID, Status, status
from haulier.kernel.answers import Done
from haulier.kernel.call import Call
from haulier.kernel.data.work import Work
from haulier.kernel.declarations import Account
from haulier.kernel.doorstep import Doorstep
from haulier.kernel.house import House
from haulier.kernel.ids import token_digest
from haulier.kernel.operation import GraphQL, Limit, Rest, reads, writes

LIMITS = (Limit(30, 60, ("address",)),)


@reads(
    "read_invitation",
    audience={Account.PUBLIC},
    doors=(Rest("POST", "/v1/invitations/read"), GraphQL("readInvitation")),
    limits=LIMITS,
    errors=(INVITATION_INVALID,),
)
async def read_invitation(call: Call, request: ReadInvitation) -> InvitationLetter:
    """Who is invited, and by which business: for the page that the link in the letter opens."""
    found = await _standing(call.house, call.work, request)
    return InvitationLetter(
        client_name=found.client_name,
        name=found.name,
        email=found.email,
        account=found.account,
        expires_at=found.expires_at,
    )


async def hash_chosen_password(doorstep: Doorstep, request: AcceptInvitation) -> tuple[Any, str]:
    """The invitation, and the hash of the chosen password. Raises `INVITATION_INVALID`, or `INVALID_REQUEST` if weak."""
    async with doorstep.house.database.read(None) as work:
        found = await _standing(doorstep.house, work, request)
    password = request.password.get_secret_value()
    demand_strength(password, found.email, request.name or found.name, field="password")
    return found, await passwords.hashed(password)


@writes(
    "accept_invitation",
    audience={Account.PUBLIC},
    doors=(Rest("POST", "/v1/invitations/accept"), GraphQL("acceptInvitation")),
    limits=LIMITS,
    errors=(INVITATION_INVALID,),
    prepare=hash_chosen_password,
)
async def accept_invitation(call: Call, request: AcceptInvitation) -> Done:
    """Accept an invitation by choosing a password. The link in the letter works once; sign in afterwards."""
    found, password_hash = call.prepared
    if not await store.accept(call.work, _digest(request), call.now):
        raise INVITATION_INVALID()
    work = call.work.unwalled("the link says who is invited")
    named = {"name": request.name} if request.name else {}
    await user_store.change(work, found.user_id, password_hash=password_hash, **named)
    chose = request.model_dump(include={"language", "time_zone"}, exclude_none=True)
    await member_store.put(work, found.user_id, client_id=found.client_id, **chose)
    call.arrived(found.client_id, found.user_id, Account(found.account))
    call.concerns("user", found.user_id)
    return Done(message=call.say("invitation_accepted_by_you"))


def _digest(request: ReadInvitation) -> bytes:
    return token_digest(request.token.get_secret_value())


async def _standing(house: House, work: Work, request: ReadInvitation) -> Any:
    found = await store.behind(work, _digest(request))
    if found is None or not found.active or status(found, house.clock()) is not Status.PENDING:
        raise INVITATION_INVALID()
    return found
