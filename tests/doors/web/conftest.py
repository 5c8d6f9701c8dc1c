"""Passwords are hashed as cheaply here as in the tests of accounts."""

from tests.contexts.access.conftest import _cheap_passwords

__all__ = ["_cheap_passwords"]
