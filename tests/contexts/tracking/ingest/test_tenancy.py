"""Timelines and sources that a provider may write."""

from typing import Any

from tests.contexts.tracking.ingest.requests import (
    CARRIER,
    NUMBER,
    ingest_outcomes,
    make_event,
    make_key,
    make_timeline,
    push_document,
    read_timeline,
    status_codes,
)
from tests.contexts.tracking.timelines.factories import make_call, make_new_event, record_counting_statements
from tests.support.app import App

from haulier.contexts.tracking.public import assign_carrier


def reasons(response: Any) -> list[str]:
    return [why["code"] for receipt in response.json()["receipts"] for why in receipt.get("reasons", [])]


async def test_another_clients_provider_can_neither_write_nor_read(app: App) -> None:
    await record_counting_statements(app, make_new_event("picked_up", tracking_number=NUMBER))
    theirs = await make_key(app, "rival", name="Rival Post")
    response = await push_document(
        app, theirs, {"timelines": [make_timeline(make_event("delivered")), make_timeline(make_event(), number="R-1")]}
    )
    assert ingest_outcomes(response) == ["refused", "accepted"]
    assert reasons(response) == ["NOT_CARRIED"]
    assert status_codes(await read_timeline(app)) == ["picked_up"]
    assert await read_timeline(app, "R-1") == {}
    assert status_codes(await read_timeline(app, "R-1", "rival")) == ["in_transit"]


async def test_a_carrier_number_is_meaningless_at_another_client(app: App) -> None:
    ours, theirs = await make_key(app), await make_key(app, "rival")
    document = make_timeline(make_event("received"))
    document["subject"]["external_tracking_number"] = "1Z999"
    await push_document(app, ours, document)
    document["subject"] = {"external_tracking_number": "1Z999"}
    answer = (await push_document(app, theirs, document)).json()
    assert answer["receipts"][0]["tracking_numbers"] == ["1Z999"]
    assert status_codes(await read_timeline(app)) == ["received"]


async def test_foreign_and_unassigned_shipments_get_the_same_response(app: App) -> None:
    await record_counting_statements(app, make_new_event("picked_up", tracking_number=NUMBER))
    async with make_call(app) as call:
        await assign_carrier(call, NUMBER, "Other Post")
    key = await make_key(app, carriers=["Swift Post"])
    given = await push_document(app, key, make_timeline(make_event()))
    foreign = await push_document(
        app, await make_key(app, "rival", carriers=["Swift Post"]), make_timeline(make_event())
    )
    assert given.json()["receipts"] == foreign.json()["receipts"]
    assert reasons(given) == ["NOT_CARRIED"]


async def test_a_carrier_writes_only_about_shipments_assigned_to_it(app: App) -> None:
    await record_counting_statements(app, make_new_event("picked_up", tracking_number=NUMBER))
    async with make_call(app) as call:
        await assign_carrier(call, NUMBER, "Swift Post")
        await assign_carrier(call, NUMBER, "Swift Post")
    assert ingest_outcomes(
        await push_document(app, await make_key(app, carriers=["Swift Post"]), make_timeline(make_event()))
    ) == ["accepted"]


async def test_a_provider_uses_only_the_sources_of_its_key(app: App) -> None:
    key = await make_key(app, name="Hub", carriers=["Swift Post", "Slow Post"])
    sources = [{**CARRIER, "name": name} for name in ("Swift Post", "Slow Post", "Hub", "Other Post")]
    response = await push_document(
        app, key, make_timeline(*(make_event(hours=n, source=each) for n, each in enumerate(sources)))
    )
    assert ingest_outcomes(response) == ["accepted", "accepted", "accepted", "refused"]
    assert reasons(response) == ["SOURCE_NAME"]


async def test_a_provider_cannot_impersonate_the_clients_own_delivery(app: App) -> None:
    sources = [{"type": type} for type in ("self_delivery", "system", "partner", "third_party")]
    response = await push_document(
        app, await make_key(app), make_timeline(*(make_event(hours=n, source=s) for n, s in enumerate(sources)))
    )
    assert ingest_outcomes(response) == ["refused", "refused", "accepted", "accepted"]


async def test_an_event_without_a_source_is_attributed_to_the_key(app: App) -> None:
    for name, carriers, number in (("Hub", [], "A"), ("Hub", ["Swift Post"], "B"), ("Hub", ["X", "Y"], "C")):
        key = await make_key(app, name=name, carriers=carriers)
        await push_document(app, key, make_timeline(make_event(source={"type": "carrier"}), number=number))
    names = [(await read_timeline(app, number))["events"][0]["source"]["name"] for number in "ABC"]
    assert names == ["Hub", "Swift Post", "Hub"]


async def test_a_provider_can_withdraw_only_its_own_events(app: App) -> None:
    await push_document(app, await make_key(app), make_timeline(make_event("delivered", event_id="e-1")))
    other = {"type": "carrier", "name": "Other Post"}
    wrong = make_event("delivered", event_id="e-1", source=other)
    correction = {"event_id": "e-1", "declared_at": make_event(hours=1)["occurred_at"]}
    document = make_timeline(voided=[{"event": wrong, "correction": correction}])
    assert ingest_outcomes(await push_document(app, await make_key(app, name="Other Post"), document)) == ["corrected"]
    read = await read_timeline(app)
    assert (status_codes(read), read["terminal"]) == (["delivered"], True)


async def test_a_provider_key_can_only_push(app: App) -> None:
    key = await make_key(app)
    bearer = {"Authorization": f"Bearer {key}"}
    await push_document(app, key, make_timeline(make_event(location={"address": "12 Birch Street", "city": "Toronto"})))
    for path in ("/v1/otep/providers", "/v1/tokens", "/v1/orders"):
        assert (await app.http.get(f"/api{path}", headers=bearer)).status_code == 403
    read = await app.http.get(f"/api/v1/otep/trackings/{NUMBER}", headers=bearer)
    assert (read.status_code, "Birch" in read.text) == (200, False)


async def test_two_providers_can_use_the_same_idempotency_key(app: App) -> None:
    document = make_timeline(make_event("received", source={"type": "carrier"}))
    for name in ("Swift Post", "Other Post"):
        response = await push_document(app, await make_key(app, name=name), document, Idempotency_Key="k-1")
        assert (ingest_outcomes(response), response.headers.get("idempotency-replayed")) == (["accepted"], None)
    assert len((await read_timeline(app))["events"]) == 2
