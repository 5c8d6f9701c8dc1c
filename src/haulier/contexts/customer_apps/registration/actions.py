"""Making a user of somebody who proved a phone."""

from msgspec import Struct
from msgspec.structs import replace

from haulier.contexts.customer_apps.identities import store as identity_store
from haulier.contexts.customer_apps.identities.rules import IDENTITY_CONFLICT
from haulier.contexts.customer_apps.registration.rules.lifecycle import PHONE_TAKEN
from haulier.contexts.identity.accounts.rules.users import EMAIL_TAKEN
from haulier.contexts.identity.accounts.store import users as user_store
from haulier.contexts.identity.events import UserCreated
from haulier.kernel.call import Call, SignedInActor
from haulier.kernel.data.unit_of_work import UniqueConflict
from haulier.kernel.operations.enums import Account
from haulier.kernel.principal import Principal

_TENANCY_REASON = "people register before they have come in"


class Applicant(Struct, frozen=True, kw_only=True):
    """Somebody who proved a phone and said who they are."""

    client_id: int
    phone: str
    name: str
    email: str
    password_hash: str | None
    issuer: str | None
    subject: str | None


class RegisteredCustomer(Struct, frozen=True, kw_only=True):
    """The customer who came of an applicant."""

    id: int
    name: str
    email: str
    account: str


async def act_for_client(call: Call, client_id: int) -> Call:
    """The same call of nobody, on behalf of a client: what it posts and announces, and its audit, belong to that client."""
    business = await call.app.identity.business(call.work, client_id)
    call.signed_in_as = SignedInActor(client_id, None, Account.PUBLIC)
    return replace(call, principal=Principal(Account.PUBLIC, business=business))


async def require_not_registered(call: Call, applicant: Applicant) -> None:
    """Raises `PHONE_TAKEN`, `EMAIL_TAKEN` or `IDENTITY_CONFLICT` for somebody who is here already."""
    if await identity_store.get_user_id_by_phone(call.work, applicant.client_id, applicant.phone):
        raise PHONE_TAKEN()
    if await user_store.get_user_by_email(call.work, applicant.email):
        raise EMAIL_TAKEN(email=applicant.email)
    if applicant.issuer and await identity_store.get_user_by_identity(
        call.work, applicant.issuer, applicant.subject or ""
    ):
        raise IDENTITY_CONFLICT()


async def create_registered_customer(call: Call, applicant: Applicant) -> RegisteredCustomer:
    """Make a customer of an applicant, and announce them. The call runs on behalf of the client. Raises as `demand_free`."""
    await require_not_registered(call, applicant)
    client_id, at = applicant.client_id, call.now
    try:
        id = await user_store.insert_user(
            call.work.without_tenant_filter(_TENANCY_REASON),
            client_id=client_id,
            email=applicant.email,
            name=applicant.name,
            account=Account.CUSTOMER.value,
            password_hash=applicant.password_hash,
            active=True,
            hidden_prices=[],
            created_at=at,
        )
        await identity_store.insert_user_phone(call.work, client_id=client_id, phone=applicant.phone, user_id=id, at=at)
        if applicant.issuer and applicant.subject:
            await identity_store.insert_identity_binding(
                call.work, issuer=applicant.issuer, subject=applicant.subject, user_id=id, at=at
            )
    except UniqueConflict as conflict:
        raise _conflict_error(conflict, applicant) from None
    call.add_audit_subjects("user", id)
    await call.publish(UserCreated(user_id=id, account=Account.CUSTOMER))
    return RegisteredCustomer(id=id, name=applicant.name, email=applicant.email, account=Account.CUSTOMER.value)


def _conflict_error(conflict: UniqueConflict, applicant: Applicant) -> Exception:
    """Somebody was faster, between our look and our write."""
    if "user_phone" in conflict.constraint:
        return PHONE_TAKEN()
    if "identity_binding" in conflict.constraint:
        return IDENTITY_CONFLICT()
    return EMAIL_TAKEN(email=applicant.email)
