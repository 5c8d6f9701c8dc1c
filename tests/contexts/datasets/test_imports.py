"""Dataset imports: every file format, with an outcome per row."""

import base64
import io
import json
import zipfile

import pytest
from tests.contexts.datasets.makers import add, found, import_file, make_dataset
from tests.support.app import App


async def test_a_csv_import_creates_records_and_reports_the_outcome_of_each_row(app: App) -> None:
    dataset_id = await make_dataset(app)
    await add(app, dataset_id, {"code": "A", "bays": 1}, {"code": "B", "bays": 2})
    content = "code;bays;name;lat;lng\nA;1;;;\nB;3;North;43,6;x\nB;3;North;43.6;-79.4\nC;many;;;\nD;4;;;\nD;5;;;\n"
    done = await import_file(app, dataset_id, "csv", content)
    counts = done.dataset_import
    assert (counts.state, counts.total, counts.done) == ("partly_done", 6, 6)
    assert (counts.created, counts.updated, counts.unchanged, counts.refused) == (1, 1, 1, 3)
    told = [(each.row, each.state, each.code, [fault.field for fault in each.errors]) for each in done.outcomes]
    assert told == [
        (0, "unchanged", None, []),
        (1, "refused", "INVALID_REQUEST", ["lat"]),
        (2, "updated", None, []),
        (3, "refused", "INVALID_REQUEST", ["values.bays"]),
        (4, "created", None, []),
        (5, "refused", "INVALID_REQUEST", ["values.code"]),
    ]
    refused = await app.answer(
        "admin", "get_dataset_import", {"import_id": counts.id, "refused_only": True, "per_page": 2}
    )
    assert ([each.row for each in refused.outcomes], refused.next_after_row) == ([1, 3], 3)
    assert await found(app, dataset_id, near={"lat": 43.6, "lng": -79.4, "radius_m": 10}) == ["B"]
    assert await found(app, dataset_id, sort="code") == ["A", "B", "D"]


async def test_a_check_writes_nothing(app: App) -> None:
    dataset_id = await make_dataset(app)
    await add(app, dataset_id, {"code": "A", "bays": 1})
    done = await import_file(app, dataset_id, "csv", "code,bays\nA,2\nB,3\n,4\n", check_only=True)
    assert [each.state for each in done.outcomes] == ["updated", "created", "refused"]
    assert await found(app, dataset_id, filters=[{"field": "bays", "equals": 1}]) == ["A"]
    assert await found(app, dataset_id) == ["A"]


async def test_existing_records_are_kept_or_their_rows_refused(app: App) -> None:
    dataset_id = await make_dataset(app)
    await add(app, dataset_id, {"code": "A", "bays": 1})
    for if_exists, state in {"skip": "unchanged", "refuse": "refused"}.items():
        done = await import_file(app, dataset_id, "csv", "code,bays\nA,2\n", if_exists=if_exists)
        assert [each.state for each in done.outcomes] == [state]
    assert await found(app, dataset_id, filters=[{"field": "bays", "equals": 1}]) == ["A"]


async def test_json_geojson_and_exported_files_can_be_imported(app: App) -> None:
    dataset_id = await make_dataset(app)
    point = {"type": "Point", "coordinates": [-79.4, 43.6]}
    features = [
        {"type": "Feature", "geometry": point, "properties": {"code": "A", "bays": 1}},
        {"type": "Feature", "geometry": None, "properties": {"code": "B"}},
        {"type": "Feature", "geometry": {"type": "LineString", "coordinates": []}, "properties": {"code": "C"}},
    ]
    done = await import_file(
        app, dataset_id, "geojson", json.dumps({"type": "FeatureCollection", "features": features})
    )
    assert [each.state for each in done.outcomes] == ["created", "created", "refused"]
    done = await import_file(app, dataset_id, "json", json.dumps([{"code": "D", "bays": 4}, 7]))
    assert [each.state for each in done.outcomes] == ["created", "refused"]
    for kind in ("csv", "json", "geojson"):
        exported = await app.answer("admin", "export_dataset_records", {"dataset_id": dataset_id, "format": kind})
        copy = await make_dataset(app, name=f"Copy by {kind}")
        done = await import_file(app, copy, kind, exported.data)
        assert done.dataset_import.state == "done", kind
        assert await found(app, copy, sort="code") == (["A"] if kind == "geojson" else ["A", "B", "D"])
        assert await found(app, copy, near={"lat": 43.6, "lng": -79.4, "radius_m": 10}) == ["A"]


