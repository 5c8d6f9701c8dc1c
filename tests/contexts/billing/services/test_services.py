"""Services: created by staff, validated by their forms, with stable quotes."""

from typing import Any

import pytest
from tests.contexts.billing.ledger.makers import make_call
from tests.contexts.billing.services.examples import FORM, PRICING, TERMS
from tests.contexts.billing.services.makers import faults_of, make_service
from tests.support.app import App

from haulier.contexts.billing import public as billing
from haulier.kernel.operations.errors import NOT_FOUND, OperationError

MEASURES = billing.ServiceMeasures(pieces=2)


async def test_services_can_be_created_listed_updated_and_deleted(app: App) -> None:
    service = await make_service(app, position=2)
    await make_service(app, "pallet", "ltl", position=1)
    listed = await app.answer("admin", "list_services")
    assert ([one.code for one in listed.services], listed.total) == (["pallet", "same-day"], 2)
    assert [one.code for one in (await app.answer("admin", "list_services", {"kind": "ltl"})).services] == ["pallet"]
    shown = await app.rest("admin", "GET", f"/v1/billing/services/{service.id}")
    assert shown.json()["service"]["pricing"]["surcharges"][0]["name"] == "Fuel"
    changed = {"service_id": service.id, "name": "Slower", "enabled": False}
    after = (await app.answer("admin", "update_service", changed)).service
    assert (after.code, after.name, after.form, after.enabled) == ("same-day", "Slower", [], False)
    assert [one.code for one in (await app.answer("admin", "list_services", {"enabled": True})).services] == ["pallet"]
    await app.answer("admin", "delete_service", {"service_id": service.id})
    assert (await app.call("admin", "get_service", {"service_id": service.id})).status == 404


async def test_a_code_is_unique_within_a_business_and_invisible_to_others(app: App) -> None:
    service = await make_service(app)
    again = await app.call("admin", "create_service", {"code": "same-day", "kind": "ltl", "name": "x"})
    assert again.error["code"] == "SERVICE_CODE_TAKEN"
    await app.answer("rival", "create_service", {"code": "same-day", "kind": "ltl", "name": "x"})
    assert (await app.call("rival", "get_service", {"service_id": service.id})).status == 404
    assert (await app.call("customer", "list_services")).status == 403


async def test_each_error_in_a_form_and_its_prices_is_reported(app: App) -> None:
    form = [
        {"name": "a", "label": "A", "type": "choice"},
        {"name": "a", "label": "A", "type": "integer", "minimum": 3, "maximum": 2},
        {"name": "b", "label": "B", "visible_when": [{"field": "c", "one_of": [1]}]},
        {"name": "c", "label": "C", "type": "boolean", "required_when": [{"field": "a", "one_of": [True]}]},
    ]
    pricing = {
        "options": [{"field": "d", "amount_minor": 1}, {"field": "b", "amount_minor": 1}],
        "surcharges": [{"code": "s", "name": "S", "when": [{"field": "c", "one_of": ["x"]}]}],
    }
    faults = await faults_of(
        app, "admin", "create_service", {"code": "x", "kind": "ltl", "name": "x", "form": form, "pricing": pricing}
    )
    assert faults == {
        "form.0.options": "FORM_OPTIONS",
        "form.1.name": "FORM_NAME_TWICE",
        "form.1.maximum": "FORM_BOUNDS",
        "form.2.visible_when.0.field": "FORM_FIELD_UNKNOWN",
        "form.3.required_when.0.one_of": "FORM_CONDITION_VALUE",
        "pricing.options.0.field": "FORM_FIELD_UNKNOWN",
        "pricing.options.1.option": "FORM_CONDITION_VALUE",
        "pricing.surcharges.0.when.0.one_of": "FORM_CONDITION_VALUE",
    }


async def test_values_are_validated_by_field_in_the_callers_language(app: App) -> None:
    service = await make_service(app)
    asked: dict[str, Any] = {"service_id": service.id}
    for values, faults in (
        ({"lift": False}, {"values.floor": "MISSING"}),
        ({"lift": False, "floor": 41}, {"values.floor": "MAXIMUM"}),
        ({"lift": True, "floor": 3}, {"values.floor": "FORM_NOT_ASKED"}),
        ({"lift": "no", "roof": 1}, {"values.roof": "FORM_NOT_ASKED", "values.lift": "TYPE"}),
    ):
        assert await faults_of(app, "admin", "preview_service_price", {**asked, "values": values}) == faults
    told = await app.call("admin", "preview_service_price", {**asked, "values": {"lift": False}}, accept_language="de")
    assert told.error["errors"][0]["message"] == "Dieses Feld ist erforderlich."


