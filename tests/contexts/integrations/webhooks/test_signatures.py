"""Signatures: Standard Webhooks' own example, every byte counts, and time passes."""

from base64 import b64encode
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from haulier.contexts.integrations.webhooks import rules
from haulier.contexts.integrations.webhooks.rules import (
    ID_HEADER,
    SIGNATURE_HEADER,
    TIMESTAMP_HEADER,
    SignatureVerification,
    decode_secret_key,
    signature_headers,
    verify_signature,
)

NOW = datetime(2026, 6, 10, 14, tzinfo=UTC)
KEYS = st.binary(min_size=16, max_size=64)
IDS = st.from_regex(r"[A-Za-z0-9_-]{1,40}", fullmatch=True)


def test_the_example_of_the_specification_is_reproduced() -> None:
    """The example that libraries of Standard Webhooks are tested with."""
    key = decode_secret_key("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    at = datetime.fromtimestamp(1614265330, UTC)
    assert key
    told = signature_headers("msg_p5jXN8AQM9LWM0D4loKWxJek", at, b'{"test": 2432232314}', [key])
    assert told == {
        ID_HEADER: "msg_p5jXN8AQM9LWM0D4loKWxJek",
        TIMESTAMP_HEADER: "1614265330",
        SIGNATURE_HEADER: "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    }


@given(key=KEYS, body=st.binary(max_size=200), id=IDS, late_s=st.integers(-300, 300))
def test_a_signature_is_valid_for_five_minutes_in_either_direction(
    key: bytes, body: bytes, id: str, late_s: int
) -> None:
    told = signature_headers(id, NOW, body, [key])
    assert verify_signature(told, body, key, NOW + timedelta(seconds=late_s)) is SignatureVerification.VALID


@given(key=KEYS, other=KEYS, body=st.binary(min_size=1, max_size=200), at=st.integers(0, 199), flip=st.integers(1, 255))
def test_a_wrong_key_or_a_changed_byte_is_detected(key: bytes, other: bytes, body: bytes, at: int, flip: int) -> None:
    told = signature_headers("msg_1", NOW, body, [key])
    changed = bytearray(body)
    changed[at % len(body)] ^= flip
    assert verify_signature(told, bytes(changed), key, NOW) is SignatureVerification.MISMATCH
    assert verify_signature({**told, ID_HEADER: "msg_2"}, body, key, NOW) is SignatureVerification.MISMATCH
    assert (
        verify_signature({**told, TIMESTAMP_HEADER: str(int(told[TIMESTAMP_HEADER]) + 1)}, body, key, NOW)
        is SignatureVerification.MISMATCH
    )
    if other.ljust(64, b"\0") != key.ljust(64, b"\0"):  # HMAC pads a short key with zeros
        assert verify_signature(told, body, other, NOW) is SignatureVerification.MISMATCH


@given(keys=st.lists(KEYS, min_size=2, max_size=3, unique_by=lambda key: key.ljust(64, b"\0")))
def test_both_secrets_verify_during_a_rotation(keys: list[bytes]) -> None:
    told = signature_headers("msg_1", NOW, b"{}", keys)
    assert all(verify_signature(told, b"{}", key, NOW) is SignatureVerification.VALID for key in keys)
    assert len(told[SIGNATURE_HEADER].split()) == len(keys)


@pytest.mark.parametrize(
    ("late_s", "standing"), [(301, SignatureVerification.TOO_OLD), (-301, SignatureVerification.TOO_NEW)]
)
def test_a_timestamp_too_far_from_now_is_refused(late_s: int, standing: SignatureVerification) -> None:
    told = signature_headers("msg_1", NOW, b"{}", [b"k" * 32])
    assert verify_signature(told, b"{}", b"k" * 32, NOW + timedelta(seconds=late_s)) is standing
    assert (
        verify_signature(told, b"{}", b"k" * 32, NOW + timedelta(seconds=late_s), tolerance_s=400)
        is SignatureVerification.VALID
    )


@given(timestamp=st.text(max_size=20), signature=st.text(max_size=60))
def test_arbitrary_headers_are_checked_and_never_valid(timestamp: str, signature: str) -> None:
    told = {
        ID_HEADER: "msg_1",
        TIMESTAMP_HEADER: timestamp,
        SIGNATURE_HEADER: signature.encode("utf-8", "replace").decode(),
    }
    assert verify_signature(told, b"{}", b"k" * 32, NOW) is not SignatureVerification.VALID


def test_a_generated_secret_has_256_bits_and_128_to_512_are_accepted() -> None:
    one, other = rules.generate_webhook_secret(), rules.generate_webhook_secret()
    assert one != other
    assert [len(decode_secret_key(each) or b"") for each in (one, other)] == [32, 32]
    sizes = {
        size: decode_secret_key("whsec_" + b64encode(b"k" * size).decode()) is not None for size in (15, 16, 64, 65)
    }
    assert sizes == {15: False, 16: True, 64: True, 65: False}
    assert [decode_secret_key(each) for each in ("", "whsec_", "whsec_not base64", "ключ")] == [None] * 4
