"""ID tokens of OpenID providers (OpenID Connect Core 1.0, section 3.1.3.7).

Keys come from the discovery documents of the providers. They are fetched when first needed, cached for as long as the
provider allows within bounds, and fetched again when a token names an unknown key, so that a provider can change its
keys at any time. Refetches are rate-limited: many tokens with unknown keys cause few requests.
"""

import asyncio
import json
import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from msgspec import Struct

from haulier.adapters.http_client import open_client
from haulier.contexts.customer_apps.ports import IdTokenClaims, InvalidIdToken
from haulier.late_import import LateModule

if TYPE_CHECKING:
    import httpx
    from joserfc import errors, jwk, jws, jwt

    PublicKey = jwk.RSAKey | jwk.ECKey | jwk.OKPKey
else:
    httpx, PublicKey = LateModule("httpx"), Any
    errors, jwk, jws, jwt = map(LateModule, ("joserfc.errors", "joserfc.jwk", "joserfc.jws", "joserfc.jwt"))

ALGORITHMS: Mapping[str, str] = {
    **dict.fromkeys(("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"), "RSAKey"),
    **dict.fromkeys(("ES256", "ES384", "ES512"), "ECKey"),
    "EdDSA": "OKPKey",
    "Ed25519": "OKPKey",
}
"""Signature algorithms that only the provider can use.

`none` is excluded. So is HS256, whose key is not limited to the provider.
"""

MAX_CLOCK_SKEW = timedelta(seconds=30)
"""Allowed difference between the provider's clock and the local clock."""

MIN_REFETCH_INTERVAL = timedelta(seconds=30)
MIN_KEY_LIFETIME, DEFAULT_KEY_LIFETIME, MAX_KEY_LIFETIME = timedelta(minutes=5), timedelta(hours=1), timedelta(hours=24)
TIMEOUT_S = 5.0
MAX_DOCUMENT_BYTES = 256 * 1024
MAX_SUBJECT_CHARACTERS = 255
_MAX_AGE = re.compile(r"(?:^|[ ,])max-age=([0-9]{1,9})")


class ProviderKeys(Struct, frozen=True):
    """Keys of a provider at a point in time."""

    known: tuple[PublicKey, ...]
    fetched_at: datetime
    fresh_until: datetime


class OpenIdTokens:
    """Verifier of ID tokens. It only connects to issuers that the operator configured."""

    def __init__(self) -> None:
        self._keys: dict[str, ProviderKeys] = {}
        self._failed_at: dict[str, datetime] = {}
        self._asking: dict[str, asyncio.Lock] = {}

    async def person(
        self, id_token: str, *, issuer: str, audience: str, now: datetime, nonce: str | None
    ) -> IdTokenClaims:
        """Return the verified claims of a token.

        Raises `InvalidIdToken`, or `OSError` if the issuer's keys cannot be fetched.
        """
        try:
            unproven = jws.extract_compact(id_token.encode("ascii"))
            claimed = unproven.headers()
            algorithm = claimed.get("alg")
            if not isinstance(algorithm, str) or algorithm not in ALGORITHMS:
                raise InvalidIdToken(f"signed with {algorithm!r}")
            # An invalid token must not cause a request to the provider. Nothing is verified yet.
            _require_claims(json.loads(unproven.payload), issuer, audience, now, nonce)
            key = await self._key(issuer, getattr(jwk, ALGORITHMS[algorithm]), algorithm, claimed.get("kid"), now)
            token = jwt.decode(id_token, key, algorithms=[algorithm])
            _require_claims(token.claims, issuer, audience, now, nonce)
        except (errors.JoseError, ValueError, RecursionError) as error:
            raise InvalidIdToken(str(error)) from None
        return _person_of_claims(token.claims, issuer)

    async def _key(self, issuer: str, kind: type, algorithm: Any, kid: Any, now: datetime) -> PublicKey:
        keys = self._keys.get(issuer)
        if keys is None or keys.fresh_until <= now:
            keys = await self._ask(issuer, now, instead_of=keys)
        key = _pick_key(keys, kind, algorithm, kid)
        if key is None and keys.fetched_at <= now - MIN_REFETCH_INTERVAL:
            keys = await self._ask(issuer, now, instead_of=keys)
            key = _pick_key(keys, kind, algorithm, kid)
        if key is None:
            raise InvalidIdToken(f"no key {kid!r} for {algorithm}")
        return key

    async def _ask(self, issuer: str, now: datetime, instead_of: ProviderKeys | None) -> ProviderKeys:
        """Return the issuer's keys, fetched by one caller at a time.

        A caller that waited uses the keys that the previous caller fetched.
        """
        async with self._asking.setdefault(issuer, asyncio.Lock()):
            cached = self._keys.get(issuer)
            if cached is not None and cached is not instead_of:
                return cached
            if (failed := self._failed_at.get(issuer)) and failed > now - MIN_REFETCH_INTERVAL:
                raise OSError(f"{issuer} could not be asked a moment ago")
            try:
                keys = self._keys[issuer] = await _fetch_keys(issuer, now)
            except OSError:
                self._failed_at[issuer] = now
                raise
            return keys


