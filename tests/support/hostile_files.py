"""Files that attack their reader: small on disk, huge or endless in memory."""

import io
import zlib
from collections.abc import Callable
from struct import pack
from zipfile import ZIP_DEFLATED, ZipFile

_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
FAR_CELL = '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'


def workbook(*rows: str, extra: dict[str, bytes] | None = None, header: str = "name") -> bytes:
    """Return a workbook with one sheet of a header and rows given as XML."""
    first = f'<row r="1"><c r="A1" t="inlineStr"><is><t>{header}</t></is></c></row>'
    one = '<Relationship Id="rId1" Type="{}" Target="{}"/>'
    relations = f'<Relationships xmlns="{_PACKAGE}/relationships">{one}</Relationships>'
    main = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    types = (
        f'<Types xmlns="{_PACKAGE}/content-types"><Default Extension="rels" ContentType="application/xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{main}.sheet.main+xml"/>'
        f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{main}.worksheet+xml"/></Types>'
    )
    parts = {
        "[Content_Types].xml": types,
        "_rels/.rels": relations.format(f"{_OFFICE}/officeDocument", "xl/workbook.xml"),
        "xl/workbook.xml": f'<workbook xmlns="{_SHEET}" xmlns:r="{_OFFICE}"><sheets>'
        '<sheet name="a" sheetId="1" r:id="rId1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": relations.format(f"{_OFFICE}/worksheet", "worksheets/sheet1.xml"),
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{_SHEET}"><sheetData>{first}{"".join(rows)}</sheetData>'
        "</worksheet>",
    }
    file = io.BytesIO()
    with ZipFile(file, "w", ZIP_DEFLATED) as archive:
        for name, content in {**parts, **(extra or {})}.items():
            archive.writestr(name, content)
    return file.getvalue()


def far_cell() -> bytes:
    """Return a sheet with one cell in the last row and column.

    It has 17 billion cells when expanded.
    """
    return workbook(FAR_CELL)


def hidden_far_cell() -> bytes:
    """Return the same with an obfuscated cell reference."""
    return workbook('<row r="1048576"><c x=">" r="XFD1048576"><v>1</v></c></row>')


def inflating_workbook() -> bytes:
    """Return a workbook with a part of 300 MB."""
    return workbook(extra={"xl/media/zeros.bin": bytes(300_000_000)})


def wide_table() -> bytes:
    """Return a CSV with more than five million empty cells."""
    return b"name,address\n" + b"," * 5_000_100


def png(*chunks: tuple[bytes, bytes], width: int = 1, height: int = 1, data: bytes | None = None) -> bytes:
    """Return a grey PNG with additional chunks before its data."""
    head = pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    pixels = zlib.compress(bytes((width + 1) * height)) if data is None else data
    every = [(b"IHDR", head), *chunks, (b"IDAT", pixels), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        pack(">I", len(body)) + kind + body + pack(">I", zlib.crc32(kind + body)) for kind, body in every
    )


def _zeros(count: int) -> bytes:
    return zlib.compress(bytes(count), 9)


def png_with_inflating_text() -> bytes:
    """Return a PNG with a text of 50 MB."""
    return png((b"zTXt", b"Comment\0\0" + _zeros(50_000_000)))


def png_with_inflating_profile() -> bytes:
    """Return a PNG with a colour profile of 50 MB."""
    return png((b"iCCP", b"profile\0\0" + _zeros(50_000_000)))


def png_with_inflating_data() -> bytes:
    """Return a picture of 100 by 100 pixels with data of 50 MB."""
    return png(width=100, height=100, data=_zeros(50_000_000))


def png_with_many_pixels() -> bytes:
    """Return a picture of 7,100 by 7,100 pixels."""
    return png(width=7_100, height=7_100, data=zlib.compress(b""))


def nested_json() -> bytes:
    """Return lists nested a hundred thousand levels deep."""
    return b"[" * 100_000 + b"]" * 100_000


def many_json_objects() -> bytes:
    """Return five million empty objects, which need a hundred times their text."""
    return b'{"type":"FeatureCollection","features":[' + b"{}," * 4_900_000 + b"{}]}"


def xml_of_entities() -> bytes:
    """Return nested entities that expand to three gigabytes."""
    layers = "".join(f'<!ENTITY l{n + 1} "{f"&l{n};" * 10}">' for n in range(9))
    return f'<!DOCTYPE kml [<!ENTITY l0 "lol">{layers}]><kml><Placemark><name>&l9;</name></Placemark></kml>'.encode()


TABLES: dict[str, Callable[[], bytes]] = {
    "far cell": far_cell,
    "hidden far cell": hidden_far_cell,
    "inflating workbook": inflating_workbook,
}
PICTURES: dict[str, tuple[Callable[[], bytes], str]] = {
    "text": (png_with_inflating_text, "FILE_LIMIT_UNPACKED"),
    "profile": (png_with_inflating_profile, "FILE_LIMIT_UNPACKED"),
    "data": (png_with_inflating_data, "FILE_LIMIT_UNPACKED"),
    "pixels": (png_with_many_pixels, "PICTURE_TOO_LARGE"),
}
