"""HTTP caching of a read: entity tags, 304, and answers cached in this process."""

import zlib
from collections.abc import Hashable

from haulier.kernel.application import Application
from haulier.kernel.call import Call
from haulier.kernel.http.conditional_requests import format_http_date, matches_preconditions
from haulier.kernel.http.response_cache import PendingEntry
from haulier.kernel.operations.caching import Fingerprint, Http
from haulier.kernel.operations.declaration import Request
from haulier.kernel.pipeline.request import OperationRequest
from haulier.kernel.pipeline.result import OperationResult
from haulier.kernel.principal import ANONYMOUS, Principal

VARY = "Accept, Accept-Language, Authorization"


class CachedRead:
    """One read of an operation with `http`.

    Call `answer_from_memory`, then `before` and `after` the handler.
    """

    def __init__(
        self, app: Application, incoming: OperationRequest, result: OperationResult, principal: Principal, http: Http
    ) -> None:
        self._cache = app.response_cache
        self._incoming = incoming
        self._result = result
        self._principal = principal
        self._http = http
        self._form = incoming.preconditions.form if incoming.preconditions else ""
        self._pending: PendingEntry | None = None

    def answer_from_memory(self) -> bool:
        """Answer from the cache and return True, if the answer for this caller is cached."""
        key = self._cache_key()
        if key is None:
            return False
        stored = self._cache.get(key)
        if stored is None:
            self._pending = self._cache.pending_entry(key, self._http.invalidated_by)  # type: ignore[arg-type]
            return False
        self._result.headers, self._result.cached_body = stored.headers, stored.body
        self._result.unchanged = matches_preconditions(
            self._incoming.preconditions, stored.headers["ETag"], stored.fingerprint
        )
        return True

    async def before(self, call: Call, request: Request) -> bool:
        """Set the caching headers. Returns True if the caller already has the answer."""
        call.headers["Cache-Control"] = (
            f"public, max-age={self._http.cache_s}" if self._principal is ANONYMOUS else "private, no-cache"
        )
        call.headers["Vary"] = VARY
        preconditions = self._incoming.preconditions
        # Read an answer that is about to be cached even if the caller already has it.
        if self._pending or preconditions is None or not preconditions.is_conditional:
            return False
        fingerprint = await self._http.fingerprint(call, request)
        if fingerprint is not None:
            self._result.unchanged = matches_preconditions(
                preconditions, self._set_validators(call, fingerprint), fingerprint
            )
        return self._result.unchanged

    def after(self, call: Call, request: Request) -> None:
        """Set the validators of the answer and have it cached if allowed."""
        if call.fingerprint is None:
            return
        etag = self._set_validators(call, call.fingerprint)
        if self._pending:
            self._result.store = self._cache.store_callback(
                self._pending, self._http, request, call.headers, call.fingerprint
            )
            self._result.unchanged = matches_preconditions(self._incoming.preconditions, etag, call.fingerprint)

    def _cache_key(self) -> Hashable | None:
        """Return the cache key of a REST request, or None if it is not cacheable.

        It includes the caller with all rights, so a change of rights invalidates the cached answers.
        """
        invalidated_by, principal = self._http.invalidated_by, self._principal
        if invalidated_by is None or self._incoming.interface != "rest":
            return None
        if principal is not ANONYMOUS and principal.account not in invalidated_by.kept_for:
            return None
        name, texts = self._incoming.operation.name, self._incoming.texts
        return principal, name, self._result.language, self._form, *texts.items()

    def _set_validators(self, call: Call, fingerprint: Fingerprint) -> str:
        """Set ETag and Last-Modified.

        The tag is weak: equal data, not necessarily equal bytes.
        """
        digest = zlib.crc32(f"{self._incoming.texts}{call.language}{call.actor}{self._form}".encode())
        call.headers["ETag"] = etag = f'W/"{fingerprint.tag}-{digest:08x}"'
        if fingerprint.modified:
            call.headers["Last-Modified"] = format_http_date(fingerprint.modified)
        return etag
