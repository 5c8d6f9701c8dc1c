"""XLSX workbooks (ECMA-376) with one sheet of typed cells."""

import io
from collections.abc import Iterable, Sequence
from typing import Any
from xml.sax.saxutils import escape
from zipfile import ZIP_DEFLATED, ZipFile

XLSX_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_KIND = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_PARTS = {
    "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types"><Default Extension="rels"'
    ' ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    f'<Override PartName="/xl/workbook.xml" ContentType="{_KIND}.sheet.main+xml"/>'
    f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{_KIND}.worksheet+xml"/></Types>',
    "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="r1"'
    f' Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>'
    '<sheet name="Sheet1" sheetId="1" r:id="r1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="r1"'
    f' Type="{_OFFICE}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
}
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
_NOT_IN_XML = dict.fromkeys([*range(0x20), 0xFFFE, 0xFFFF])
"""Characters that XML cannot represent, except the three control characters that it allows."""
for _sign in "\t\n\r":
    del _NOT_IN_XML[ord(_sign)]


def write_xlsx(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> bytes:
    """Return a workbook with a header and rows.

    None is an empty cell; text is never run as a formula.
    """
    cells = "".join(f"<row>{''.join(map(_cell, row))}</row>" for row in (header, *rows))
    document = io.BytesIO()
    with ZipFile(document, "w", ZIP_DEFLATED) as archive:
        sheet = f'<worksheet xmlns="{_MAIN}"><sheetData>{cells}</sheetData></worksheet>'
        for name, text in {**_PARTS, "xl/worksheets/sheet1.xml": sheet}.items():
            archive.writestr(name, _HEAD + text)
    return document.getvalue()


def _cell(value: Any) -> str:
    if value is None:
        return "<c/>"
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"<c><v>{value!r}</v></c>"
    text = escape(str(value).translate(_NOT_IN_XML))
    return f'<c t="inlineStr"><is><t xml:space="preserve">{text}</t></is></c>'
