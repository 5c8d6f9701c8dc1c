"""Files: stored in the caller's transaction, moved to the store and opened."""

import hashlib
from base64 import b64decode
from typing import Any

import pytest
from sqlalchemy import func, select
from tests.contexts.documents.makers import JPEG, PDF, FakeObjectStore
from tests.support.app import App
from tests.support.every_case import for_every

from haulier.contexts.documents import public as documents
from haulier.contexts.documents.files.queries import FileAccessRule, register_file_access
from haulier.contexts.documents.files.store import contents, files
from haulier.contexts.documents.ports import ObjectStore
from haulier.kernel.call import Call
from haulier.kernel.job_run import JobRun
from haulier.kernel.operations.enums import Scope
from haulier.kernel.operations.errors import OperationError

KIND = "made_up_thing"


@pytest.fixture(autouse=True)
def declared_file_access(monkeypatch: pytest.MonkeyPatch) -> None:
    """It lets the first customer see the files about thing 1."""

    async def may_see(call: Call, thing: int) -> bool:
        return thing == 1 and call.principal.name == "Customer"

    monkeypatch.setattr(
        "haulier.contexts.documents.files.queries._file_access_rules",
        {KIND: FileAccessRule(Scope.ORDERS_READ, may_see)},
    )


async def make_saved_file(app: App, about: str = f"{KIND}:1", content: bytes = JPEG, **words: Any) -> int:
    """Store a file of the system for the demo client; return its id."""
    async with JobRun(app.application, app.clients["demo"], 1, 1).call() as call:
        given = {"content": content, "media_type": "image/jpeg", "name": "photo.jpg", **words}
        return await documents.save_file(call, about=about, **given)


def make_object_store(app: App) -> FakeObjectStore:
    """From now on files go to a store."""
    shelf = FakeObjectStore()
    app.application.adapters = {**app.application.adapters, ObjectStore: shelf}
    return shelf


async def count_contents_in_database(app: App) -> int:
    """Return the number of files with bytes in the database."""
    async with app.database.read(app.clients["demo"]) as work:
        return await work.value(select(func.count()).select_from(contents))


async def test_a_file_is_returned_unchanged(app: App) -> None:
    answer = await app.answer("admin", "get_file", {"file_id": await make_saved_file(app)})
    assert b64decode(answer.content) == JPEG
    assert answer.file.sha256 == hashlib.sha256(JPEG).hexdigest()
    assert (answer.file.size_bytes, answer.file.media_type, answer.file.name) == (len(JPEG), "image/jpeg", "photo.jpg")
    assert (answer.file.about, answer.file.uploaded_by) == (f"{KIND}:1", None)


@for_every(
    ("who", "status"),
    [
        ("admin", None),
        ("employee", None),
        ("customer", None),
        ("customer2", 404),
        ("driver", 404),
        ("contractor", 404),
        ("rival", 404),
    ],
)
async def test_a_file_can_be_opened_by_the_office_and_users_its_context_allows(
    app: App, who: str, status: int | None
) -> None:
    outcome = await app.call(who, "get_file", {"file_id": await make_saved_file(app)})
    assert (outcome.error and outcome.status) == status


async def test_opening_a_file_requires_a_token(app: App) -> None:
    assert (await app.call(None, "get_file", {"file_id": await make_saved_file(app)})).status == 401


async def test_a_file_about_an_unclaimed_kind_is_visible_only_to_the_office(app: App) -> None:
    file_id = await make_saved_file(app, "unheard_of:5")
    assert (await app.call("customer", "get_file", {"file_id": file_id})).status == 404
    assert (await app.call("employee", "get_file", {"file_id": file_id})).error is None


async def test_a_token_opens_only_files_covered_by_its_scopes(app: App) -> None:
    file_id = await make_saved_file(app)
    outcome = await app.call("admin", "get_file", {"file_id": file_id}, narrow_to=frozenset({Scope.LABELS_READ}))
    assert (outcome.status, outcome.error and outcome.error["code"]) == (403, "SCOPE_MISSING")
    fine = await app.call("admin", "get_file", {"file_id": file_id}, narrow_to=frozenset({Scope.ORDERS_READ}))
    assert fine.error is None


def test_a_kind_can_be_claimed_by_one_context() -> None:
    with pytest.raises(ValueError, match="twice"):
        register_file_access(KIND, Scope.ORDERS_READ)(lambda call, record: None)  # type: ignore[arg-type]


@for_every("accept", ["image/jpeg", "image/*", "image/avif,image/webp,image/*,*/*;q=0.8"])
async def test_a_browser_requesting_an_image_gets_the_raw_bytes(app: App, accept: str) -> None:
    path = f"/v1/files/{await make_saved_file(app)}"
    answer = await app.rest("admin", "GET", path, headers={"Accept": accept})
    assert (answer.status_code, answer.headers["content-type"], answer.content) == (200, "image/jpeg", JPEG)
    assert answer.headers["content-disposition"] == "inline; filename*=UTF-8''photo.jpg"
    assert answer.headers["x-content-type-options"] == "nosniff"


async def test_a_caller_accepting_json_gets_the_record(app: App) -> None:
    answer = await app.rest("admin", "GET", f"/v1/files/{await make_saved_file(app)}")
    assert answer.json()["file"]["media_type"] == "image/jpeg"
    assert b64decode(answer.json()["content"]) == JPEG
    assert "content-disposition" not in answer.headers


