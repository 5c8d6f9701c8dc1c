"""Making a user of somebody who proved a phone."""

from msgspec import Struct
from msgspec.structs import replace

from haulier.contexts.access.accounts.rules.users import EMAIL_TAKEN
from haulier.contexts.access.accounts.store import users as user_store
from haulier.contexts.access.events import UserCreated
from haulier.contexts.access.identities import store as identity_store
from haulier.contexts.access.identities.rules import IDENTITY_CONFLICT
from haulier.contexts.access.registration.rules.steps import PHONE_TAKEN
from haulier.kernel.call import Arrival, Call
from haulier.kernel.data.work import Conflict
from haulier.kernel.declarations import Account
from haulier.kernel.principal import Principal

_BY_THEMSELVES = "people register before they have come in"


class Applicant(Struct, frozen=True, kw_only=True):
    """Somebody who proved a phone and said who they are."""

    client_id: int
    phone: str
    name: str
    email: str
    password_hash: str | None
    issuer: str | None
    subject: str | None


class NewUser(Struct, frozen=True, kw_only=True):
    """The customer who came of an applicant."""

    id: int
    name: str
    email: str
    account: str


async def at_client(call: Call, client_id: int) -> Call:
    """The same call of nobody, on behalf of a client: what it posts and announces, and its audit, belong to that client."""
    business = await call.house.identity.business(call.work, client_id)
    call.arrival = Arrival(client_id, None, Account.PUBLIC)
    return replace(call, principal=Principal(Account.PUBLIC, business=business))


async def demand_free(call: Call, applicant: Applicant) -> None:
    """Raises `PHONE_TAKEN`, `EMAIL_TAKEN` or `IDENTITY_CONFLICT` for somebody who is here already."""
    if await identity_store.user_with_phone(call.work, applicant.client_id, applicant.phone):
        raise PHONE_TAKEN()
    if await user_store.by_email(call.work, applicant.email):
        raise EMAIL_TAKEN(email=applicant.email)
    if applicant.issuer and await identity_store.bound(call.work, applicant.issuer, applicant.subject or ""):
        raise IDENTITY_CONFLICT()


async def admit(call: Call, applicant: Applicant) -> NewUser:
    """Make a customer of an applicant, and announce them. The call runs on behalf of the client. Raises as `demand_free`."""
    await demand_free(call, applicant)
    client_id, at = applicant.client_id, call.now
    try:
        id = await user_store.add(
            call.work.unwalled(_BY_THEMSELVES),
            client_id=client_id,
            email=applicant.email,
            name=applicant.name,
            account=Account.CUSTOMER.value,
            password_hash=applicant.password_hash,
            active=True,
            hidden_prices=[],
            created_at=at,
        )
        await identity_store.keep_phone(call.work, client_id=client_id, phone=applicant.phone, user_id=id, at=at)
        if applicant.issuer and applicant.subject:
            await identity_store.bind(call.work, issuer=applicant.issuer, subject=applicant.subject, user_id=id, at=at)
    except Conflict as conflict:
        raise _taken(conflict, applicant) from None
    call.concerns("user", id)
    await call.announce(UserCreated(user_id=id, account=Account.CUSTOMER))
    return NewUser(id=id, name=applicant.name, email=applicant.email, account=Account.CUSTOMER.value)


def _taken(conflict: Conflict, applicant: Applicant) -> Exception:
    """Somebody was faster, between our look and our write."""
    if "user_phone" in conflict.constraint:
        return PHONE_TAKEN()
    if "identity_binding" in conflict.constraint:
        return IDENTITY_CONFLICT()
    return EMAIL_TAKEN(email=applicant.email)
