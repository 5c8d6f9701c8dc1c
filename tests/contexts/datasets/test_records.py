"""Dataset records: validated, searched, updated and versioned."""

from typing import Any

import pytest
from tests.contexts.datasets.makers import add, found, import_file, make_dataset
from tests.support.app import App

from haulier.contexts.datasets.records.store import search


async def test_an_invalid_record_is_refused_with_every_invalid_field(app: App) -> None:
    dataset_id = await make_dataset(app)
    values = {"bays": -1, "opened": "yesterday", "colour": "red"}
    result = await app.call("admin", "create_dataset_record", {"dataset_id": dataset_id, "values": values})
    assert (result.status, result.error["code"]) == (422, "INVALID_REQUEST")
    faults = {fault["field"]: fault["code"] for fault in result.error["errors"]}
    assert faults == {
        "values.bays": "MINIMUM",
        "values.opened": "FORMAT",
        "values.colour": "UNEXPECTED",
        "values.code": "MISSING",
    }


async def test_a_key_is_unique(app: App) -> None:
    dataset_id = await make_dataset(app)
    first, _ = await add(app, dataset_id, {"code": "A"}, {"code": "a"})
    result = await app.call("admin", "create_dataset_record", {"dataset_id": dataset_id, "values": {"code": "A"}})
    assert (result.status, result.error["code"]) == (409, "DATASET_KEY_TAKEN")
    changed = await app.call(
        "admin", "update_dataset_record", {"dataset_id": dataset_id, "record_id": first, "values": {"code": "a"}}
    )
    assert changed.error["code"] == "DATASET_KEY_TAKEN"


async def test_search_matches_word_prefixes_in_any_order_case_and_accent(app: App) -> None:
    dataset_id, other = await make_dataset(app), await make_dataset(app, name="Others")
    await add(app, dataset_id, {"code": "A", "name": "Café Québec"}, {"code": "B", "name": "Quebec market"})
    await add(app, other, {"code": "C", "name": "Cafe Quebec"})
    for text, codes in {"quebec": ["B", "A"], "QUÉ cafe": ["A"], "mark": ["B"], "arket": [], "b": ["B"]}.items():
        assert await found(app, dataset_id, search=text) == codes, text


async def test_records_can_be_filtered_and_sorted_by_indexed_fields(app: App) -> None:
    dataset_id = await make_dataset(app)
    await add(
        app,
        dataset_id,
        {"code": "A", "bays": 10, "name": "émile", "opened": "2026-01-02"},
        {"code": "B", "bays": 9, "name": "Fox", "opened": "2025-12-31"},
        {"code": "C", "name": "Delta"},
        {"code": "D", "bays": 0, "name": "emile 2"},
    )
    cases = [
        ({"sort": "bays"}, "DBAC"),
        ({"sort": "bays", "descending": True}, "CABD"),
        ({"sort": "name"}, "CADB"),
        ({"sort": "code", "descending": True}, "DCBA"),
        ({"filters": [{"field": "bays", "at_least": 9}]}, "BA"),
        ({"filters": [{"field": "bays", "at_most": 9}], "descending": True}, "BD"),
        ({"filters": [{"field": "bays", "equals": 0}]}, "D"),
        ({"filters": [{"field": "bays", "present": False}]}, "C"),
        ({"filters": [{"field": "name", "equals": "EMILE"}]}, "A"),
        ({"filters": [{"field": "name", "begins_with": "emi"}], "sort": "bays"}, "DA"),
        ({"filters": [{"field": "code", "any_of": ["A", "C", "X"]}]}, "CA"),
        ({"filters": [{"field": "opened", "at_least": "2026-01-01"}, {"field": "bays", "at_least": 1}]}, "A"),
    ]
    for wanted, codes in cases:
        assert "".join(await found(app, dataset_id, **wanted)) == codes, wanted


async def test_a_filter_reports_the_indexed_fields_and_refuses_values_of_another_type(app: App) -> None:
    dataset_id = await make_dataset(app)
    filters = [{"field": "address", "equals": "x"}, {"field": "bays", "equals": "many"}]
    request = {"dataset_id": dataset_id, "filters": filters, "sort": "colour"}
    result = await app.call("admin", "search_dataset_records", request)
    assert [fault["field"] for fault in result.error["errors"]] == ["filters.0.field", "filters.1.equals", "sort"]
    assert "code, bays, opened, name" in result.error["errors"][0]["message"]


async def test_paging_by_cursor_works_in_every_sort_order(app: App) -> None:
    dataset_id = await make_dataset(app)
    places = [{"code": f"R{n:02}", "bays": n % 3, "lat": 43.6 + n / 1000, "lng": -79.4} for n in range(7)]
    await add(app, dataset_id, *places)
    near = {"lat": 43.6, "lng": -79.4, "radius_m": 5000}
    for wanted in ({}, {"descending": True}, {"sort": "bays"}, {"sort": "bays", "descending": True}, {"near": near}):
        seen, cursor = [], {}
        while True:
            request = {"dataset_id": dataset_id, "per_page": 2, **wanted, **cursor}
            answer = await app.answer("admin", "search_dataset_records", request)
            seen += [record.values["code"] for record in answer.records]
            if answer.next_cursor is None:
                break
            cursor = {"cursor": answer.next_cursor}
        assert seen == await found(app, dataset_id, **wanted), wanted
        assert sorted(seen) == [each["code"] for each in places]


