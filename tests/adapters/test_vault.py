"""Encrypted secrets open only with the operator's key and for their subject."""

import os
from base64 import b64encode, urlsafe_b64encode
from pathlib import Path

import pytest
from tests.support.every_case import for_every

from haulier.adapters.key_ring import KeyRing, RingVault
from haulier.adapters.vault import KEY_BYTES, EncryptedVault
from haulier.kernel.secrets import SecretUnreadable

OLD, NEW = os.urandom(KEY_BYTES), os.urandom(KEY_BYTES)
SECRET = "tök-en 42"
FOLDER = Path("unused")


def test_a_sealed_value_opens_for_its_subject() -> None:
    kept = EncryptedVault(OLD)
    sealed = kept.seal(SECRET, "a")
    assert kept.open(sealed, "a") == SECRET
    assert SECRET not in sealed
    assert kept.seal(SECRET, "a") != sealed


def test_a_sealed_value_opens_for_no_other_subject() -> None:
    sealed = EncryptedVault(OLD).seal(SECRET, "client 1")
    with pytest.raises(SecretUnreadable, match="something else"):
        EncryptedVault(OLD).open(sealed, "client 2")
    _, *rest = sealed.split(".")
    forged = ".".join([EncryptedVault(OLD).seal("x", "client 2").split(".")[0], *rest])
    with pytest.raises(SecretUnreadable):
        EncryptedVault(OLD).open(forged, "client 2")


def test_a_new_key_opens_old_values_only_with_the_old_key_configured() -> None:
    sealed = EncryptedVault(OLD).seal(SECRET, "a")
    with pytest.raises(SecretUnreadable):
        EncryptedVault(NEW).open(sealed, "a")
    both = EncryptedVault(NEW, OLD)
    assert both.open(sealed, "a") == SECRET
    assert EncryptedVault(NEW).open(both.seal(SECRET, "a"), "a") == SECRET


@for_every("junk", ["", "x", "a.b.c.d.e", "e30....", "é"])
def test_unsealed_data_is_refused(junk: str) -> None:
    with pytest.raises(SecretUnreadable):
        EncryptedVault(OLD).open(junk, "a")


def test_a_tampered_email_is_refused() -> None:
    sealed = EncryptedVault(OLD).seal(SECRET, "a")
    body, _, tag = sealed.rpartition(".")
    changed = f"{body}.{'B' if tag[0] != 'B' else 'C'}{tag[1:]}"
    with pytest.raises(SecretUnreadable) as info:
        EncryptedVault(OLD).open(changed, "a")
    assert SECRET not in str(info.value)


def test_without_a_key_nothing_is_stored() -> None:
    nothing = RingVault(KeyRing(None, FOLDER))
    assert not nothing.available
    for refused in (nothing.seal, nothing.open):
        with pytest.raises(SecretUnreadable):
            refused(SECRET, "a")


def test_keys_are_accepted_in_either_base64_alphabet() -> None:
    both = RingVault(KeyRing(f"{urlsafe_b64encode(NEW).decode().rstrip('=')},{b64encode(OLD).decode()}", FOLDER))
    assert both.available
    assert both.open(EncryptedVault(OLD).seal(SECRET, "a"), "a") == SECRET
    assert EncryptedVault(NEW).open(both.seal(SECRET, "a"), "a") == SECRET


@for_every("text", ["short", b64encode(b"x" * 31).decode(), "====", f"{b64encode(bytes(32)).decode()},"])
def test_an_invalid_key_is_refused_without_being_shown(text: str) -> None:
    with pytest.raises(ValueError, match="32 random bytes") as info:
        KeyRing(text, FOLDER)
    assert text not in str(info.value)
