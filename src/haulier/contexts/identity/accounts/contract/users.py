"""Users: requests and answers."""

from datetime import datetime
from typing import Annotated

from pydantic import Field

from haulier.contexts.identity.fields import (
    Email,
    Name,
    Password,
    UserAccount,
)
from haulier.contexts.identity.ports import LeftBehind
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.enums import Account, PriceFamily
from haulier.kernel.operations.ids import UserId
from haulier.kernel.values.pagination import PagedAnswer, PageRequest


class UserRef(Request):
    """Which user."""

    user_id: UserId
    """The user's id."""


class CreateUser(Request):
    """A new user of the client."""

    name: Name
    """The name that others see."""
    email: Email
    """The e-mail address for sign-in; unique on the whole platform."""
    account: UserAccount
    """The kind of account. It stays, except that client admins and employees may become each other."""
    password: Password | None = None
    """At least ten characters. Without one the user cannot sign in until an admin sets one; providers need none."""


class UpdateUser(UserRef):
    """What to change about a user; what is left out stays."""

    name: Name | None = None
    """The name that others see."""
    email: Email | None = None
    """What the user signs in with."""
    account: UserAccount | None = None
    """Client admin or employee, for a user who is one of the two."""


class ListUsers(PageRequest):
    """Which users."""

    account: UserAccount | None = None
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
    active: Annotated[bool, doc("False when the user may no longer sign in")]
    hidden_prices: Annotated[
        list[str], doc("Order families whose prices this customer does not see", [PriceFamily.LABEL_SERVICE.value])
    ]
    created_at: datetime


class UserDetail(Answer):
    """One user."""

    result: bool = True
    user: UserRecord


class DisabledUser(UserDetail):
    """A user who was disabled, and what waited for them."""

    left_behind: LeftBehind


class UserList(PagedAnswer):
    """A page of users, by name."""

    users: list[UserRecord]
