"""Files in desk forms: chosen, submitted, kept during preview, and rejected."""

import hashlib
from base64 import b64encode
from typing import Any

import httpx
from tests.support.app import App
from tests.web.page_client import Checked, get_page, page_errors, page_notices, session_cookie

from haulier.app import registry
from haulier.web.desk import uploads
from haulier.web.desk.forms import Field, form_of
from haulier.web.session import csrf_token_of

PAGE = "/desk/act/create_firmware_release"
FILE = bytes(range(256)) * 400
"""100 kB: more than a form without files may hold."""
PICTURE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg=="


async def send(app: App, path: str, files: dict[str, Any] | None = None, **fields: str) -> httpx.Response:
    """A form as a browser sends it: a file that was not chosen comes without a name."""
    app.http.cookies.clear()
    given = {"csrf": csrf_token_of(app.tokens["admin"]), "step": "do", **fields}
    chosen = files or {"content": ("", b"", "application/octet-stream")}
    headers = {"cookie": session_cookie(app, "admin")}
    return await app.http.post(path, data=given, files=chosen, headers=headers)


def members(fields: list[Field]) -> list[Field]:
    """Fields, and those within them."""
    return [each for field in fields for each in (field, *members(field.fields))]


def test_every_file_of_an_operation_has_a_file_input() -> None:
    large = [operation for operation in registry() if operation.body_limit_bytes > 1_048_576]
    found = {operation.name: form_of(operation.request) for operation in large}
    taking = {name: form for name, form in found.items() if form.takes_files}
    assert {"create_firmware_release", "upload_proof", "set_shop_picture", "import_addresses"} <= taking.keys()
    for name, form in taking.items() - {("verify_document", taking["verify_document"])}:
        files = [each for each in members(form.fields({}, "America/Toronto")) if each.kind == "file"]
        assert files, name
        assert all(each.most_mb and not each.hint for each in files), name


async def test_firmware_can_be_released_from_an_uploaded_file(app: App) -> None:
    page = (await get_page(app, PAGE, "admin")).text
    assert not Checked(page).faults
    assert 'enctype="multipart/form-data"' in page
    assert '<input id="content" name="content" type="file" required' in page
    chosen = {"content": ("cabinet-2.5.0.bin", FILE, "application/octet-stream")}
    looked = await send(app, PAGE, chosen, version="2.5.0", step="rehearse")
    assert looked.status_code == 200
    assert b64encode(FILE).decode() in looked.text, "the file stays chosen"
    assert looked.text.count(b64encode(FILE).decode()) == 1, "and is there once, not with each way to call"
    assert "A file of 100 kB is selected." in looked.text
    assert 'value="cabinet-2.5.0.bin"' in looked.text, "its name is what it is called"
    kept = b64encode(FILE).decode()
    done = await send(app, PAGE, version="2.5.0", content=kept, name="cabinet-2.5.0.bin")
    assert done.status_code in (200, 303)
    (release,) = (await app.answer("admin", "list_firmware_releases")).releases
    assert (release.version, release.name) == ("2.5.0", "cabinet-2.5.0.bin")
    assert release.sha256 == hashlib.sha256(FILE).hexdigest()


async def test_another_file_replaces_the_chosen_one(app: App) -> None:
    chosen = {"content": ("two.bin", b"the second", "application/octet-stream")}
    await send(app, PAGE, chosen, version="2.6.0", content=b64encode(b"the first").decode())
    (release,) = (await app.answer("admin", "list_firmware_releases")).releases
    assert release.sha256 == hashlib.sha256(b"the second").hexdigest()


async def test_a_files_type_is_detected(app: App) -> None:
    path = "/desk/act/parse_label"
    page = (await get_page(app, path, "admin")).text
    assert 'accept="image/png,image/jpeg,image/webp,application/pdf"' in page
    name = next(each.name for each in members(form_of(registry()["parse_label"].request).fields({}, "UTC"))
                if each.kind == "file")  # fmt: skip
    read = await send(app, path, {name: ("C:\\labels\\a.txt", b"words", "text/plain")}, step="rehearse")
    place = name.removesuffix("content")
    assert f"{place}media_type" in page_errors(read) or f'href="#{place}media_type"' in read.text
    assert 'value="a.txt"' in read.text, "the last part of a path"


async def test_missing_and_oversized_files_are_reported(app: App, monkeypatch: Any) -> None:
    empty = await send(app, PAGE, version="2.5.0")
    assert empty.status_code == 422
    assert "content" in page_errors(empty)
    large = {"content": ("large.bin", b"0" * 100, "application/octet-stream")}
    monkeypatch.setattr(uploads, "_most_bytes", lambda operation: 99)
    refused = await send(app, PAGE, large, version="2.5.0")
    assert refused.status_code == 413
    assert "The file is too large. The limit is 16 MB." in page_notices(refused)[0]
    assert (await app.answer("admin", "list_firmware_releases")).releases == []


async def test_a_cross_site_form_uploads_nothing(app: App) -> None:
    chosen = {"content": ("one.bin", FILE, "application/octet-stream")}
    refused = await send(app, PAGE, chosen, version="2.5.0", csrf="guessed")
    assert refused.status_code == 403
    assert (await app.answer("admin", "list_firmware_releases")).releases == []