async def _fetch_keys(issuer: str, now: datetime) -> ProviderKeys:
    try:
        async with open_client(timeout=TIMEOUT_S) as http:
            about, _ = await _fetch_json_document(http, f"{issuer.rstrip('/')}/.well-known/openid-configuration")
            if about.get("issuer") != issuer:
                raise OSError(f"the document of {issuer} is about {about.get('issuer')!r}")
            where = str(about.get("jwks_uri"))
            if urlsplit(where).scheme != "https" and urlsplit(issuer).scheme == "https":
                raise OSError(f"the keys of {issuer} are at {where}, which is not private")
            document, keep = await _fetch_json_document(http, where)
        key_set = jwk.KeySet.import_key_set(
            {"keys": [key for key in document["keys"] if key.get("use", "sig") == "sig"]}
        )
    except (
        httpx.HTTPError,
        httpx.InvalidURL,
        errors.JoseError,
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
    ) as error:
        raise OSError(f"the keys of {issuer} cannot be fetched: {error!r}") from error
    usable = tuple(key for key in key_set if isinstance(key, (jwk.RSAKey, jwk.ECKey, jwk.OKPKey)))
    return ProviderKeys(usable, now, now + keep)


async def _fetch_json_document(http: "httpx.AsyncClient", url: str) -> tuple[dict[str, Any], timedelta]:
    """Return a JSON document and its cache lifetime.

    Stops reading a document that exceeds the size limit.
    """
    async with http.stream("GET", url, headers={"Accept": "application/json"}) as answer:
        answer.raise_for_status()
        body = b""
        async for part in answer.aiter_bytes():
            body += part
            if len(body) > MAX_DOCUMENT_BYTES:
                raise OSError(f"{url} is too long")
        max_age = _MAX_AGE.search(answer.headers.get("cache-control", "").lower())
    keep = timedelta(seconds=int(max_age[1])) if max_age else DEFAULT_KEY_LIFETIME
    return httpx.Response(200, content=body).json(), min(max(keep, MIN_KEY_LIFETIME), MAX_KEY_LIFETIME)


def _pick_key(keys: ProviderKeys, kind: type, algorithm: Any, kid: Any) -> PublicKey | None:
    """Return the key with this ID and type.

    A token without a key ID is accepted if the provider has exactly one key of the type.
    """
    fitting = [key for key in keys.known if isinstance(key, kind) and key.get("alg", algorithm) == algorithm]
    if kid is None:
        return fitting[0] if len(fitting) == 1 else None
    return next((key for key in fitting if key.kid == kid), None)


def _require_claims(claims: Any, issuer: str, audience: str, now: datetime, nonce: str | None) -> None:
    if not isinstance(claims, dict):
        raise InvalidIdToken("it claims nothing")
    options: dict[str, Any] = {
        "iss": {"essential": True, "value": issuer},
        "sub": {"essential": True},
        "aud": {"essential": True},
        "exp": {"essential": True},
        "iat": {"essential": True},
    }
    if nonce is not None:
        options["nonce"] = {"essential": True, "value": nonce}
    seconds = int(now.timestamp())
    jwt.JWTClaimsRegistry(now=seconds, leeway=int(MAX_CLOCK_SKEW.total_seconds()), **options).validate(claims)
    if claims["aud"] not in (audience, [audience]):  # a token that also names another audience is not trusted
        raise InvalidIdToken(f"meant for {claims['aud']!r}")
    if len(claims["sub"]) > MAX_SUBJECT_CHARACTERS or not claims["sub"].isprintable():
        raise InvalidIdToken("its subject is no name")


def _person_of_claims(claims: dict[str, Any], issuer: str) -> IdTokenClaims:
    """Return the claims, with the email only if the provider verified it.

    Some providers send `email_verified` as a string.
    """
    email, verified, name = claims.get("email"), claims.get("email_verified"), claims.get("name")
    sure = isinstance(email, str) and (verified is True or verified == "true")
    return IdTokenClaims(
        issuer=issuer,
        subject=claims["sub"],
        email=str(email).strip().lower() if sure else None,
        name=name if isinstance(name, str) else None,
    )
