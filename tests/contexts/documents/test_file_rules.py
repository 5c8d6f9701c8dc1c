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
def test_a_file_is_accepted_only_as_its_actual_type(media_type: str) -> None:
    assert [each for each, content in BY_TYPE.items() if has_media_type_signature(media_type, content)] == [media_type]
    assert FileUpload(**make_file(BY_TYPE[media_type], media_type)).decoded == BY_TYPE[media_type]


@for_every("content", [b"<svg xmlns='x'/>", b"<html>", b"GIF89a", b"MZ\x90\x00", b" %PDF-1.7", b"\xff\xd8"])
def test_active_content_is_refused_under_any_name(content: bytes) -> None:
    assert [fault(**make_file(content, media_type)) for media_type in BY_TYPE] == ["not_such_a_file"] * 4


def test_other_media_types_are_not_accepted() -> None:
    assert fault(media_type="image/svg+xml") == "literal_error"
    assert fault(media_type="text/html") == "literal_error"


def test_the_largest_file_is_accepted_and_one_byte_more_is_refused() -> None:
    largest = JPEG + bytes(MAX_FILE_BYTES - len(JPEG))
    assert len(FileUpload(**make_file(largest)).decoded) == MAX_FILE_BYTES
    assert fault(**make_file(largest + b"\0")) == "file_too_large"
    assert fault(content="A" * (MAX_CONTENT_LENGTH + 4)) == "string_too_long"


@for_every("content", ["not base64!", "/9j/\n4AAQ", "data:image/jpeg;base64,/9j/4AAQ", "/9j", "_9j_4AAQ"])
def test_only_standard_base64_is_accepted(content: str) -> None:
    assert fault(content=content) in {"not_base64", "string_too_short"}


def test_the_schema_example_is_an_image() -> None:
    assert FileUpload(content=EXAMPLE_PNG_BASE64, media_type="image/png").decoded.startswith(b"\x89PNG")


def test_contents_are_excluded_from_the_audit_trail_and_logs() -> None:
    given = FileUpload(**make_file(name="licence.jpg"))
    encoded = b64encode(JPEG).decode()
    assert given.model_dump(mode="json", exclude_defaults=True) == {"media_type": "image/jpeg", "name": "licence.jpg"}
    assert encoded not in repr(given)


@given(st.binary(max_size=64), st.sampled_from(sorted(BY_TYPE)))
def test_arbitrary_bytes_are_accepted_only_with_a_valid_signature(content: bytes, media_type: str) -> None:
    if has_media_type_signature(media_type, content) and not picture_fault(media_type, content):
        require_accepted_file(media_type, content)
    else:
        with pytest.raises(OperationError, match="file_not_taken"):
            require_accepted_file(media_type, content)


@pytest.mark.parametrize(
    ("about", "kind", "record"), [("stop:77", "stop", 77), ("driver_document:1", "driver_document", 1)]
)
def test_a_file_is_attached_to_a_record(about: str, kind: str, record: int) -> None:
    assert parse_file_subject(about) == (kind, record)


@for_every("about", ["", "stop", "stop:", "stop:0", "stop:x", ":7", "Stop:7", "stop:7 ", "stop:7\n", "a b:7"])
def test_a_file_cannot_be_attached_to_anything_else(about: str) -> None:
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
def test_the_saved_file_name_contains_no_path(name: str | None, shown: str) -> None:
    assert download_file_name(name, 7, "application/pdf") == shown
    assert has_media_type_signature("application/pdf", PDF)


PICTURES = {
    make_png: "image/png",
    make_jpeg: "image/jpeg",
    make_webp: "image/webp",
    make_lossless_webp: "image/webp",
    make_extended_webp: "image/webp",
}


def test_images_have_a_maximum_number_of_pixels() -> None:
    for make, media_type in PICTURES.items():
        assert picture_fault(media_type, make(5000, 10_000)) is None, make.__name__
        assert picture_fault(media_type, make(5000, 10_001)) == "picture_too_large", make.__name__
    for size in ((60_000, 60_000), (100_000_000, 100_000_000)):
        assert fault(**make_file(make_png(*size), "image/png")) == "picture_too_large"


def test_an_image_without_pixels_is_refused() -> None:
    for make in (make_png, make_jpeg, make_webp):
        assert picture_fault(PICTURES[make], make(0, 1)) == "picture_damaged", make.__name__


def test_a_truncated_image_is_refused_at_any_length() -> None:
    for make, media_type in PICTURES.items():
        whole = make(3, 2)
        for end in range(len(whole)):
            assert picture_fault(media_type, whole[:end]) == "picture_damaged", (make.__name__, end)
    assert fault(**make_file(make_png()[:30], "image/png")) == "picture_damaged"


def test_a_corrupted_png_is_refused() -> None:
    whole = make_png(3, 2)
    changed = (whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :] for at in range(8, len(whole)))
    assert {picture_fault("image/png", each) for each in changed} == {"picture_damaged"}


@given(st.binary(max_size=200), st.sampled_from(sorted(PICTURES, key=lambda make: make.__name__)))
def test_arbitrary_bytes_after_an_image_header_never_crash_the_reader(rest: bytes, make: Any) -> None:
    assert picture_fault(PICTURES[make], make()[:12] + rest) in {None, "picture_damaged", "picture_too_large"}


def test_the_stored_name_contains_no_path_and_stays_readable() -> None:
    names = {
        "../../../etc/passwd": "passwd",
        "a\r\nSet-Cookie: b": "aSet-Cookie: b",
        "\u202egnp.exe": "gnp.exe",
        "..": None,
    }
    assert {name: stored_file_name(name) for name in names} == names
    assert stored_file_name("نامه\u200cها.pdf") == "نامه\u200cها.pdf"
