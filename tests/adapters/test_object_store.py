"""Object stores: common behaviour, published signatures, S3 over real HTTP."""

import stat
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.adapters.fake_s3_server import BUCKET, KEY, REGION, FakeBucket, run_bucket
from tests.support.every_case import for_every

from haulier.adapters.object_store import FolderObjectStore, NoObjectStore, S3ObjectStore, object_store_for
from haulier.adapters.sigv4 import S3Credentials, encode_path, sign_request
from haulier.contexts.documents.ports import ObjectStore

PHOTO = b"\xff\xd8\xff" + bytes(range(256)) * 40
AMAZON = S3Credentials(
    key="AKIAIOSFODNN7EXAMPLE", secret="wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", region="us-east-1"
)
THEN = datetime(2013, 5, 24, tzinfo=UTC)
PLACE = "https://examplebucket.s3.amazonaws.com"


@pytest.fixture
def bucket() -> Iterator[FakeBucket]:
    with run_bucket() as bucket:
        yield bucket


@pytest.fixture(params=["folder", "s3"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ObjectStore]:
    if request.param == "folder":
        yield object_store_for(f"file:{tmp_path}/files")
        return
    with run_bucket() as bucket:
        yield object_store_for(bucket.setting())


async def test_a_stored_object_is_read_back_byte_for_byte(store: ObjectStore) -> None:
    await store.put("7/12/abc", PHOTO, "image/jpeg")
    await store.put("7/13/def", b"", "application/pdf")
    assert await store.get("7/12/abc") == PHOTO
    assert await store.get("7/13/def") == b""


async def test_a_range_can_be_read_and_a_missing_object_cannot(store: ObjectStore) -> None:
    await store.put("7/12/abc", PHOTO, "image/jpeg")
    assert await store.get_part("7/12/abc", 100, 50) == PHOTO[100:150]
    assert await store.get_part("7/12/abc", len(PHOTO) - 3, 3) == PHOTO[-3:]
    with pytest.raises(KeyError):
        await store.get_part("7/12/other", 0, 1)


async def test_storing_twice_is_idempotent(store: ObjectStore) -> None:
    for _ in range(2):
        await store.put("7/12/abc", PHOTO, "image/jpeg")
    assert await store.get("7/12/abc") == PHOTO


async def test_a_missing_key_and_an_unavailable_store_are_distinguished(store: ObjectStore) -> None:
    await store.put("7/12/abc", PHOTO, "image/jpeg")
    with pytest.raises(KeyError):
        await store.get("7/12/other")


async def test_deleting_is_idempotent(store: ObjectStore) -> None:
    await store.put("7/12/abc", PHOTO, "image/jpeg")
    for _ in range(2):
        await store.remove("7/12/abc")
    with pytest.raises(KeyError):
        await store.get("7/12/abc")


async def test_a_store_reports_its_availability(store: ObjectStore) -> None:
    assert store.configured
    assert not NoObjectStore().configured


@pytest.mark.parametrize(
    ("method", "url", "headers", "body", "signature"),
    [
        (
            *("GET", f"{PLACE}/test.txt", {"Range": "bytes=0-9"}, b""),
            "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
        ),
        (
            *("PUT", f"{PLACE}{encode_path('/test$file.text')}"),
            {"Date": "Fri, 24 May 2013 00:00:00 GMT", "x-amz-storage-class": "REDUCED_REDUNDANCY"},
            b"Welcome to Amazon S3.",
            "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd",
        ),
        (
            *("GET", f"{PLACE}/?lifecycle=", {}, b""),
            "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543",
        ),
        (
            *("GET", f"{PLACE}/?max-keys=2&prefix=J", {}, b""),
            "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
        ),
    ],
    ids=["get an object", "put an object", "get the life cycle", "list objects"],
)
def test_the_signature_matches_amazons_examples(
    method: str, url: str, headers: dict[str, str], body: bytes, signature: str
) -> None:
    """The four examples of authorization headers in the Amazon S3 API reference."""
    said = sign_request(AMAZON, method, url, THEN, headers=headers, body=body)
    assert said["Authorization"].endswith(f"Signature={signature}")
    assert f"Credential={AMAZON.key}/20130524/us-east-1/s3/aws4_request, " in said["Authorization"]


async def test_an_object_is_stored_in_its_bucket_with_its_media_type(bucket: FakeBucket) -> None:
    await object_store_for(bucket.setting()).put("7/12/abc", PHOTO, "image/jpeg")
    assert bucket.objects == {f"/{BUCKET}/7/12/abc": (PHOTO, "image/jpeg")}


@pytest.mark.parametrize(
    ("words", "code"),
    [({"secret": "another"}, "SignatureDoesNotMatch"), ({"bucket": "elsewhere"}, "NoSuchBucket")],
)
async def test_a_refusing_store_is_unavailable_with_the_reason(
    bucket: FakeBucket, words: dict[str, str], code: str
) -> None:
    store = object_store_for(bucket.setting(**words))
    with pytest.raises(OSError, match=code):
        await store.put("7/12/abc", PHOTO, "image/jpeg")
    with pytest.raises(OSError, match=code):
        await store.get("7/12/abc")
    assert not bucket.objects


async def test_a_wrong_clock_is_reported(bucket: FakeBucket) -> None:
    who = S3Credentials(key=KEY, secret="s3cr3t/with+odd=signs", region=REGION)
    store = S3ObjectStore(f"http://{bucket.url}/{BUCKET}", who, clock=lambda: datetime.now(UTC) - timedelta(hours=1))
    with pytest.raises(OSError, match="RequestTimeTooSkewed"):
        await store.put("7/12/abc", PHOTO, "image/jpeg")


async def test_store_errors_contain_no_secrets(bucket: FakeBucket) -> None:
    bucket.faults = [(500, "InternalError" + "x" * 500)]
    with pytest.raises(OSError) as refused:
        await object_store_for(bucket.setting()).put("7/12/abc", PHOTO, "image/jpeg")
    assert "s3cr3t" not in str(refused.value)
    assert len(str(refused.value)) < 150


async def test_an_unreachable_store_is_unavailable() -> None:
    with run_bucket() as bucket:
        store = object_store_for(bucket.setting())
    with pytest.raises(OSError):
        await store.get("7/12/abc")


def files_below(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


async def test_stored_files_are_readable_only_by_their_owner_and_written_atomically(tmp_path: Path) -> None:
    store = FolderObjectStore(tmp_path / "files")
    await store.put("7/12/abc", PHOTO, "image/jpeg")
    files = files_below(tmp_path)
    assert files == [tmp_path / "files/7/12/abc"]
    assert stat.S_IMODE(files[0].stat().st_mode) == 0o600
    (tmp_path / "files/7/13/def").mkdir(parents=True)
    with pytest.raises(OSError):
        await store.put("7/13/def", PHOTO, "image/jpeg")
    assert files_below(tmp_path / "files/7/13") == []


async def test_a_missing_folder_is_unavailable_and_not_empty(tmp_path: Path) -> None:
    with pytest.raises(OSError):
        await FolderObjectStore(tmp_path / "unmounted").get("7/12/abc")


async def test_without_a_store_nothing_is_stored_or_returned() -> None:
    store = object_store_for(None)
    with pytest.raises(OSError):
        await store.put("a", b"b", "image/png")
    with pytest.raises(OSError):
        await store.get("a")


@for_every("where", ["s3://host/bucket", "s3://key:secret@host", "gs://a:b@host/c", "file:", "s3://k:s@/b"])
def test_an_invalid_setting_is_refused(where: str) -> None:
    with pytest.raises(ValueError, match="files go to"):
        object_store_for(where)
