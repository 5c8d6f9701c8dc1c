"""What other contexts, the command line and the seed may ask of access."""

from collections.abc import Collection
from datetime import datetime, timedelta

from msgspec import Struct

from haulier.contexts.access.accounts import passwords, tokens, writing
from haulier.contexts.access.accounts.rules.passwords import LENGTH_MIN, weakness
from haulier.contexts.access.accounts.rules.places import known_currency, known_time_zone
from haulier.contexts.access.accounts.rules.scopes import DEFAULT_PROFILE, effective
from haulier.contexts.access.accounts.rules.switches import REVOKED, switched, taken_away
from haulier.contexts.access.accounts.rules.users import EMAIL_TAKEN as EMAIL_TAKEN
from haulier.contexts.access.accounts.store import clients as client_store
from haulier.contexts.access.accounts.store import tokens as token_store
from haulier.contexts.access.accounts.store import users as user_store
from haulier.contexts.access.accounts.writing import Reader as Reader
from haulier.contexts.access.accounts.writing import write_to as write_to
from haulier.contexts.access.apps import offering
from haulier.contexts.access.apps import store as app_store
from haulier.contexts.access.apps.offering import UnknownApp as UnknownApp
from haulier.contexts.access.apps.rules.menu import ROLES
from haulier.contexts.access.invitations.contract import InviteUser
from haulier.contexts.access.invitations.operations import invite_user
from haulier.contexts.access.ports import Sms
from haulier.contexts.access.texting import sending
from haulier.contexts.access.texting import store as texting_store
from haulier.kernel.call import Call
from haulier.kernel.data.work import Work
from haulier.kernel.declarations import Account, Feature, Module, PriceFamily, Scope
from haulier.kernel.house import House
from haulier.kernel.principal import Business, Principal
from haulier.kernel.profiles import scopes_of

PASSWORD_LENGTH_MIN = LENGTH_MIN
"""Characters that a password has at least."""


class UserFacts(Struct, frozen=True, kw_only=True):
    """A user, as other contexts see one."""

    id: int
    name: str
    email: str
    account: Account
    active: bool


async def users(call: Call, ids: Collection[int]) -> dict[int, UserFacts]:
    """The users of this client among some ids, in one statement; disabled ones too."""
    rows = await user_store.some(call.work, ids)
    return {
        row.id: UserFacts(
            id=row.id, name=row.name, email=row.email, account=Account(row.account), active=bool(row.active)
        )
        for row in rows
    }


async def user_of_kind(call: Call, id: int, account: Account) -> UserFacts | None:
    """The active user of this client with that id, when their account is of the kind."""
    user = (await users(call, [id])).get(id)
    return user if user and user.active and user.account is account else None


async def customer_as_caller(work: Work, business: Business, user_id: int) -> Principal | None:
    """An active customer of a business as if they called, with their rights and without the prices that are hidden from them.

    For what is read on their behalf while they are not there. None for anybody else.
    """
    user = await user_store.one(work, user_id)
    if user is None or not user.active or user.account != Account.CUSTOMER:
        return None
    return Principal(
        Account.CUSTOMER,
        user_id=user.id,
        name=user.name,
        business=business,
        scopes=effective(Account.CUSTOMER, None),
        hidden_prices=frozenset(family for family in PriceFamily if family.value in user.hidden_prices),
    )


async def admins(call: Call) -> list[int]:
    """The active admins of this client: whom to tell what nobody in particular is told."""
    return await writing.admins(call.work)


async def reader(work: Work, client_id: int, user_id: int) -> Reader | None:
    """Somebody of a client to write to, or None for one who has no account there any more."""
    return await writing.reader(work, client_id, user_id)


async def send_sms(house: House, client_id: int, phone: str, text: str) -> None:
    """Send a text message to a number in E.164 for a client, through its own account or the platform's carrier.

    For errands. Raises `SmsRefused` for one that will never be taken, `OSError` when it is not taken now.
    """
    await sending.send(house, client_id, phone, text)


async def can_send_sms(house: House, work: Work) -> bool:
    """Whether anybody carries text messages for the client of a unit of work."""
    return house.adapter(Sms).configured or await texting_store.of(work) is not None


