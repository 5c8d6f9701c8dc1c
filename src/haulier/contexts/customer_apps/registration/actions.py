"""Creating the customer of a completed registration."""

from msgspec import Struct
from msgspec.structs import replace

from haulier.contexts.customer_apps.identities.actions import bind_identity, bind_phone
from haulier.contexts.customer_apps.identities.queries import find_identity_user, find_phone_user_id
from haulier.contexts.customer_apps.identities.rules import IDENTITY_CONFLICT
from haulier.contexts.customer_apps.registration.rules import PHONE_TAKEN
from haulier.contexts.identity.accounts.rules import EMAIL_TAKEN
from haulier.contexts.identity.events import UserCreated
from haulier.contexts.identity.public import add_user, find_user_by_email, require_test_email
from haulier.kernel.call import Call, SignedInActor
from haulier.kernel.data.unit_of_work import UniqueConflict
from haulier.kernel.operations.enums import Account
from haulier.kernel.principal import Principal

_TENANCY_REASON = "people register before they have signed in"


class Applicant(Struct, frozen=True, kw_only=True):
    """A person who proved a phone and entered their name and address."""

    client_id: int
    phone: str
    name: str
    email: str
    password_hash: str | None
    issuer: str | None
    subject: str | None


class RegisteredCustomer(Struct, frozen=True, kw_only=True):
    """The customer of an applicant."""

    id: int
    name: str
    email: str
    account: str


async def act_for_client(call: Call, client_id: int) -> Call:
    """Return the same anonymous call on behalf of a client.

    Its jobs, events and audit entry belong to that client.
    """
    business = await call.app.identity.business(call.work, client_id)
    call.signed_in_as = SignedInActor(client_id, None, Account.PUBLIC)
    principal = Principal(Account.PUBLIC, business=business)
    return replace(call, app=call.app.of_business(business), principal=principal)


async def require_not_registered(call: Call, applicant: Applicant) -> None:
    """Raise `PHONE_TAKEN`, `EMAIL_TAKEN` or `IDENTITY_CONFLICT` for an existing user."""
    if await find_phone_user_id(call.work, applicant.client_id, applicant.phone):
        raise PHONE_TAKEN()
    if await find_user_by_email(call.work, applicant.email):
        raise EMAIL_TAKEN(email=applicant.email)
    if applicant.issuer and await find_identity_user(call.work, applicant.issuer, applicant.subject or ""):
        raise IDENTITY_CONFLICT()


async def create_registered_customer(call: Call, applicant: Applicant) -> RegisteredCustomer:
    """Create the customer of an applicant, and publish it.

    The call runs on behalf of the client. Raises as `require_not_registered`.
    """
    if call.business.test:
        require_test_email(applicant.email)
    await require_not_registered(call, applicant)
    client_id, at = applicant.client_id, call.now
    try:
        user_id = await add_user(
            call.work.without_tenant_filter(_TENANCY_REASON),
            client_id=client_id,
            email=applicant.email,
            name=applicant.name,
            account=Account.CUSTOMER,
            password_hash=applicant.password_hash,
            now=at,
        )
        await bind_phone(call.work, client_id=client_id, phone=applicant.phone, user_id=user_id, at=at)
        if applicant.issuer and applicant.subject:
            await bind_identity(call.work, issuer=applicant.issuer, subject=applicant.subject, user_id=user_id, at=at)
    except UniqueConflict as conflict:
        raise _conflict_error(conflict, applicant) from None
    call.add_audit_subjects("user", user_id)
    await call.publish(UserCreated(user_id=user_id, account=Account.CUSTOMER))
    return RegisteredCustomer(id=user_id, name=applicant.name, email=applicant.email, account=Account.CUSTOMER.value)


def _conflict_error(conflict: UniqueConflict, applicant: Applicant) -> Exception:
    """The error for a user who was created between the check and the write."""
    if "user_phone" in conflict.constraint:
        return PHONE_TAKEN()
    if "identity_binding" in conflict.constraint:
        return IDENTITY_CONFLICT()
    return EMAIL_TAKEN(email=applicant.email)