async def test_an_excel_file_can_be_imported(app: App) -> None:
    dataset_id = await make_dataset(app)
    content = base64.b64encode(workbook([["code", "bays"], ["A", 3], ["B", 4]])).decode()
    done = await import_file(app, dataset_id, "xlsx", content)
    assert done.dataset_import.state == "done"
    assert await found(app, dataset_id, sort="bays") == ["A", "B"]


def workbook(rows: list[list[object]]) -> bytes:
    """An XLSX with one sheet of inline texts and numbers."""
    main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006"
    cells = "".join(f"<row>{''.join(cell(value) for value in row)}</row>" for row in rows)
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{package}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{package}/relationships">'
        f'<Relationship Id="r1" Type="{office}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook {main} xmlns:r="{office}"><sheets>'
        '<sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{package}/relationships">'
        f'<Relationship Id="r1" Type="{office}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
        "xl/worksheets/sheet1.xml": f"<worksheet {main}><sheetData>{cells}</sheetData></worksheet>",
    }
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    return file.getvalue()


def cell(value: object) -> str:
    return f"<c><v>{value}</v></c>" if isinstance(value, int) else f'<c t="inlineStr"><is><t>{value}</t></is></c>'


async def test_a_file_of_the_wrong_type_is_refused_immediately(app: App) -> None:
    dataset_id = await make_dataset(app)
    for kind, content in (
        ("json", "{"),
        ("json", "{}"),
        ("geojson", "[]"),
        ("csv", "\n"),
        ("csv", "code\n"),
        ("xlsx", "QUJD"),
    ):
        request = {"dataset_id": dataset_id, "format": kind, "content": content}
        result = await app.call("admin", "import_dataset_records", request)
        assert (result.status, result.error["errors"][0]["field"]) == (422, "content"), (kind, content)


async def test_an_import_resumes_after_a_worker_is_killed_without_duplicates(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    from haulier.contexts.datasets.imports import jobs

    monkeypatch.setattr(jobs, "ROWS_PER_TRANSACTION", 2)
    write, tries = jobs._write, []

    async def die_once(*args: object) -> object:
        tries.append(1)
        if len(tries) == 2:
            raise RuntimeError("the worker dies")
        return await write(*args)

    monkeypatch.setattr(jobs, "_write", die_once)
    dataset_id = await make_dataset(app)
    content = "code\n" + "".join(f"R{n}\n" for n in range(5))
    request = {"dataset_id": dataset_id, "format": "csv", "content": content}
    begun = (await app.answer("admin", "import_dataset_records", request)).dataset_import
    await app.work_off()
    half = (await app.answer("admin", "get_dataset_import", {"import_id": begun.id})).dataset_import
    assert (half.state, half.done) == ("running", 2)
    app.clock.forward(hours=1)
    await app.work_off()
    over = await app.answer("admin", "get_dataset_import", {"import_id": begun.id})
    assert (over.dataset_import.state, over.dataset_import.created) == ("done", 5)
    rest = await app.answer("admin", "get_dataset_import", {"import_id": begun.id, "after_row": over.next_after_row})
    assert [each.row for each in (*over.outcomes, *rest.outcomes)] == [0, 1, 2, 3, 4]
    assert rest.next_after_row is None
    assert len(await found(app, dataset_id)) == 5


async def test_a_cancelled_import_stops_writing(app: App) -> None:
    dataset_id = await make_dataset(app)
    request = {"dataset_id": dataset_id, "format": "csv", "content": "code\nA\n"}
    begun = (await app.answer("admin", "import_dataset_records", request)).dataset_import
    await app.answer("admin", "cancel_dataset_import", {"import_id": begun.id})
    await app.work_off()
    assert await found(app, dataset_id) == []
    listed = (await app.answer("admin", "list_dataset_imports", {"dataset_id": dataset_id})).imports
    assert [each.state for each in listed] == ["cancelled"]
    again = await app.call("admin", "cancel_dataset_import", {"import_id": begun.id})
    assert again.error["code"] == "DATASET_IMPORT_IS_OVER"


async def test_an_exported_excel_file_can_be_imported_again(app: App) -> None:
    dataset_id = await make_dataset(app)
    await import_file(app, dataset_id, "csv", "code,name,bays,lat,lng\nA,Café,4,43.5,-79.25\nB,,,,\n")
    export = await app.answer("admin", "export_dataset_records", {"dataset_id": dataset_id, "format": "xlsx"})
    again = await import_file(app, dataset_id, "xlsx", export.data)
    assert [outcome.state for outcome in again.outcomes] == ["unchanged", "unchanged"]
