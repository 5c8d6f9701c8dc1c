"""Passwords are hashed as cheaply as argon2 allows: these tests are about who comes in, not about how long guessing takes."""

from collections.abc import Iterator

import pytest
from pwdlib import PasswordHash
from pwdlib.hashers.argon2 import Argon2Hasher

from haulier.contexts.access.accounts import passwords


@pytest.fixture(autouse=True)
def _cheap_passwords(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    cheap = PasswordHash((Argon2Hasher(time_cost=1, memory_cost=8, parallelism=1),))
    monkeypatch.setattr(passwords, "_hasher", cheap)
    passwords._nobodys.cache_clear()
    yield
    passwords._nobodys.cache_clear()
