"""ID tokens must be signed by the provider for this audience and time."""

import asyncio
import base64
import hashlib
import hmac
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from joserfc import jwt
from joserfc.jwk import OctKey, RSAKey
from tests.contexts.customer_apps.openid_provider import AUDIENCE, OpenIdProvider, make_key, run_openid_provider
from tests.support.every_case import for_every

from haulier.adapters.openid_tokens import MIN_KEY_LIFETIME, MIN_REFETCH_INTERVAL, OpenIdTokens
from haulier.contexts.customer_apps.ports import IdTokenClaims, InvalidIdToken

NOW = datetime(2026, 6, 10, 14, tzinfo=UTC)
HOUR = timedelta(hours=1)


@pytest.fixture
def provider() -> Iterator[OpenIdProvider]:
    with run_openid_provider() as provider:
        yield provider


def seconds(at: datetime) -> int:
    return int(at.timestamp())


async def read(
    provider: OpenIdProvider,
    token: str,
    *,
    reader: OpenIdTokens | None = None,
    at: datetime = NOW,
    nonce: str | None = None,
) -> IdTokenClaims:
    return await (reader or OpenIdTokens()).person(
        token, issuer=provider.issuer, audience=AUDIENCE, now=at, nonce=nonce
    )


async def refused(provider: OpenIdProvider, token: str, **words: Any) -> str:
    with pytest.raises(InvalidIdToken) as info:
        await read(provider, token, **words)
    return str(info.value)


@pytest.mark.parametrize("kid", ["rsa-1", "ec-1"])
async def test_a_token_signed_by_the_provider_for_us_identifies_the_user(provider: OpenIdProvider, kid: str) -> None:
    person = await read(provider, provider.token(NOW, kid=kid, email="Ada@Demo.Example", name="Ada"))
    assert person == IdTokenClaims(issuer=provider.issuer, subject="person-1", email="ada@demo.example", name="Ada")


@for_every("verified", [False, None, "false", 1])
async def test_an_unverified_address_is_ignored(provider: OpenIdProvider, verified: Any) -> None:
    assert (await read(provider, provider.token(NOW, email_verified=verified))).email is None


@pytest.mark.parametrize(
    "claims",
    [
        {"aud": "somebody-else"},
        {"aud": ["somebody-else"]},
        {"aud": [AUDIENCE, "somebody-else"]},
        {"aud": []},
        {"aud": None},
        {"iss": "https://evil.example"},
        {"iss": None},
        {"sub": None},
        {"sub": ""},
        {"sub": "x" * 256},
        {"sub": 7},
        {"exp": seconds(NOW - timedelta(seconds=31))},
        {"exp": None},
        {"exp": "tomorrow"},
        {"iat": seconds(NOW + timedelta(seconds=31))},
        {"iat": None},
        {"nbf": seconds(NOW + timedelta(seconds=31))},
    ],
    ids=str,
)
async def test_a_token_for_another_audience_or_time_is_refused(
    provider: OpenIdProvider, claims: dict[str, Any]
) -> None:
    await refused(provider, provider.token(NOW, **claims))
    assert provider.asked == 0  # rejected by its claims: no request to the provider


async def test_small_clock_differences_are_tolerated(provider: OpenIdProvider) -> None:
    edge = timedelta(seconds=29)
    await read(provider, provider.token(NOW, exp=seconds(NOW - edge), iat=seconds(NOW - HOUR)))
    await read(provider, provider.token(NOW, iat=seconds(NOW + edge)))


async def test_the_nonce_of_the_request_must_be_in_the_token(provider: OpenIdProvider) -> None:
    await read(provider, provider.token(NOW, nonce="n-1"), nonce="n-1")
    await refused(provider, provider.token(NOW, nonce="n-2"), nonce="n-1")
    await refused(provider, provider.token(NOW), nonce="n-1")