async def invite(call: Call, *, name: str, email: str, account: Account, language: str | None = None) -> int:
    """Invite somebody by e-mail, in the name of the client. Returns the id of the user, who exists from now on.

    Raises `EMAIL_TAKEN`.
    """
    asked = InviteUser.model_validate({"name": name, "email": email, "account": account, "language": language})
    return (await invite_user(call, asked)).invitation.user_id


async def client_by_code(work: Work, code: str) -> int | None:
    """The id of the client with a code, or None."""
    return await client_store.id_of(work, code)


async def client_codes(work: Work) -> set[str]:
    """The codes of every client on the platform: for seeds and the command line."""
    return await client_store.codes(work)


async def create_client(
    work: Work,
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
    return await client_store.add(
        work,
        code=code,
        name=name,
        time_zone=known_time_zone(time_zone),
        currency=known_currency(currency),
        country=country,
        modules=sorted(modules),
        features=sorted(features),
        settings={},
        created_at=now,
    )


async def set_feature_revoked(work: Work, client_id: int, feature: Feature, *, revoked: bool) -> None:
    """Take an opt-in family from a client, or give the choice back: for the platform's operator. It counts at once.

    While it is taken the family answers as when it is off, and the client cannot switch it on.
    """
    client = await client_store.one(work, client_id, lock=True)
    taken = switched(taken_away(client.settings), feature.value, on=revoked)
    await client_store.change(work, client_id, settings={**client.settings, REVOKED: taken})


class WeakPassword(Exception):
    """A password that the interface would not take either; the text is the id of the message that says why."""


async def create_user(
    work: Work, *, client_id: int, email: str, name: str, account: Account, now: datetime, password: str | None = None
) -> int:
    """Write a user of a client. Returns the id. Raises `Conflict` when the address is taken.

    A weak password raises `WeakPassword`. It is hashed while the unit of work is open: for the command line and seeds, not
    for calls.
    """
    if password and (reason := weakness(password, email.strip().lower(), name)):
        raise WeakPassword(reason)
    return await user_store.add(
        work.unwalled("the command line acts for every client"),
        client_id=client_id,
        email=email.strip().lower(),
        name=name,
        account=account.value,
        password_hash=await passwords.hashed(password) if password else None,
        active=True,
        hidden_prices=[],
        created_at=now,
    )


async def issue_token(
    work: Work,
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
    issued = await tokens.issue(
        work,
        client_id=client_id,
        user_id=user_id,
        now=now,
        kind=token_store.API,
        lifetime=timedelta(days=days),
        scopes=effective(account, scopes),
        name=name,
    )
    return issued.token


async def add_app(
    work: Work,
    *,
    code: str,
    name: str,
    type: str,
    now: datetime,
    idp_issuer: str | None = None,
    server_client_id: str | None = None,
) -> int:
    """Write an app of the platform; clients then switch it on. Returns the id. Raises `Conflict` when the code is taken.

    `idp_issuer` is the OpenID provider whose tokens for the audience `server_client_id` are trusted. `KeyError` for a type of
    app that there is not.
    """
    return await app_store.add(
        work,
        code=code,
        name=name,
        type=type,
        schema_version=1,
        roles=sorted(ROLES[type]),
        idp_issuer=idp_issuer,
        server_client_id=server_client_id,
        active=True,
        created_at=now,
    )


async def offer_app(work: Work, *, app_code: str, client_code: str, on: bool, now: datetime) -> bool:
    """Switch an app on or off for a client: for the platform's operator. Returns whether it changed anything.

    Raises `UnknownApp` when there is no such app, or no such client.
    """
    return await offering.offer(work, app_code=app_code, client_code=client_code, on=on, now=now)


class UnknownUser(LookupError):
    """Nobody has this e-mail address."""


async def issue_token_by_email(
    work: Work, *, email: str, now: datetime, profile: str = DEFAULT_PROFILE, days: int = 90
) -> str:
    """Issue an API token with a profile's scopes, as far as the user's account has them. Returns its text.

    Raises `UnknownUser`, or `UNKNOWN_PROFILE`.
    """
    scopes = scopes_of(profile)
    user = await user_store.by_email(work, email.strip().lower())
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
