"""Uploaded pictures are stored without camera metadata."""

from base64 import b64encode
from collections.abc import Callable
from io import BytesIO
from typing import Any

import pytest
from PIL import Image, ImageOps
from PIL.PngImagePlugin import PngInfo
from pydantic import ValidationError
from tests.contexts.documents.makers import PDF, make_extended_webp
from tests.support import hostile_files
from tests.support.every_case import for_every

from haulier.contexts.documents.files.rules import PICTURE_LIMITS, PICTURE_TYPES, clean_picture
from haulier.contexts.lockers.shop.contract import SetShopPicture
from haulier.kernel.file_reading import FileLimit, FileLimitReached

FORMATS = {"image/jpeg": "JPEG", "image/png": "PNG", "image/webp": "WEBP"}
PLACE = b"GPS 43.6534 -79.3841"


def cleaned(content: bytes, media_type: str) -> bytes | None:
    return clean_picture.read(content, media_type, PICTURE_LIMITS).cleaned


def make_photo(media_type: str, orientation: int = 6) -> bytes:
    """Return a rotated photo of 8 by 4 pixels with metadata and trailing bytes."""
    picture = Image.new("RGB", (8, 4), (200, 30, 30))
    picture.putpixel((0, 0), (0, 0, 255))
    exif = Image.Exif()
    exif[0x0112], exif[0x010F] = orientation, "Acme Camera"
    exif.get_ifd(0x8825)[1] = PLACE.decode()
    texts = PngInfo()
    texts.add_text("Comment", PLACE.decode(), zip=False)
    words: dict[str, dict[str, Any]] = {
        "JPEG": {"comment": PLACE, "quality": 95},
        "PNG": {"pnginfo": texts},
        "WEBP": {"xmp": PLACE, "lossless": True},
    }
    file = BytesIO()
    picture.save(file, FORMATS[media_type], exif=exif.tobytes(), **words[FORMATS[media_type]])
    return file.getvalue() + (PLACE if media_type != "image/webp" else b"")


@for_every("media_type", FORMATS)
def test_location_camera_and_comments_are_removed_and_the_orientation_is_kept(media_type: str) -> None:
    photo = make_photo(media_type)
    result = cleaned(photo, media_type)
    assert result
    assert PLACE in photo
    assert PLACE not in result
    assert b"Acme" not in result
    before, after = Image.open(BytesIO(photo)), Image.open(BytesIO(result))
    assert dict(after.getexif()) == {0x0112: 6}
    assert ImageOps.exif_transpose(after).tobytes() == ImageOps.exif_transpose(before).tobytes()
    assert cleaned(result, media_type) is None


@for_every("media_type", PICTURE_TYPES)
def test_a_picture_without_metadata_is_unchanged(media_type: str) -> None:
    file = BytesIO()
    Image.new("RGB", (8, 4)).save(file, FORMATS[media_type])
    assert cleaned(file.getvalue(), media_type) is None


def test_a_progressive_picture_keeps_its_scans_and_colours() -> None:
    file, profile = BytesIO(), b"a colour profile"
    Image.effect_noise((64, 64), 90).convert("RGB").save(
        file, "JPEG", progressive=True, icc_profile=profile, comment=PLACE
    )
    result = cleaned(file.getvalue(), "image/jpeg")
    assert result
    before, after = Image.open(file), Image.open(BytesIO(result))
    assert after.info["icc_profile"] == profile
    assert after.tobytes() == before.tobytes()


@pytest.mark.parametrize(
    "make",
    [
        hostile_files.png_with_inflating_text,
        hostile_files.png_with_inflating_profile,
        hostile_files.png_with_inflating_data,
    ],
)
def test_a_decompression_bomb_is_refused(make: Callable[[], bytes]) -> None:
    with pytest.raises(FileLimitReached) as reached:
        cleaned(make(), "image/png")
    assert reached.value.limit is FileLimit.UNPACKED


def test_an_extended_picture_keeps_its_canvas() -> None:
    assert cleaned(make_extended_webp(4, 4), "image/webp") is None


def test_a_product_picture_must_be_an_image() -> None:
    paper = {"shop_product_id": 1, "picture": {"content": b64encode(PDF).decode(), "media_type": "application/pdf"}}
    with pytest.raises(ValidationError) as refused:
        SetShopPicture.model_validate(paper)
    assert refused.value.errors()[0]["loc"] == ("picture", "media_type")
