"""Signatures: Standard Webhooks' own example, every byte counts, and time passes."""

from base64 import b64encode
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from haulier.contexts.integrations.webhooks.rules import signing
from haulier.contexts.integrations.webhooks.rules.signing import (
    ID,
    SIGNATURE,
    TIMESTAMP,
    Standing,
    headers,
    judge,
    key_of,
)

NOW = datetime(2026, 6, 10, 14, tzinfo=UTC)
KEYS = st.binary(min_size=16, max_size=64)
IDS = st.from_regex(r"[A-Za-z0-9_-]{1,40}", fullmatch=True)


def test_the_example_of_the_specification_comes_out() -> None:
    """The example that libraries of Standard Webhooks are tested with."""
    key = key_of("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    at = datetime.fromtimestamp(1614265330, UTC)
    assert key
    told = headers("msg_p5jXN8AQM9LWM0D4loKWxJek", at, b'{"test": 2432232314}', [key])
    assert told == {
        ID: "msg_p5jXN8AQM9LWM0D4loKWxJek",
        TIMESTAMP: "1614265330",
        SIGNATURE: "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    }


@given(key=KEYS, body=st.binary(max_size=200), id=IDS, late_s=st.integers(-300, 300))
def test_what_we_sign_is_valid_for_five_minutes_either_way(key: bytes, body: bytes, id: str, late_s: int) -> None:
    told = headers(id, NOW, body, [key])
    assert judge(told, body, key, NOW + timedelta(seconds=late_s)) is Standing.VALID


@given(key=KEYS, other=KEYS, body=st.binary(min_size=1, max_size=200), at=st.integers(0, 199), flip=st.integers(1, 255))
def test_another_key_or_one_changed_byte_is_noticed(key: bytes, other: bytes, body: bytes, at: int, flip: int) -> None:
    told = headers("msg_1", NOW, body, [key])
    changed = bytearray(body)
    changed[at % len(body)] ^= flip
    assert judge(told, bytes(changed), key, NOW) is Standing.MISMATCH
    assert judge({**told, ID: "msg_2"}, body, key, NOW) is Standing.MISMATCH
    assert judge({**told, TIMESTAMP: str(int(told[TIMESTAMP]) + 1)}, body, key, NOW) is Standing.MISMATCH
    if other.ljust(64, b"\0") != key.ljust(64, b"\0"):  # HMAC pads a short key with zeros
        assert judge(told, body, other, NOW) is Standing.MISMATCH


@given(keys=st.lists(KEYS, min_size=2, max_size=3, unique_by=lambda key: key.ljust(64, b"\0")))
def test_while_a_secret_is_replaced_both_fit(keys: list[bytes]) -> None:
    told = headers("msg_1", NOW, b"{}", keys)
    assert all(judge(told, b"{}", key, NOW) is Standing.VALID for key in keys)
    assert len(told[SIGNATURE].split()) == len(keys)


@pytest.mark.parametrize(("late_s", "standing"), [(301, Standing.TOO_OLD), (-301, Standing.TOO_NEW)])
def test_what_is_too_far_from_now_is_not_believed(late_s: int, standing: Standing) -> None:
    told = headers("msg_1", NOW, b"{}", [b"k" * 32])
    assert judge(told, b"{}", b"k" * 32, NOW + timedelta(seconds=late_s)) is standing
    assert judge(told, b"{}", b"k" * 32, NOW + timedelta(seconds=late_s), tolerance_s=400) is Standing.VALID


@given(timestamp=st.text(max_size=20), signature=st.text(max_size=60))
def test_whatever_stands_in_the_headers_is_judged_and_never_valid(timestamp: str, signature: str) -> None:
    told = {ID: "msg_1", TIMESTAMP: timestamp, SIGNATURE: signature.encode("utf-8", "replace").decode()}
    assert judge(told, b"{}", b"k" * 32, NOW) is not Standing.VALID


def test_a_secret_has_256_bits_and_others_between_128_and_512_are_taken() -> None:
    one, other = signing.new_secret(), signing.new_secret()
    assert one != other
    assert [len(key_of(each) or b"") for each in (one, other)] == [32, 32]
    sizes = {size: key_of("whsec_" + b64encode(b"k" * size).decode()) is not None for size in (15, 16, 64, 65)}
    assert sizes == {15: False, 16: True, 64: True, 65: False}
    assert [key_of(each) for each in ("", "whsec_", "whsec_not base64", "ключ")] == [None] * 4
