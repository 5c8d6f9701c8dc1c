"""Passwords are hashed cheaply here, too: these tests are about what is answered."""

from tests.contexts.access.conftest import _cheap_passwords

__all__ = ["_cheap_passwords"]