async def test_nearest_records_come_first_across_the_date_line_and_at_a_pole(app: App) -> None:
    dataset_id = await make_dataset(app)
    places = {"west": (0.0, 179.99), "east": (0.0, -179.98), "away": (0.0, 178.0), "pole": (89.99, 10.0)}
    await add(app, dataset_id, *({"code": code, "lat": lat, "lng": lng} for code, (lat, lng) in places.items()))
    line = {"lat": 0.0, "lng": 180.0, "radius_m": 5000}
    answer = await app.answer("admin", "search_dataset_records", {"dataset_id": dataset_id, "near": line})
    assert [(record.values["code"], record.distance_m) for record in answer.records] == [
        ("west", 1112.0),
        ("east", 2223.9),
    ]
    pole = {"lat": 89.99, "lng": -170.0, "radius_m": 5000}
    assert await found(app, dataset_id, near=pole) == ["pole"]


async def test_the_history_keeps_earlier_versions_with_their_changes(app: App) -> None:
    dataset_id = await make_dataset(app)
    (record_id,) = await add(app, dataset_id, {"code": "A", "bays": 1})
    ref = {"dataset_id": dataset_id, "record_id": record_id}
    await app.answer("employee", "update_dataset_record", {**ref, "values": {"bays": 2, "name": "North"}, "version": 1})
    stale = await app.call("employee", "update_dataset_record", {**ref, "values": {"bays": 3}, "version": 1})
    assert stale.error["code"] == "DATASET_RECORD_CHANGED"
    await app.answer("admin", "update_dataset_record", {**ref, "values": {"name": None}})
    assert await found(app, dataset_id, search="north") == []
    await app.answer("admin", "delete_dataset_record", ref)
    history = await app.answer("admin", "list_dataset_record_versions", ref)
    assert history.deleted
    told = [(v.version, v.written_by, [(c.path, c.before, c.after) for c in v.changes]) for v in history.versions]
    assert told == [
        (3, app.ids["admin"], [("name", "North", None)]),
        (2, app.ids["employee"], [("bays", 1, 2), ("name", None, "North")]),
        (1, app.ids["admin"], []),
    ]
    assert await found(app, dataset_id) == []
    assert (await app.answer("admin", "get_dataset", {"dataset_id": dataset_id})).dataset.record_count == 0


async def test_another_client_cannot_see_a_dataset(app: App) -> None:
    dataset_id = await make_dataset(app)
    (record_id,) = await add(app, dataset_id, {"code": "A"})
    ref = {"dataset_id": dataset_id, "record_id": record_id}
    for operation, values in {
        "get_dataset": {"dataset_id": dataset_id},
        "search_dataset_records": {"dataset_id": dataset_id},
        "get_dataset_record": ref,
        "list_dataset_record_versions": ref,
        "export_dataset_records": {"dataset_id": dataset_id},
        "update_dataset_record": {**ref, "values": {}},
        "delete_dataset_record": ref,
    }.items():
        assert (await app.call("rival", operation, values)).status == 404, operation


async def test_common_words_are_found_like_rare_ones(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    dataset_id = await make_dataset(app)
    lines = [f"R{n},{n},{'North' if n % 2 else 'South'} dock {n}" for n in range(1, 9)]
    await import_file(app, dataset_id, "csv", "\n".join(["code,bays,name", *lines]))
    searches: list[dict[str, Any]] = [
        {"search": "dock"},
        {"search": "DOCK nor"},
        {"search": "dock north", "sort": "bays"},
        {"search": "dock south 4"},
        {"search": "dock", "filters": [{"field": "bays", "at_most": 4}], "sort": "name"},
        {"search": "dock nowhere"},
    ]
    before = [await found(app, dataset_id, **each) for each in searches]
    monkeypatch.setattr(search, "FEW", 3)
    assert [await found(app, dataset_id, **each) for each in searches] == before
    assert before[:4] == [
        [f"R{n}" for n in range(8, 0, -1)],
        ["R7", "R5", "R3", "R1"],
        ["R1", "R3", "R5", "R7"],
        ["R4"],
    ]
    first = await app.answer(
        "admin",
        "search_dataset_records",
        {"dataset_id": dataset_id, "search": "dock", "per_page": 5, "with_total": True},
    )
    rest = {"dataset_id": dataset_id, "search": "dock", "per_page": 5, "cursor": first.next_cursor}
    later = await app.answer("admin", "search_dataset_records", rest)
    assert (first.total, [each.values["code"] for each in later.records]) == (8, ["R3", "R2", "R1"])


async def test_the_nearest_records_come_first_in_dense_areas(app: App) -> None:
    dataset_id = await make_dataset(app)
    lines = [f"R{n},{43 + n / 1000},-79" for n in range(1, 61)]
    await import_file(app, dataset_id, "csv", "\n".join(["code,lat,lng", *lines]))
    near = {"lat": 43, "lng": -79, "radius_m": 7000}
    for count, descending in ((3, False), (100, False), (3, True)):
        request = {"dataset_id": dataset_id, "near": near, "per_page": count, "descending": descending}
        answer = await app.answer("admin", "search_dataset_records", request)
        codes = [f"R{n}" for n in range(1, 61)]
        assert [each.values["code"] for each in answer.records] == (codes[::-1] if descending else codes)[:count]
