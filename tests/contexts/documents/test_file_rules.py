"""Accepted files by content, not by declared type."""

from base64 import b64encode
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from tests.contexts.documents.makers import (
    BY_TYPE,
    JPEG,
    PDF,
    make_extended_webp,
    make_file,
    make_jpeg,
    make_lossless_webp,
    make_png,
    make_webp,
)
from tests.support.every_case import for_every

from haulier.contexts.documents.files.contract import EXAMPLE_PNG_BASE64, MAX_CONTENT_LENGTH, FileUpload
from haulier.contexts.documents.files.rules import (
    MAX_FILE_BYTES,
    download_file_name,
    has_media_type_signature,
    parse_file_subject,
    picture_fault,
    require_accepted_file,
    stored_file_name,
)
from haulier.kernel.operations.errors import OperationError


def fault(**words: object) -> str:
    with pytest.raises(ValidationError) as found:
        FileUpload.model_validate({**make_file(), **words})
    return found.value.errors()[0]["type"]


@for_every("media_type", BY_TYPE)
def test_a_file_is_taken_as_what_it_is_and_as_nothing_else(media_type: str) -> None:
    assert [each for each, content in BY_TYPE.items() if has_media_type_signature(media_type, content)] == [media_type]
    assert FileUpload(**make_file(BY_TYPE[media_type], media_type)).decoded == BY_TYPE[media_type]


@for_every("content", [b"<svg xmlns='x'/>", b"<html>", b"GIF89a", b"MZ\x90\x00", b" %PDF-1.7", b"\xff\xd8"])
def test_what_a_browser_might_run_is_taken_under_no_name(content: bytes) -> None:
    assert [fault(**make_file(content, media_type)) for media_type in BY_TYPE] == ["not_such_a_file"] * 4


def test_other_media_types_are_not_in_the_list() -> None:
    assert fault(media_type="image/svg+xml") == "literal_error"
    assert fault(media_type="text/html") == "literal_error"


def test_the_largest_file_is_taken_and_one_byte_more_is_not() -> None:
    largest = JPEG + bytes(MAX_FILE_BYTES - len(JPEG))
    assert len(FileUpload(**make_file(largest)).decoded) == MAX_FILE_BYTES
    assert fault(**make_file(largest + b"\0")) == "file_too_large"
    assert fault(content="A" * (MAX_CONTENT_LENGTH + 4)) == "string_too_long"


@for_every("content", ["not base64!", "/9j/\n4AAQ", "data:image/jpeg;base64,/9j/4AAQ", "/9j", "_9j_4AAQ"])
def test_base64_is_the_plain_one(content: str) -> None:
    assert fault(content=content) in {"not_base64", "string_too_short"}


def test_the_example_in_the_schema_is_a_picture() -> None:
    assert FileUpload(content=EXAMPLE_PNG_BASE64, media_type="image/png").decoded.startswith(b"\x89PNG")


def test_the_content_stays_out_of_the_audit_trail_and_of_logs() -> None:
    given = FileUpload(**make_file(name="licence.jpg"))
    encoded = b64encode(JPEG).decode()
    assert given.model_dump(mode="json", exclude_defaults=True) == {"media_type": "image/jpeg", "name": "licence.jpg"}
    assert encoded not in repr(given)


@given(st.binary(max_size=64), st.sampled_from(sorted(BY_TYPE)))
def test_whatever_comes_is_taken_only_when_it_begins_rightly(content: bytes, media_type: str) -> None:
    if has_media_type_signature(media_type, content) and not picture_fault(media_type, content):
        require_accepted_file(media_type, content)
    else:
        with pytest.raises(OperationError, match="file_not_taken"):
            require_accepted_file(media_type, content)


@pytest.mark.parametrize(
    ("about", "kind", "record"), [("stop:77", "stop", 77), ("driver_document:1", "driver_document", 1)]
)
def test_a_file_is_about_a_record(about: str, kind: str, record: int) -> None:
    assert parse_file_subject(about) == (kind, record)


@for_every("about", ["", "stop", "stop:", "stop:0", "stop:x", ":7", "Stop:7", "stop:7 ", "stop:7\n", "a b:7"])
def test_a_file_is_about_nothing_else(about: str) -> None:
    with pytest.raises(ValueError, match="kind:id"):
        parse_file_subject(about)


@for_every(
    ("name", "shown"),
    [
        ("licence.jpg", "licence.jpg"),
        ("../../etc/passwd", "passwd"),
        ("C:\\scans\\licence.pdf", "licence.pdf"),
        ('a"b\r\nc.pdf', "a_bc.pdf"),
        ("\u202egnp.exe", "gnp.exe"),
        ("a\u2028b\u2066c\u200f.pdf", "abc.pdf"),
        ("/", "file-7.pdf"),
        ("Führerschein.pdf", "Führerschein.pdf"),
        (None, "file-7.pdf"),
        ("..", "file-7.pdf"),
    ],
)
def test_a_file_is_saved_under_a_name_that_leads_nowhere_else(name: str | None, shown: str) -> None:
    assert download_file_name(name, 7, "application/pdf") == shown
    assert has_media_type_signature("application/pdf", PDF)


PICTURES = {
    make_png: "image/png",
    make_jpeg: "image/jpeg",
    make_webp: "image/webp",
    make_lossless_webp: "image/webp",
    make_extended_webp: "image/webp",
}


def test_a_picture_is_taken_up_to_so_many_pixels() -> None:
    for make, media_type in PICTURES.items():
        assert picture_fault(media_type, make(5000, 10_000)) is None, make.__name__
        assert picture_fault(media_type, make(5000, 10_001)) == "picture_too_large", make.__name__
    for size in ((60_000, 60_000), (100_000_000, 100_000_000)):
        assert fault(**make_file(make_png(*size), "image/png")) == "picture_too_large"


def test_a_picture_without_pixels_is_none() -> None:
    for make in (make_png, make_jpeg, make_webp):
        assert picture_fault(PICTURES[make], make(0, 1)) == "picture_damaged", make.__name__


def test_a_picture_that_breaks_off_is_refused_wherever_it_does() -> None:
    for make, media_type in PICTURES.items():
        whole = make(3, 2)
        for end in range(len(whole)):
            assert picture_fault(media_type, whole[:end]) == "picture_damaged", (make.__name__, end)
    assert fault(**make_file(make_png()[:30], "image/png")) == "picture_damaged"


def test_a_png_whose_bytes_were_changed_is_refused() -> None:
    whole = make_png(3, 2)
    changed = (whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :] for at in range(8, len(whole)))
    assert {picture_fault("image/png", each) for each in changed} == {"picture_damaged"}


@given(st.binary(max_size=200), st.sampled_from(sorted(PICTURES, key=lambda make: make.__name__)))
def test_whatever_follows_the_beginning_of_a_picture_is_read_without_failing(rest: bytes, make: Any) -> None:
    assert picture_fault(PICTURES[make], make()[:12] + rest) in {None, "picture_damaged", "picture_too_large"}


def test_the_name_that_is_kept_leads_nowhere_and_reads_as_it_is() -> None:
    names = {
        "../../../etc/passwd": "passwd",
        "a\r\nSet-Cookie: b": "aSet-Cookie: b",
        "\u202egnp.exe": "gnp.exe",
        "..": None,
    }
    assert {name: stored_file_name(name) for name in names} == names
    assert stored_file_name("نامه\u200cها.pdf") == "نامه\u200cها.pdf"
