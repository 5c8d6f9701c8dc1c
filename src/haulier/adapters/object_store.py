"""Object stores for files.

Implementations: none (files stay in the database), a folder, or a store with the S3 protocol.
"""

import asyncio
import os
import tempfile
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, unquote, urlsplit

from haulier.adapters.http_client import open_client
from haulier.adapters.sigv4 import S3Credentials, encode_path, sign_request
from haulier.contexts.documents.ports import ObjectStore
from haulier.kernel.data.clock import utc_now
from haulier.late_import import LateModule

if TYPE_CHECKING:
    import httpx
else:
    httpx = LateModule("httpx")

TIMEOUT_S = 20.0
DEFAULT_REGION = "us-east-1"


class NoObjectStore:
    """Placeholder used when no object store is configured."""

    configured = False

    async def put(self, key: str, content: bytes, media_type: str) -> None:
        """Raise `OSError`."""
        raise OSError("no object store is set")

    async def get(self, key: str) -> bytes:
        """Raise `OSError`."""
        raise OSError("no object store is set")

    async def get_part(self, key: str, first: int, length: int) -> bytes:
        """Raise `OSError`."""
        raise OSError("no object store is set")

    async def remove(self, key: str) -> None:
        """Do nothing."""


class FolderObjectStore:
    """Local or shared folder.

    Holds one file for each key, written atomically.
    """

    configured = True

    def __init__(self, path: Path) -> None:
        self._path = path

    async def put(self, key: str, content: bytes, media_type: str) -> None:
        """Store bytes durably, in a thread.

        The bytes are on the disk when this returns. Raises `OSError`.
        """
        await asyncio.to_thread(self._write, self._path / key, content)

    async def get(self, key: str) -> bytes:
        """Return the bytes under a key. Raises `KeyError` or `OSError`."""
        return await self._read(key, 0, -1)

    async def get_part(self, key: str, first: int, length: int) -> bytes:
        """Return a range of the bytes under a key. Raises `KeyError` or `OSError`."""
        return await self._read(key, first, length)

    async def _read(self, key: str, first: int, length: int) -> bytes:
        try:
            return await asyncio.to_thread(_read_part, self._path / key, first, length)
        except FileNotFoundError:
            if not self._path.is_dir():
                raise OSError(f"the folder {self._path} is not there") from None
            raise KeyError(key) from None

    async def remove(self, key: str) -> None:
        """Delete the bytes under a key. Raises `OSError`."""
        await asyncio.to_thread((self._path / key).unlink, missing_ok=True)

    def _write(self, place: Path, content: bytes) -> None:
        place.parent.mkdir(parents=True, exist_ok=True)
        handle, partial = tempfile.mkstemp(dir=place.parent)  # readable only by its owner
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            Path(partial).replace(place)
        except BaseException:
            Path(partial).unlink(missing_ok=True)
            raise


class S3ObjectStore:
    """Bucket of Amazon S3 or of a compatible store, such as MinIO, Ceph or Garage.

    The bucket is named in the path, which all of these stores accept. Objects are private. Only this application reads
    them.
    """

    configured = True

    def __init__(
        self,
        bucket_url: str,
        who: S3Credentials,
        *,
        clock: Callable[[], datetime] = utc_now,
        transport: "httpx.AsyncBaseTransport | None" = None,
    ) -> None:
        self._url, self._who, self._clock, self._transport = bucket_url.rstrip("/"), who, clock, transport

    async def put(self, key: str, content: bytes, media_type: str) -> None:
        """Store bytes. Raises `OSError` for any response but success."""
        answer = await self._ask("PUT", key, content, {"Content-Type": media_type})
        if not answer.is_success:
            raise OSError(f"the object store said {answer.status_code} to a PUT: {_s3_error_code(answer)}")

    async def get(self, key: str) -> bytes:
        """Return the bytes under a key.

        Raises `KeyError` if the store reports that the key does not exist, else `OSError`.
        """
        answer = await self._ask("GET", key)
        if answer.status_code == 404 and _s3_error_code(answer) == "NoSuchKey":
            raise KeyError(key)
        if not answer.is_success:
            raise OSError(f"the object store said {answer.status_code} to a GET: {_s3_error_code(answer)}")
        return answer.content

    async def get_part(self, key: str, first: int, length: int) -> bytes:
        """Return a range of the bytes under a key.

        Supports stores that ignore the Range header. Raises the same errors as `get`.
        """
        answer = await self._ask("GET", key, headers={"Range": f"bytes={first}-{first + length - 1}"})
        if answer.status_code == 404 and _s3_error_code(answer) == "NoSuchKey":
            raise KeyError(key)
        if not answer.is_success:
            raise OSError(f"the object store said {answer.status_code} to a GET: {_s3_error_code(answer)}")
        return answer.content if answer.status_code == 206 else answer.content[first : first + length]

    async def remove(self, key: str) -> None:
        """Delete the bytes under a key.

        S3 responds with 204 even if the key does not exist. Raises `OSError`.
        """
        answer = await self._ask("DELETE", key)
        if not answer.is_success:
            raise OSError(f"the object store said {answer.status_code} to a DELETE: {_s3_error_code(answer)}")

    async def _ask(
        self, method: str, key: str, body: bytes = b"", headers: dict[str, str] | None = None
    ) -> "httpx.Response":
        url = f"{self._url}/{encode_path(key)}"
        sent = sign_request(self._who, method, url, self._clock(), headers=headers, body=body)
        try:
            async with open_client(timeout=TIMEOUT_S, transport=self._transport) as http:
                return await http.request(method, url, content=body or None, headers=sent)
        except httpx.HTTPError as error:
            raise OSError(f"the object store did not answer: {error!r}") from error


def _read_part(place: Path, first: int, length: int) -> bytes:
    with place.open("rb") as file:
        file.seek(first)
        return file.read(length)


def _s3_error_code(answer: "httpx.Response") -> str:
    """Return the code of an S3 error document.

    The rest of the document is dropped because it repeats the request.
    """
    _, separator, rest = answer.text[:4000].partition("<Code>")
    return rest.partition("</Code>")[0][:60] if separator else ""


def object_store_for(where: str | None) -> ObjectStore:
    """Return the object store that a setting names.

    Accepts `s3://key:secret@host/bucket?region=…`, `file:folder`, or None. `s3+http://` connects without TLS, for a
    store in the same private network. Raises `ValueError` for anything else.
    """
    if where is None:
        return NoObjectStore()
    parts = urlsplit(where)
    if parts.scheme == "file" and parts.path:
        return FolderObjectStore(Path(parts.path))
    bucket = parts.path.strip("/")
    if parts.scheme not in {"s3", "s3+http"} or not (parts.username and parts.password and parts.hostname and bucket):
        raise ValueError("files go to s3://key:secret@host/bucket?region=… or to file:folder")
    region = parse_qs(parts.query).get("region", [DEFAULT_REGION])[0]
    who = S3Credentials(key=unquote(parts.username), secret=unquote(parts.password), region=region)
    host = f"{parts.hostname}:{parts.port}" if parts.port else parts.hostname
    return S3ObjectStore(f"{'https' if parts.scheme == 's3' else 'http'}://{host}/{encode_path(unquote(bucket))}", who)