async def test_a_price_lists_its_components(app: App) -> None:
    service = await make_service(app)
    asked = {"service_id": service.id, "pieces": 2, "values": {"lift": False, "floor": 2}}
    price = await app.answer("admin", "preview_service_price", asked)
    assert [(line.name, line.amount_minor) for line in price.lines] == [
        ("Base price", 1000),
        ("Packages", 500),
        ("Which floor?", 600),
        ("Fuel", 168),
        ("HST", 295),
    ]
    assert (price.currency, price.tax_minor, price.total_minor) == ("CAD", 295, 2563)


async def test_a_quote_stays_valid_when_the_tariff_changes(app: App) -> None:
    made = await make_service(app, quote_hours=1)
    customer = app.ids["customer"]
    async with make_call(app) as call:
        service = await billing.find_offered_service(call, "same-day", {billing.ServiceKind.PARCEL})
        values = billing.check_service_values(service, {"lift": True, "floor": None})
        price = billing.price_service(service, values, MEASURES)
        kept = [
            await billing.store_service_quote(
                call, service, price, customer_id=customer, values=values, details={"a": 1}
            )
            for _ in range(2)
        ]
    await app.answer("admin", "update_service", {"service_id": made.id, **TERMS, "pricing": {}, "enabled": False})
    assert (await app.call("admin", "delete_service", {"service_id": made.id})).error["code"] == "SERVICE_IN_USE"
    async with make_call(app) as call:
        about = {"service_id": made.id, "customer_id": customer}
        taken = await billing.use_service_quote(call, kept[0].id, **about)
        assert (taken.price, taken.values, taken.details) == (price, {"lift": True}, {"a": 1})
        assert price.total_minor == 1831
        assert await refusal(call, kept[0].id, **about) == billing.SERVICE_QUOTE_TAKEN
        assert (await billing.use_service_quote(call, kept[0].id, **about, once=False)).price == price
        assert await refusal(call, kept[1].id, **{**about, "customer_id": app.ids["customer2"]}) == NOT_FOUND
    app.clock.forward(hours=1)
    async with make_call(app) as call:
        assert await refusal(call, kept[1].id, **about) == billing.SERVICE_QUOTE_EXPIRED
    await app.answer("admin", "delete_service", {"service_id": made.id})


async def refusal(call: Any, quote_id: int, **about: Any) -> Any:
    with pytest.raises(OperationError) as refused:
        await billing.use_service_quote(call, quote_id, **about)
    return refused.value.error_type


async def test_a_service_with_orders_is_disabled_instead_of_deleted(app: App) -> None:
    made = await make_service(app)
    async with make_call(app) as call:
        await billing.mark_service_used(call, made.id)
        assert [one.code for one in await billing.list_offered_services(call, {made.kind})] == ["same-day"]
    assert (await app.call("admin", "delete_service", {"service_id": made.id})).error["code"] == "SERVICE_IN_USE"
    await app.answer("admin", "update_service", {"service_id": made.id, **TERMS, "enabled": False})
    async with make_call(app) as call:
        assert await billing.list_offered_services(call, {made.kind}) == []
        with pytest.raises(OperationError) as refused:
            await billing.find_offered_service(call, "same-day", {made.kind})
        assert refused.value.error_type is NOT_FOUND


async def test_form_titles_are_in_the_callers_language(app: App) -> None:
    await make_service(app)
    shown = await app.rest("admin", "GET", "/v1/billing/services", headers={"accept-language": "fr"})
    titles = shown.json()["services"][0]["form_schema"]["properties"]
    assert titles["lift"]["title"] == "Y a-t-il un ascenseur ?"
    assert titles["floor"]["title"] == FORM[1]["label"]
    assert PRICING["tax_name"] == shown.json()["services"][0]["pricing"]["tax_name"]
