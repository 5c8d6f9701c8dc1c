"""Passwords: requests."""

from typing import Annotated

from pydantic import Field, SecretStr, StringConstraints

from haulier.contexts.identity.accounts.contract import UserRef
from haulier.contexts.identity.fields import Password
from haulier.kernel.operations.declaration import Request


class RequestPasswordReset(Request):
    """A user with a lost password."""

    email: Annotated[str, StringConstraints(strip_whitespace=True, to_lower=True, min_length=1, max_length=254)]
    """The address that the user signs in with."""


class ResetPassword(Request):
    """The token of the link in the e-mail, and a new password."""

    token: Annotated[SecretStr, Field(min_length=1, max_length=100)]
    """The token."""
    new_password: Password
    """At least ten characters."""


class ChangePassword(Request):
    """The old password and a new one."""

    current_password: Password
    """The password that counts now."""
    new_password: Password
    """At least ten characters."""


class SetUserPassword(UserRef):
    """A new password for a user."""

    password: Password
    """At least ten characters."""
