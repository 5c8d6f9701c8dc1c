"""Bindings of users to identities of providers, and to verified phones."""

from datetime import datetime

from sqlalchemy import Column, String, UniqueConstraint, and_, bindparam, exists, select

from haulier.contexts.customer_apps.identities.rules import ISSUER_MAX, PHONE_MAX, SUBJECT_MAX
from haulier.contexts.identity.accounts.store.tables import users
from haulier.kernel.data.personal_data import PersonKey, RecordKind, personal_data
from haulier.kernel.data.statements import Row
from haulier.kernel.data.tables import Id, UTCDateTime, directory_table, shared_table
from haulier.kernel.data.unit_of_work import UnitOfWork

bindings = shared_table(
    "identity_binding",
    Column("issuer", String(ISSUER_MAX), nullable=False),
    Column("subject", String(SUBJECT_MAX), nullable=False),
    Column("user_id", Id, nullable=False),
    Column("created_at", UTCDateTime, nullable=False),
    UniqueConstraint("issuer", "subject"),
    UniqueConstraint("issuer", "user_id"),
)
"""One identity of a provider is one user on the whole platform, and one user has one identity of a provider."""
personal_data(bindings, RecordKind.SIGN_INS, by={"user_id": PersonKey.USER})

phones = directory_table(
    "user_phone",
    Column("phone", String(PHONE_MAX), nullable=False),
    Column("user_id", Id, nullable=False, unique=True),
    Column("verified_at", UTCDateTime, nullable=False),
    UniqueConstraint("client_id", "phone"),
    why="read by email address, before sign-in",
)
"""Users who registered themselves, by the phone they proved to hold."""
personal_data(phones, RecordKind.USERS, by={"user_id": PersonKey.USER}, gives={"phone": PersonKey.PHONE})


class IdentityUserRow(Row):
    """A user of any client who may sign in with an identity provider."""

    id: int
    client_id: int
    account: str
    active: bool
    name: str
    email: str


class BindingCandidateRow(IdentityUserRow):
    """A user with the email address of an identity.

    `bound` is true if another identity of the provider is bound to the user.
    """

    bound: bool
    self_registered: bool


_user = (users.c.id, users.c.client_id, users.c.account, users.c.active, users.c.name, users.c.email)
_bound = (
    select(*_user)
    .join_from(bindings, users, users.c.id == bindings.c.user_id)
    .where(bindings.c.issuer == bindparam("issuer"), bindings.c.subject == bindparam("subject"))
)
_by_email = select(
    *_user,
    exists()
    .where(and_(bindings.c.user_id == users.c.id, bindings.c.issuer == bindparam("issuer")))
    .correlate(users)
    .label("bound"),
    exists().where(phones.c.user_id == users.c.id).correlate(users).label("self_registered"),
).where(users.c.email == bindparam("address"))
_with_phone = select(phones.c.user_id).where(
    phones.c.client_id == bindparam("client"), phones.c.phone == bindparam("number")
)
_TENANCY_REASON = "used before sign-in"


async def get_user_by_identity(work: UnitOfWork, issuer: str, subject: str) -> IdentityUserRow | None:
    """The user whom a provider knows under a subject, of any client, or None."""
    return await work.without_tenant_filter(_TENANCY_REASON).first(
        _bound, IdentityUserRow, issuer=issuer, subject=subject
    )


async def get_binding_candidate(work: UnitOfWork, email: str, issuer: str) -> BindingCandidateRow | None:
    """Return the user of any client with an address, and whether they can be bound.

    None for an unknown address.
    """
    return await work.without_tenant_filter(_TENANCY_REASON).first(
        _by_email, BindingCandidateRow, address=email, issuer=issuer
    )


async def insert_identity_binding(work: UnitOfWork, *, issuer: str, subject: str, user_id: int, at: datetime) -> None:
    """Bind a user to an identity. Raises `UniqueConflict` when either is bound."""
    await work.insert(bindings, issuer=issuer, subject=subject, user_id=user_id, created_at=at)


async def get_user_id_by_phone(work: UnitOfWork, client_id: int, phone: str) -> int | None:
    """The user of a client who registered with a phone, or None."""
    return await work.without_tenant_filter(_TENANCY_REASON).value(_with_phone, client=client_id, number=phone)


async def insert_user_phone(work: UnitOfWork, *, client_id: int, phone: str, user_id: int, at: datetime) -> None:
    """Bind a phone to a user.

    Raises `UniqueConflict` if the client already knows the phone.
    """
    wide = work.without_tenant_filter(_TENANCY_REASON)
    await wide.insert(phones, client_id=client_id, phone=phone, user_id=user_id, verified_at=at)