async def test_an_unchanged_file_returns_304_after_the_access_check(app: App) -> None:
    path = f"/v1/files/{await make_saved_file(app)}"
    first = await app.rest("customer", "GET", path, headers={"Accept": "image/*"})
    again = {"Accept": "image/*", "If-None-Match": first.headers["etag"]}
    assert (await app.rest("customer", "GET", path, headers=again)).status_code == 304
    assert (await app.rest("customer2", "GET", path, headers=again)).status_code == 404


async def test_errors_are_json_for_any_accept_header(app: App) -> None:
    answer = await app.rest("rival", "GET", f"/v1/files/{await make_saved_file(app)}", headers={"Accept": "image/*"})
    assert (answer.status_code, answer.json()["code"]) == (404, "NOT_FOUND")


async def test_files_stay_in_the_database_without_a_store(app: App) -> None:
    await make_saved_file(app)
    assert await app.work_off() == 0
    assert await count_contents_in_database(app) == 1


async def test_with_a_store_files_are_moved_out_of_the_database_and_read_from_it(app: App) -> None:
    shelf = make_object_store(app)
    file_id = await make_saved_file(app)
    assert b64decode((await app.answer("admin", "get_file", {"file_id": file_id})).content) == JPEG, (
        "before it is shipped"
    )
    await app.work_off()
    assert (await count_contents_in_database(app), list(shelf.objects.values())) == (0, [JPEG])
    assert b64decode((await app.answer("admin", "get_file", {"file_id": file_id})).content) == JPEG


async def test_an_unavailable_store_loses_no_files(app: App) -> None:
    shelf = make_object_store(app)
    shelf.away = 2
    file_id = await make_saved_file(app)
    for _ in range(4):
        await app.work_off()
        app.clock.forward(minutes=5)
    assert (await count_contents_in_database(app), list(shelf.objects.values()), shelf.puts) == (0, [JPEG], 3)
    shelf.away = 1
    outcome = await app.call("admin", "get_file", {"file_id": file_id})
    assert (outcome.status, outcome.error and outcome.error["code"]) == (503, "FILE_AWAY")


async def test_an_upload_is_repeated_after_a_crash(app: App) -> None:
    """A process is killed between upload and record: the job runs again in full."""
    shelf = make_object_store(app)
    await make_saved_file(app)
    write, died = app.database.write, []

    def dying(client_id: int | None) -> Any:
        if client_id is not None and shelf.objects and not died:
            died.append(True)
            raise ConnectionError("killed")
        return write(client_id)

    app.database.write = dying  # type: ignore[method-assign]
    await app.work_off()
    assert (await count_contents_in_database(app), died) == (1, [True])
    app.clock.forward(minutes=5)
    await app.work_off()
    assert (await count_contents_in_database(app), list(shelf.objects.values()), shelf.puts) == (0, [JPEG], 2)


async def test_corrupted_bytes_from_the_store_are_not_returned(app: App) -> None:
    shelf = make_object_store(app)
    file_id = await make_saved_file(app)
    await app.work_off()
    shelf.objects = dict.fromkeys(shelf.objects, PDF)
    assert (await app.call("admin", "get_file", {"file_id": file_id})).error["code"] == "FILE_DAMAGED"  # type: ignore[index]
    shelf.objects = {}
    assert (await app.call("admin", "get_file", {"file_id": file_id})).error["code"] == "FILE_DAMAGED"  # type: ignore[index]


async def test_a_file_of_the_wrong_type_is_not_stored(app: App) -> None:
    with pytest.raises(OperationError) as refused:
        await make_saved_file(app, content=PDF)
    assert refused.value.error_type.id == "file_not_taken"
    async with app.database.read(app.clients["demo"]) as work:
        assert await work.value(select(func.count()).select_from(files)) == 0


async def test_metadata_and_bytes_are_isolated_by_tenant(app: App) -> None:
    file_id = await make_saved_file(app)
    for client, there in (("demo", True), ("rival", False)):
        async with JobRun(app.application, app.clients[client], 1, 1).call() as call:
            facts = await documents.get_file_facts(call, [file_id])
            assert [each.size for each in facts.values()] == ([len(JPEG)] if there else [])
            if there:
                assert await documents.get_file_content(call, file_id) == JPEG
            else:
                with pytest.raises(OperationError):
                    await documents.get_file_content(call, file_id)


async def discard(app: App, file_id: int) -> None:
    async with JobRun(app.application, app.clients["demo"], 1, 1).call() as call:
        await documents.delete_files(call, [file_id])


@pytest.mark.parametrize("shipped", [True, False])
async def test_a_deleted_file_is_removed_everywhere(app: App, shipped: bool) -> None:
    shelf = make_object_store(app)
    file_id = await make_saved_file(app)
    if shipped:
        await app.work_off()
        assert shelf.objects
    await discard(app, file_id)
    await app.work_off()
    assert (await count_contents_in_database(app), shelf.objects) == (0, {})
    assert (await app.call("admin", "get_file", {"file_id": file_id})).status == 404


async def test_a_file_deleted_during_its_upload_leaves_nothing_in_the_store(app: App) -> None:
    shelf = make_object_store(app)
    file_id = await make_saved_file(app)
    put = shelf.put

    async def slow(key: str, content: bytes, media_type: str) -> None:
        await put(key, content, media_type)
        await discard(app, file_id)

    shelf.put = slow  # type: ignore[method-assign]
    await app.work_off()
    assert (await count_contents_in_database(app), shelf.objects) == (0, {})
