"""What other contexts, the command line and the seed may ask of identity."""

from collections.abc import Collection
from datetime import datetime, timedelta

from msgspec import Struct

from haulier.contexts.identity.accounts.actions import passwords, tokens
from haulier.contexts.identity.accounts.notifications import mail
from haulier.contexts.identity.accounts.notifications.mail import MailRecipient as MailRecipient
from haulier.contexts.identity.accounts.notifications.mail import send_mail_to as send_mail_to
from haulier.contexts.identity.accounts.queries.absent_users import get_absent_principal as get_absent_principal
from haulier.contexts.identity.accounts.rules.features import REVOKED_FEATURES_SETTING, revoked_features, with_switch
from haulier.contexts.identity.accounts.rules.passwords import LENGTH_MIN, password_weakness
from haulier.contexts.identity.accounts.rules.scopes import effective_scopes
from haulier.contexts.identity.accounts.rules.users import EMAIL_TAKEN as EMAIL_TAKEN
from haulier.contexts.identity.accounts.store import clients as client_store
from haulier.contexts.identity.accounts.store import tokens as token_store
from haulier.contexts.identity.accounts.store import users as user_store
from haulier.contexts.identity.fields import validate_currency, validate_time_zone
from haulier.contexts.identity.invitations.contract import InviteUser
from haulier.contexts.identity.invitations.operations.invitations import invite_user
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.enums import Account, Feature, Module, PriceFamily, Scope
from haulier.kernel.operations.scope_profiles import DEFAULT_PROFILE, get_profile_scopes
from haulier.kernel.principal import Business, Principal

PASSWORD_LENGTH_MIN = LENGTH_MIN
"""Characters that a password has at least."""


class UserFacts(Struct, frozen=True, kw_only=True):
    """A user, as other contexts see one."""

    id: int
    name: str
    email: str
    account: Account
    active: bool


async def get_users_by_id(call: Call, ids: Collection[int]) -> dict[int, UserFacts]:
    """The users of this client among some ids, in one statement; disabled ones too."""
    rows = await user_store.list_users_by_id(call.work, ids)
    return {
        row.id: UserFacts(
            id=row.id, name=row.name, email=row.email, account=Account(row.account), active=bool(row.active)
        )
        for row in rows
    }


async def get_user_of_account(call: Call, id: int, account: Account) -> UserFacts | None:
    """The active user of this client with that id, when their account is of the kind."""
    user = (await get_users_by_id(call, [id])).get(id)
    return user if user and user.active and user.account is account else None


async def get_customer_principal(work: UnitOfWork, business: Business, user_id: int) -> Principal | None:
    """An active customer of a business as if they called, with their rights and without the prices that are hidden from them.

    For what is read on their behalf while they are not there. None for anybody else.
    """
    user = await user_store.get_user_row(work, user_id)
    if user is None or not user.active or user.account != Account.CUSTOMER:
        return None
    return Principal(
        Account.CUSTOMER,
        user_id=user.id,
        name=user.name,
        business=business,
        scopes=effective_scopes(Account.CUSTOMER, None),
        hidden_prices=frozenset(family for family in PriceFamily if family.value in user.hidden_prices),
    )


async def list_admin_ids(call: Call) -> list[int]:
    """The active admins of this client: whom to tell what nobody in particular is told."""
    return await mail.load_admin_ids(call.work)


async def get_mail_recipient(work: UnitOfWork, client_id: int, user_id: int) -> MailRecipient | None:
    """Somebody of a client to write to, or None for one who has no account there any more."""
    return await mail.load_mail_recipient(work, client_id, user_id)


async def invite_user_by_email(
    call: Call, *, name: str, email: str, account: Account, language: str | None = None
) -> int:
    """Invite somebody by e-mail, in the name of the client. Returns the id of the user, who exists from now on.

    Raises `EMAIL_TAKEN`.
    """
    asked = InviteUser.model_validate({"name": name, "email": email, "account": account, "language": language})
    return (await invite_user(call, asked)).invitation.user_id