def unsigned(provider: OpenIdProvider, algorithm: str) -> str:
    parts = ({"alg": algorithm, "typ": "JWT", "kid": "rsa-1"}, provider.claims(NOW))
    texts = [base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=").decode() for part in parts]
    return ".".join([*texts, ""])


@for_every("algorithm", ["none", "None", "NONE", ""])
async def test_a_token_without_a_signature_is_refused(provider: OpenIdProvider, algorithm: str) -> None:
    await refused(provider, unsigned(provider, algorithm))


@pytest.mark.parametrize("encoding", ["PEM", "DER"])
async def test_a_public_key_is_not_accepted_as_a_shared_secret(provider: OpenIdProvider, encoding: Any) -> None:
    """The known confusion of HS256 with the provider's public key as its secret."""
    secret = make_key("rsa-1").as_bytes(encoding=encoding, private=False)
    said = unsigned(provider, "HS256").removesuffix(".")
    signature = hmac.new(secret, said.encode(), hashlib.sha256).digest()
    await refused(provider, f"{said}.{base64.urlsafe_b64encode(signature).rstrip(b'=').decode()}")


async def test_a_symmetric_key_among_the_providers_keys_is_ignored(provider: OpenIdProvider) -> None:
    secret = OctKey.generate_key(256, {"kid": "oct-1", "use": "sig"})
    provider.more_keys = [secret.as_dict(private=True)]
    head = {"alg": "HS256", "kid": "oct-1"}
    await refused(provider, jwt.encode(head, provider.claims(NOW), secret, algorithms=["HS256"]))


async def test_a_key_of_another_type_does_not_verify_a_signature(provider: OpenIdProvider) -> None:
    await refused(provider, provider.token(NOW, kid="ec-1", header={"kid": "rsa-1"}))


async def test_an_encryption_key_does_not_verify_a_signature(provider: OpenIdProvider) -> None:
    mine = RSAKey.generate_key(2048, {"kid": "rsa-enc", "use": "enc"})
    provider.more_keys = [mine.as_dict(private=False)]
    # The signer must not look at `use`, as a forger would not.
    signing = RSAKey.import_key({**mine.as_dict(private=True), "use": "sig"})
    head = {"alg": "RS256", "kid": "rsa-enc"}
    await refused(provider, jwt.encode(head, provider.claims(NOW), signing))


async def test_a_signature_by_another_key_is_refused(provider: OpenIdProvider) -> None:
    await refused(provider, provider.token(NOW, kid="rsa-forged", header={"kid": "rsa-1"}))


async def test_a_key_in_the_tokens_header_is_ignored(provider: OpenIdProvider) -> None:
    forged = make_key("rsa-forged")
    head = {"alg": "RS256", "kid": "rsa-1", "jwk": forged.as_dict(private=False)}
    await refused(provider, jwt.encode(head, provider.claims(NOW), forged))


async def test_a_changed_claim_invalidates_the_signature(provider: OpenIdProvider) -> None:
    head, _, signature = provider.token(NOW).split(".")
    other = provider.token(NOW, sub="person-2").split(".")[1]
    await refused(provider, f"{head}.{other}.{signature}")


@for_every("text", ["x", "a.b", "a.b.c", "....", "é.é.é", "e30.e30.", "bnVsbA.bnVsbA.", "\0"])
async def test_a_malformed_token_is_refused(provider: OpenIdProvider, text: str) -> None:
    await refused(provider, text)
    assert provider.asked == 0


async def test_keys_are_fetched_once_while_fresh(provider: OpenIdProvider) -> None:
    reader = OpenIdTokens()
    await asyncio.gather(*(read(provider, provider.token(NOW), reader=reader) for _ in range(5)))
    late = NOW + timedelta(minutes=59)
    await read(provider, provider.token(late), reader=reader, at=late)
    assert provider.asked == 1
    later = NOW + HOUR
    await read(provider, provider.token(later), reader=reader, at=later)
    assert provider.asked == 2


async def test_keys_are_cached_as_the_provider_says_within_limits(provider: OpenIdProvider) -> None:
    reader = OpenIdTokens()
    provider.max_age_s = 0
    await read(provider, provider.token(NOW), reader=reader)
    soon = NOW + MIN_KEY_LIFETIME - timedelta(seconds=1)
    await read(provider, provider.token(soon), reader=reader, at=soon)
    assert provider.asked == 1


async def test_a_new_key_is_found_immediately_and_the_old_one_stops_working(provider: OpenIdProvider) -> None:
    reader = OpenIdTokens()
    old = provider.token(NOW)
    await read(provider, old, reader=reader)
    provider.kids = ["rsa-2"]
    later = NOW + timedelta(minutes=1)
    await read(provider, provider.token(later, kid="rsa-2"), reader=reader, at=later)
    assert provider.asked == 2
    assert "rsa-1" in await refused(provider, old, reader=reader, at=later)


async def test_many_unknown_keys_cause_only_occasional_fetches(provider: OpenIdProvider) -> None:
    reader = OpenIdTokens()
    await read(provider, provider.token(NOW), reader=reader)
    for n in range(5):
        await refused(provider, provider.token(NOW, header={"kid": f"rsa-{n + 7}"}), reader=reader)
    assert provider.asked == 1
    later = NOW + MIN_REFETCH_INTERVAL
    for n in range(5):
        await refused(provider, provider.token(later, header={"kid": f"rsa-{n + 7}"}), reader=reader, at=later)
    assert provider.asked == 2


async def test_a_token_without_a_key_id_is_accepted_if_one_key_matches(provider: OpenIdProvider) -> None:
    await read(provider, provider.token(NOW, header={"kid": None}))
    provider.kids = ["rsa-1", "rsa-2"]
    await refused(provider, provider.token(NOW, header={"kid": None}))


async def test_an_unavailable_provider_is_reported_as_such(provider: OpenIdProvider) -> None:
    reader = OpenIdTokens()
    provider.down = True
    with pytest.raises(OSError):
        await read(provider, provider.token(NOW), reader=reader)
    provider.down = False
    with pytest.raises(OSError, match="a moment ago"):
        await read(provider, provider.token(NOW), reader=reader)
    later = NOW + MIN_REFETCH_INTERVAL
    assert (await read(provider, provider.token(later), reader=reader, at=later)).subject == "person-1"


async def test_a_document_for_another_issuer_is_refused(provider: OpenIdProvider) -> None:
    provider.says_it_is = "https://evil.example"
    with pytest.raises(OSError, match="evil"):
        await read(provider, provider.token(NOW))


async def test_an_unreachable_provider_is_handled() -> None:
    with run_openid_provider() as gone:
        token = gone.token(NOW)
    with pytest.raises(OSError):
        await read(gone, token)
