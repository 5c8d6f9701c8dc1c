"""Users: what the world asks and gets."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, EmailStr, Field, SecretStr, StringConstraints

from haulier.contexts.access.accounts.rules.passwords import LENGTH_MAX
from haulier.contexts.access.accounts.rules.places import known_time_zone
from haulier.kernel.answers import Answer, doc
from haulier.kernel.declarations import Account, PriceFamily
from haulier.kernel.operation import Request
from haulier.kernel.pages import Page, Paged

UserId = Annotated[int, Field(ge=1, le=2**53 - 1)]
Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=120)]
Email = Annotated[EmailStr, Field(max_length=254), AfterValidator(str.lower)]
Language = Literal["en", "zh-Hans", "zh-Hant", "fr", "de", "es"]
TimeZone = Annotated[str, Field(max_length=64, examples=["America/Toronto"]), AfterValidator(known_time_zone)]
Password = Annotated[SecretStr, Field(min_length=1, max_length=LENGTH_MAX)]
OfAUser = Literal[
    Account.CLIENT_ADMIN,
    Account.EMPLOYEE,
    Account.CONTRACTOR,
    Account.DRIVER,
    Account.CUSTOMER,
    Account.PROVIDER,
]


class ThisUser(Request):
    """Which user."""

    user_id: UserId
    """The user's id."""


class CreateUser(Request):
    """A new user of the client."""

    name: Name
    """The name that others see."""
    email: Email
    """What the user signs in with; nobody else on the platform may have it."""
    account: OfAUser
    """The kind of account. It stays, except that client admins and employees may become each other."""
    password: Password | None = None
    """At least ten characters. Without one the user cannot sign in until an admin sets one; providers need none."""


class UpdateUser(ThisUser):
    """What to change about a user; what is left out stays."""

    name: Name | None = None
    """The name that others see."""
    email: Email | None = None
    """What the user signs in with."""
    account: OfAUser | None = None
    """Client admin or employee, for a user who is one of the two."""


class SetUserPassword(ThisUser):
    """A new password for a user who lost theirs."""

    password: Password
    """At least ten characters."""


class ListUsers(Page):
    """Which users."""

    account: OfAUser | None = None
    """Only accounts of this kind."""
    active: bool | None = None
    """Only active or only disabled users."""
    search: Annotated[str, Field(min_length=1, max_length=120)] | None = None
    """Part of a name or e-mail address."""


class UserRecord(Answer):
    """A user of the client."""

    id: Annotated[int, doc("The user's id", 17)]
    name: str
    email: str
    account: Annotated[str, doc("The kind of account", Account.EMPLOYEE.value)]
    active: Annotated[bool, doc("False when the user may not come in any more")]
    hidden_prices: Annotated[
        list[str], doc("Order families whose prices this customer does not see", [PriceFamily.LABEL_SERVICE.value])
    ]
    created_at: datetime


class OneUser(Answer):
    """One user."""

    result: bool = True
    user: UserRecord


class UserList(Paged):
    """A page of users, by name."""

    users: list[UserRecord]
