"""Passwords: hashed with argon2id, off the event loop, a few at a time.

One hash costs about a tenth of a second and 64 MiB on purpose; the pool's size is the bound on both.
"""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache

from pwdlib import PasswordHash

HASHING_THREADS = 2
_hasher = PasswordHash.recommended()
_pool = ThreadPoolExecutor(max_workers=HASHING_THREADS, thread_name_prefix="password")


def use_hasher(hasher: PasswordHash) -> None:
    """Hash with other parameters from now on, in the whole process."""
    global _hasher
    _hasher = hasher
    _dummy_hash.cache_clear()


async def hash_password(password: str) -> str:
    """Hash a password."""
    return await asyncio.get_running_loop().run_in_executor(_pool, _hasher.hash, password)


async def check_password_hash(password: str, stored_hash: str | None) -> tuple[bool, str | None]:
    """Whether a password has the kept hash, and a new hash when the kept one has older parameters.

    Without a kept hash (no such user, no password) the answer is no, after the same work: the time taken reveals nothing.
    """
    return await asyncio.get_running_loop().run_in_executor(_pool, _check_hash, password, stored_hash)


def _check_hash(password: str, stored_hash: str | None) -> tuple[bool, str | None]:
    # Why: made before the choice, so that the first call of the process takes as long with a kept hash as without one.
    dummy = _dummy_hash()
    matches, new_hash = _hasher.verify_and_update(password, stored_hash or dummy)
    return (matches, new_hash) if stored_hash else (False, None)


@lru_cache(maxsize=1)
def _dummy_hash() -> str:
    return _hasher.hash("the password of nobody")