async def get_client_id_by_code(work: UnitOfWork, code: str) -> int | None:
    """The id of the client with a code, or None."""
    return await client_store.get_client_id(work, code)


async def list_client_codes(work: UnitOfWork) -> set[str]:
    """The codes of every client on the platform: for seeds and the command line."""
    return await client_store.list_all_client_codes(work)


async def create_client(
    work: UnitOfWork,
    *,
    code: str,
    name: str,
    time_zone: str,
    currency: str,
    now: datetime,
    country: str | None = None,
    modules: Collection[Module] = (),
    features: Collection[Feature] = (),
) -> int:
    """Write a client. Returns the id. Raises `Conflict` when the code is taken, `ValueError` for an unknown time zone."""
    return await client_store.insert_client(
        work,
        code=code,
        name=name,
        time_zone=validate_time_zone(time_zone),
        currency=validate_currency(currency),
        country=country,
        modules=sorted(modules),
        features=sorted(features),
        settings={},
        created_at=now,
    )


async def set_feature_revoked(work: UnitOfWork, client_id: int, feature: Feature, *, revoked: bool) -> None:
    """Take an opt-in family from a client, or give the choice back: for the platform's operator. It counts at once.

    While it is taken the family answers as when it is off, and the client cannot switch it on.
    """
    client = await client_store.get_client_row(work, client_id, lock=True)
    taken = with_switch(revoked_features(client.settings), feature.value, on=revoked)
    await client_store.update_client_row(work, client_id, settings={**client.settings, REVOKED_FEATURES_SETTING: taken})


class WeakPassword(Exception):
    """A password that the interface would not take either; the text is the id of the message that says why."""


async def provision_user(
    work: UnitOfWork,
    *,
    client_id: int,
    email: str,
    name: str,
    account: Account,
    now: datetime,
    password: str | None = None,
) -> int:
    """Write a user of a client. Returns the id. Raises `Conflict` when the address is taken.

    A weak password raises `WeakPassword`. It is hashed while the unit of work is open: for the command line and seeds, not
    for calls.
    """
    if password and (reason := password_weakness(password, email.strip().lower(), name)):
        raise WeakPassword(reason)
    return await user_store.insert_user(
        work.without_tenant_filter("the command line acts for every client"),
        client_id=client_id,
        email=email.strip().lower(),
        name=name,
        account=account.value,
        password_hash=await passwords.hash_password(password) if password else None,
        active=True,
        hidden_prices=[],
        created_at=now,
    )


async def issue_token(
    work: UnitOfWork,
    *,
    client_id: int,
    user_id: int,
    account: Account,
    now: datetime,
    scopes: Collection[Scope] | None = None,
    days: int = 90,
    name: str | None = None,
) -> str:
    """Issue an API token to a user and return its text; without scopes it may do all that the account may."""
    issued = await tokens.issue_access_token(
        work,
        client_id=client_id,
        user_id=user_id,
        now=now,
        kind=token_store.API,
        lifetime=timedelta(days=days),
        scopes=effective_scopes(account, scopes),
        name=name,
    )
    return issued.token


class UnknownUser(LookupError):
    """Nobody has this e-mail address."""


async def issue_token_by_email(
    work: UnitOfWork, *, email: str, now: datetime, profile: str = DEFAULT_PROFILE, days: int = 90
) -> str:
    """Issue an API token with a profile's scopes, as far as the user's account has them. Returns its text.

    Raises `UnknownUser`, or `UNKNOWN_PROFILE`.
    """
    scopes = get_profile_scopes(profile)
    user = await user_store.get_user_by_email(work, email.strip().lower())
    if user is None:
        raise UnknownUser(email)
    return await issue_token(
        work,
        client_id=user.client_id,
        user_id=user.id,
        account=Account(user.account),
        now=now,
        scopes=scopes,
        days=days,
        name=profile,
    )
