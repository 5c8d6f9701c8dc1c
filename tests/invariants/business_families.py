"""The records of each family that `business.py` puts together."""

from base64 import b64encode
from typing import Any

from tests.contexts.billing.exchange_rates.examples import EXCHANGE_RATE
from tests.contexts.billing.identities.examples import CUSTOMER_IDENTITY, IDENTITY
from tests.contexts.billing.invoices.examples import SETTINGS as INVOICING
from tests.contexts.billing.services.examples import FORM
from tests.contexts.billing.taxes.examples import EXEMPTION, RATE
from tests.contexts.payments.makers import make_stripe
from tests.contexts.shipping.examples import LABEL_TEXT
from tests.contexts.storage.examples import BOX, HOME, PRICING, TARIFF, WISH
from tests.contexts.warehouse.examples import CARTON, COMMITTED, FILLING, TEAPOT
from tests.invariants.business_lockers import lockers
from tests.invariants.business_regions import map_regions
from tests.invariants.dry_run_day import PHOTO
from tests.support.app import App
from tests.support.examples import fill_placeholders

from haulier.adapters.payments.stripe_objects import read_event
from haulier.contexts.billing import public as billing
from haulier.contexts.billing.invoices.rules import DunningLevel
from haulier.contexts.billing.invoices.store import insert_email
from haulier.contexts.payments.online_payments.actions import apply_provider_events
from haulier.contexts.shipping.label_parsing.actions import ReadQueuedLabel
from haulier.contexts.shipping.label_parsing.jobs import read_queued_label
from haulier.contexts.shipping.labels.store import shipments as shipment_table
from haulier.contexts.shipping.shipping_rules.actions import record_rule_choice
from haulier.contexts.shipping.shipping_rules.queries import choose_by_rules
from haulier.contexts.shipping.shipping_rules.rules import ShippingFacts
from haulier.contexts.shipping.uniorder.actions import ProcessUniorders
from haulier.contexts.shipping.uniorder.jobs import process_uniorders
from haulier.kernel.call import call_as_system
from haulier.kernel.job_run import JobRun
from haulier.kernel.values.money import Money

MARK = "Only-For-Demo-Eyes"


async def warehouses(app: App, order_id: int) -> dict[str, Any]:
    """Create stock, stored goods, inbound parcels, lockers and packing data."""
    stock = await make_warehouse_with_stock(app)
    return {
        **stock,
        **await storage(app, stock["location_id"]),
        **await inbound_parcels(app),
        **await lockers(app),
        **await make_shelf(app, order_id),
        **await packing(app, order_id),
    }


async def services(app: App) -> dict[str, Any]:
    """Create a parsed label, a service with a quote, payments, invoices and taxes."""
    return {
        **await make_read_label(app),
        **await make_service_with_a_quote(app),
        **await online_payments(app),
        **await invoices(app),
        **await taxes(app),
    }


async def taxes(app: App) -> dict[str, Any]:
    """Create a tax rate of another country, a customer exemption, and settings."""
    await app.answer("admin", "set_tax_settings", {"rounding": "line"})
    rate = (await app.answer("admin", "create_tax_rate", {**RATE, "country": "NZ", "region": None})).tax_rate
    exempt = {
        **EXEMPTION,
        "customer_id": app.ids["customer"],
        "certificate_number": MARK,
        "note": MARK,
        "country": "NZ",
    }
    exemption = (await app.answer("admin", "create_tax_exemption", exempt)).tax_exemption
    return {"tax_rate_id": rate.id, "tax_exemption_id": exemption.id, **await exchange_rates(app)}


async def exchange_rates(app: App) -> dict[str, Any]:
    """Set an exchange rate of the business, and settings."""
    await app.answer("admin", "set_exchange_rate_settings", {"max_age_days": 7})
    rate = (await app.answer("admin", "set_exchange_rate", EXCHANGE_RATE)).exchange_rate
    await app.answer("admin", "set_journal_settings", {"accounts": [{"account": "bank", "number": MARK[:20]}]})
    await app.answer("admin", "close_journal_period", {"closed_until": "2026-02-28"})
    return {"exchange_rate_id": rate.id}


async def invoices(app: App) -> dict[str, Any]:
    """Create a customer on account with a credited, an overdue and a new invoice."""
    await app.answer("admin", "set_invoicing_settings", {**INVOICING, "issuer_lines": [MARK]})
    terms = {"customer_id": app.ids["customer"], "period": "month", "billing_name": MARK, "address_lines": [MARK]}
    await app.answer("admin", "set_billing_terms", terms)
    await app.answer("admin", "set_billing_identity", {**IDENTITY, "legal_name": MARK})
    customer = {**CUSTOMER_IDENTITY, "legal_name": MARK, "customer_id": app.ids["customer"]}
    await app.answer("admin", "set_customer_billing_identity", customer)
    await app.answer("admin", "set_charging_policy", {"deliveries": "on_delivery"})
    async with app.database.write(app.clients["demo"]) as work:
        call = await call_as_system(app.application, app.clients["demo"], work)
        before = await billing.balance_of(call, app.ids["customer"])
        await billing.set_credit_limit(call, app.ids["customer"], Money(max(0, -before.balance.minor) + 90_000, "CAD"))
    ids = []
    for number in range(2):
        async with app.database.write(app.clients["demo"]) as work:
            call = await call_as_system(app.application, app.clients["demo"], work)
            about = billing.MoneySubject("order", number + 1)
            money = Money(20_000, "CAD")
            await billing.charge(call, app.ids["customer"], money, key=f"billed:{number}", subject=about, reason=MARK)
        asked = {"customer_id": app.ids["customer"]}
        ids.append((await app.answer("admin", "issue_invoice", asked)).invoice.id)
        some = {"invoice_id": ids[-1], "amount_minor": 100, "reason": MARK}
        if not number:
            await app.answer("admin", "credit_invoice", some)
    async with app.database.write(app.clients["demo"]) as work:
        await insert_email(work, ids[0], 1, DunningLevel(days_overdue=7), app.clock())
    async with app.database.write(app.clients["demo"]) as work:
        call = await call_as_system(app.application, app.clients["demo"], work)
        about, money = billing.MoneySubject("order", 3), Money(20_000, "CAD")
        await billing.charge(call, app.ids["customer"], money, key="billed:2", subject=about, reason=MARK)
    part = [{"invoice_id": ids[1], "amount_minor": 100}]
    paid = {"customer_id": app.ids["customer"], "amount_minor": 300, "reference": MARK, "reason": MARK}
    received = (await app.answer("admin", "top_up_credit", {**paid, "allocations": part})).received_payment
    run = {"customer_ids": [app.ids["customer"]], "until": "2031-01-31", "send": False}
    started = (await app.answer("admin", "start_invoice_run", run)).invoice_run
    allocated = {"received_payment_id": received.id, "allocation_id": received.allocations[0].id}
    return {"invoice_id": ids[1], "invoice_run_id": started.id, **allocated}


async def places(app: App, place: dict[str, Any]) -> dict[str, Any]:
    """Create two equal addresses, an address import and an order without a position."""
    address = (await app.answer("admin", "create_address", place)).address
    twin = (await app.answer("admin", "create_address", place)).address
    file = b64encode(f"name,address,city,country\n{MARK},{MARK},{MARK},CA\n".encode()).decode()
    started = await app.answer("admin", "import_addresses", {"document": file, "file_name": MARK})
    nowhere = {name: value for name, value in place.items() if name not in ("lat", "lng")}
    await app.answer("admin", "create_order", {"consignee": nowhere, "order_ref": f"{MARK}-nowhere"})
    return {"address_id": address.id, "duplicate_id": twin.id, "import_id": started.import_id}


async def shipments(app: App) -> dict[str, int]:
    """Create a carrier account with a purchased label, a draft, rates and a manifest."""
    end = {"name": MARK, "address": MARK, "city": MARK, "country": "CA"}
    opened = {"carrier": "HOUSE", "name": MARK, "sender": end}
    account = (await app.answer("admin", "open_carrier_account", opened)).account.id
    named: dict[str, Any] = {"shipment": {"shipper": end, "consignee": end}, "service": "ground", "account_id": account}
    early = (await app.answer("admin", "create_shipping_label", named)).shipment
    closed = await app.answer("admin", "end_of_day", {}, confirmed=True)
    bought = (await app.answer("admin", "create_shipping_label", {**named, "order_ref": f"{MARK}-s"})).shipment
    kept = {**named, "order_ref": f"{MARK}-d", "draft": True}
    draft = (await app.answer("admin", "create_shipping_label", kept)).shipment
    await app.answer("admin", "get_shipping_rate", named["shipment"])
    await app.answer("admin", "issue_document", {"kind": "manifest", "manifest_id": closed.manifests[0].id})
    assert early.state == bought.state == "purchased"
    other = (await app.answer("admin", "create_order", {"consignee": end})).order.id
    job = await app.answer("admin", "ship_orders", {"order_ids": [other]}, confirmed=True)
    ids = {
        "account_id": account,
        "shipment_id": bought.id,
        "draft_shipment_id": draft.id,
        "ship_job_id": job.ship_job_id,
    }
    return ids | await shipping_rules(app, account) | await uniorders(app, "admin", end)


async def shipping_rules(app: App, account: int) -> dict[str, int]:
    """Create a package preset and a shipping rule that decided about an order."""
    size = {"length_mm": 400, "width_mm": 300, "height_mm": 200}
    preset = (await app.answer("admin", "create_package_preset", {"name": MARK, **size})).package_preset.id
    outcome = {"account_id": account, "package_preset_id": preset, "hold_reason": MARK}
    rule = (await app.answer("admin", "create_shipping_rule", {"name": MARK, "outcome": outcome})).rule.id
    async with app.database.write(app.clients["demo"]) as work:
        call = await call_as_system(app.application, app.clients["demo"], work)
        await record_rule_choice(call, await choose_by_rules(call, ShippingFacts(order_id=1)))
    return {"package_preset_id": preset, "shipping_rule_id": rule}


async def storage(app: App, location_id: int) -> dict[str, int]:
    """Create a storage tariff, storage orders, stored packages and a ship-out."""
    await app.answer("admin", "set_storage_tariff", {**TARIFF, "name": MARK})
    asked = {"storage": WISH, "order_ref": MARK, "note": MARK}
    order = (await app.answer("customer", "create_storage_order", asked)).storage_order
    await app.answer("customer", "create_storage_order", asked)
    await app.answer("customer", "quote_storage_order", WISH)
    await app.answer("admin", "confirm_storage_order", {"storage_order_id": order.id})
    box = {**BOX, "location_id": location_id, "description": MARK, "reference": MARK}
    came = {"storage_order_id": order.id, "packages": [box] * 3}
    received = (await app.answer("admin", "receive_stored_packages", came)).received
    package, free, sent = (each.id for each in received)
    await app.answer("admin", "add_package_photo", {"package_id": package, **PHOTO, "name": MARK})
    service = {"code": "demo-send", "kind": "shipout", "name": MARK, "pricing": PRICING}
    await app.answer("admin", "create_service", service)
    out = {"service_code": "demo-send", "parcels": [{"package_ids": [sent]}], "consignee": {**HOME, "name": MARK}}
    shipout = (await app.answer("customer", "create_shipout", {**out, "shipout_ref": MARK, "note": MARK})).shipout
    return {
        "storage_order_id": order.id,
        "package_id": package,
        "free_package_id": free,
        "shipout_id": shipout.id,
    }


async def online_payments(app: App) -> dict[str, Any]:
    """Create an open payment, and one that is partly refunded and disputed."""
    stripe = await make_stripe(app)
    ids = []
    for _ in range(2):
        order = (await app.answer("customer", "create_storage_order", {"storage": WISH, "note": MARK})).storage_order
        ids.append(await make_payment_for_storage(app, "customer", order.id))
    stripe.play("pay", "refund", "dispute", intent=stripe.intents[0], amount=1000)
    await stripe.send(stripe.account.events[0])
    async with app.database.write(app.clients["demo"]) as work:
        call = await call_as_system(app.application, app.clients["demo"], work)
        await apply_provider_events(call, [fact for event in stripe.account.events if (fact := read_event(event).fact)])
    return {"payment_id": ids[1], "endpoint_key": stripe.path.rpartition("/")[2]}


async def make_payment_for_storage(app: App, who: str, storage_order_id: int) -> int:
    """Create a payment of a storage order and return its id.

    If prices are hidden from the customer, it pays for credit, which remains allowed.
    """
    paid: Any = await app.call(who, "create_payment", {"purpose": "storage_order", "subject_id": storage_order_id})
    if paid.answer is None:
        return (await app.answer(who, "create_payment", {"amount_minor": 2000})).payment.payment_id
    return paid.answer.payment.payment_id


async def uniorders(app: App, who: str, end: dict[str, Any]) -> dict[str, Any]:
    """Create a local Uniorder, one whose label purchase failed, and an ended job."""
    form = {"shipper": end, "consignee": end}
    local = (await app.answer(who, "uniorder_create", {"order": form, "order_ref": f"{MARK}-u-{who}"})).order
    rated = await app.answer(who, "uniorder_rate", {**form, "quote_labels": True})
    label = next(rate.rate_id for rate in rated.rates if rate.kind == "label")
    failed = (await app.answer(who, "uniorder_create", {"rate_id": label})).order
    async with app.database.write(app.clients["demo"]) as work:
        await work.run(shipment_table.update().where(shipment_table.c.id == failed.shipment_id).values(state="failed"))
    row = {"order": form, "order_ref": f"{MARK}-j-{who}"}
    job = await app.answer(who, "uniorder_create_batch_async", {"orders": [row]}, confirmed=True)
    await process_uniorders.handler(JobRun(app.application, app.clients["demo"], 1, 1), ProcessUniorders(job.job_id))
    return {"uniorder_id": local.id, "unbought_uniorder_id": failed.id, "uniorder_job_id": job.job_id}


async def points_and_zones(app: App) -> dict[str, Any]:
    """Create a point of interest, a pending import, and a map with two zones.

    One zone is published; the other is a draft.
    """
    spot = {"name": MARK, "category": "locker", "lat": 43.65, "lng": -79.38, "access_notes": MARK}
    point = (await app.answer("admin", "create_point_of_interest", spot)).point_of_interest
    zone_map = (await app.answer("admin", "create_zone_map", {"name": MARK})).zone_map
    square = [[[-79.4, 43.6], [-79.3, 43.6], [-79.3, 43.7], [-79.4, 43.7], [-79.4, 43.6]]]
    zone = {"zone_map_id": zone_map.id, "name": MARK, "geometry": {"type": "Polygon", "coordinates": square}}
    await app.answer("admin", "put_zone", {**zone, "code": "north"})
    await app.answer("admin", "publish_zone_map", {"zone_map_id": zone_map.id, "note": MARK})
    await app.answer("admin", "put_zone", {**zone, "code": "south"})
    rows = {"type": "FeatureCollection", "features": [{"type": "Feature", "properties": {"name": MARK}}]}
    started = await app.answer("admin", "import_points_of_interest", rows)
    ids = {"point_of_interest_id": point.id, "zone_map_id": zone_map.id, "place_import_id": started.place_import_id}
    return ids | await map_regions(app)


async def make_shelf(app: App, order_id: int) -> dict[str, int]:
    """Create a custom field of orders and set it on an order."""
    field = {"kind": "order", "name": "shelf", "value_schema": {"type": "string"}, "labels": {"en": MARK}}
    shelf = (await app.answer("admin", "create_custom_field", {**field, "filterable": True})).custom_field
    values = {"order_id": order_id, "custom_fields": {"shelf": MARK}}
    await app.answer("admin", "update_order_custom_fields", values)
    return {"custom_field_id": shelf.id}


async def make_service_with_a_quote(app: App) -> dict[str, int]:
    """Create a service with a stored quote and a shipping order."""
    form = [{"name": "lift", "label": MARK, "type": "boolean"}, FORM[1]]
    terms = {"name": MARK, "description": MARK, "form": form, "pricing": {"base_minor": 900}}
    made = (await app.answer("admin", "create_service", {"code": "demo", "kind": "parcel", **terms})).service
    async with app.database.write(app.clients["demo"]) as work:
        call = await call_as_system(app.application, app.clients["demo"], work)
        service = await billing.get_service(call, made.id)
        price = billing.price_service(service, {}, billing.ServiceMeasures())
        about: dict[str, Any] = {"customer_id": app.ids["customer"], "values": {}, "details": {"name": MARK}}
        await billing.store_service_quote(call, service, price, **about)
    place = {"name": MARK, "address": MARK, "city": MARK, "country": "CA"}
    asked = {"service_code": "demo", "consignee": place, "shipper": place, "order_ref": MARK, "note": MARK}
    order = (await app.answer("customer", "create_shipping_order", asked)).shipping_order
    return {"service_id": made.id, "shipping_order_id": order.id}


async def make_dataset_of_sites(app: App) -> dict[str, int]:
    """Create a dataset with a changed record, a pending import and a geocoding job."""
    group = (await app.answer("admin", "create_dataset_group", {"name": MARK, "readers": ["employee"]})).group.id
    schema = {
        "type": "object",
        "properties": {"code": {"type": "string"}, "name": {"type": "string"}},
        "required": ["code"],
    }
    made = {"name": MARK, "record_schema": schema, "key_field": "code", "group_id": group, "address_fields": ["name"]}
    dataset = (await app.answer("admin", "create_dataset", made)).dataset.id
    values = {"values": {"code": "A", "name": MARK}, "lat": 43.6, "lng": -79.4}
    record = (await app.answer("admin", "create_dataset_record", {"dataset_id": dataset, **values})).record.id
    await app.answer(
        "admin", "update_dataset_record", {"dataset_id": dataset, "record_id": record, "values": {"code": "B"}}
    )
    file = {"dataset_id": dataset, "format": "csv", "content": f"code,name\nC,{MARK}\n"}
    waiting = (await app.answer("admin", "import_dataset_records", file)).dataset_import.id
    sought = (await app.answer("admin", "geocode_dataset", {"dataset_id": dataset})).geocoding_id
    return {
        "dataset_id": dataset,
        "group_id": group,
        "record_id": record,
        "import_id": waiting,
        "geocoding_id": sought,
    }


async def make_warehouse_with_stock(app: App) -> dict[str, Any]:
    """Create a warehouse with two locations, a product and partly reserved stock."""
    warehouse = (await app.answer("admin", "create_warehouse", {"code": MARK, "name": MARK, "address": MARK})).warehouse
    codes = [{"code": f"A-{n}", "zone": "A"} for n in range(2)]
    made = await app.answer("admin", "create_locations", {"warehouse_id": warehouse.id, "locations": codes})
    first, second = (location.id for location in made.locations)
    cup = {"sku": "CUP", "name": MARK, "barcodes": [MARK]}
    product = (await app.answer("admin", "create_product", cup)).product
    pieces = {"sku": "CUP", "quantity": 9, "location_id": first}
    await app.answer("admin", "receive_stock", {"lines": [pieces], "reference": MARK})
    wanted = {"warehouse_id": warehouse.id, "reference": "STOCK-1", "lines": [{"sku": "CUP", "quantity": 1}]}
    await app.answer("admin", "reserve_stock", wanted)
    await app.answer("admin", "reserve_stock", {**wanted, "reference": "STOCK-0"})
    short = {"location_id": first, "sku": "CUP", "change": -8, "reason": "lost"}
    shortage = (await app.answer("admin", "adjust_stock", short)).released[0].shortage_id
    await app.answer("admin", "receive_stock", {"lines": [{**pieces, "quantity": 8}], "reference": MARK})
    advised = {"warehouse_id": warehouse.id, "reference": MARK, "supplier": MARK, "lines": wanted["lines"]}
    advice = (await app.answer("admin", "create_stock_advice", advised)).advice
    await app.answer("admin", "add_stock_advice_photo", {"advice_id": advice.id, "photo": {**PHOTO, "name": MARK}})
    table = {"format": "csv", "content": f"sku,name,barcodes\n{MARK},{MARK},{MARK}\n"}
    salve = {"sku": "SALVE", "name": MARK, "tracking": "lot", "expires": True}
    lot_product = (await app.answer("admin", "create_product", salve)).product
    dated = {"sku": "SALVE", "quantity": 1, "location_id": first, "lot": "L-1", "expires_on": "2027-12-31"}
    await app.answer("admin", "receive_stock", {"lines": [dated]})
    gone = {"location_id": first, "sku": "SALVE", "lot": "L-1", "change": -1, "reason": "lost"}
    await app.answer("admin", "adjust_stock", gone)
    return {
        "lot_product_id": lot_product.id,
        "stock_import_id": (await app.answer("admin", "import_products", table)).stock_import.id,
        "advice_id": advice.id,
        "shortage_id": shortage,
        **await two_counts(app, warehouse.id, first),
        **await two_waves(app, warehouse.id),
        "warehouse_id": warehouse.id,
        "location_id": first,
        "other_location_id": second,
        "product_id": product.id,
        **await transfers(app, warehouse.id),
        **await scans(app, warehouse.id),
    }


async def packing(app: App, order_id: int) -> dict[str, Any]:
    """Create two box types, two fillings, and a plan for an order."""
    first, other = [
        (await app.answer("admin", "create_carton", {**CARTON, "code": code, "name": MARK})).carton.id
        for code in (MARK, f"{MARK}2")
    ]
    paper, air = [
        (await app.answer("admin", "create_filling", {**FILLING, "code": code, "name": MARK})).filling.id
        for code in (MARK, f"{MARK}2")
    ]
    known = {"carton_id": first, "order_id": order_id, "other_carton_id": other}
    known |= {"filling_id": paper, "other_filling_id": air}
    committed = fill_placeholders({**COMMITTED, "pieces": [{**TEAPOT, "id": MARK}]}, known)
    committed["placements"][0]["piece"] = MARK
    committed["input_hash"] = (await app.answer("admin", "check_packing_plan", without_subject(committed))).input_hash
    plan = (await app.answer("admin", "commit_packing_plan", committed)).plan
    searched = {"pieces": [{**TEAPOT, "id": MARK}], "carton_ids": [first], "steps": 10}
    over, waiting = [(await app.answer("admin", "start_packing_search", searched)).search.id for _ in range(2)]
    await app.answer("admin", "cancel_plan_search", {"plan_search_id": over})
    return {**known, "plan_id": plan.id, "plan_search_id": waiting, "done_plan_search_id": over}


def without_subject(committed: dict[str, Any]) -> dict[str, Any]:
    """Return a commit request without its order and input hash."""
    return {name: value for name, value in committed.items() if name not in ("order_id", "input_hash")}


async def scans(app: App, warehouse_id: int) -> dict[str, Any]:
    """Record a scan of a damaged product and an expected package that is missing."""
    expected = {"warehouse_id": warehouse_id, "day": "2026-06-01", "numbers": ["CRATE-8"]}
    await app.answer("admin", "expect_arrivals", expected)
    seen = {"device_id": "scanner-1", "scan_id": "1", "kind": "exception", "code": "CUP", "note": MARK}
    moment = {"warehouse_id": warehouse_id, "occurred_at": "2026-06-01T08:00:00Z", "reference": MARK}
    await app.answer("admin", "record_scan", {**seen, **moment})
    return {}


async def transfers(app: App, warehouse_id: int) -> dict[str, Any]:
    """Create a second warehouse, and a draft, a sent and a received transfer to it."""
    other = (await app.answer("admin", "create_warehouse", {"code": f"{MARK}2", "name": MARK})).warehouse.id
    ids = []
    for number in ("CRATE-1", "CRATE-3", "CRATE-4"):
        batch = {"from_warehouse_id": warehouse_id, "to_warehouse_id": other, "reason": MARK, "numbers": [number]}
        ids.append((await app.answer("admin", "create_transfer", batch)).transfer.id)
    for id in ids[1:]:
        await app.answer("admin", "dispatch_transfer", {"transfer_id": id})
    await app.answer("admin", "scan_transfer_in", {"transfer_id": ids[2], "numbers": ["CRATE-4"]})
    return {
        "other_warehouse_id": other,
        "transfer_id": ids[0],
        "sent_transfer_id": ids[1],
        "received_transfer_id": ids[2],
    }


async def inbound_parcels(app: App) -> dict[str, int]:
    """Create a suite, a policy, and announced, matched and unclaimed parcels."""
    customer = app.ids["customer"]
    await app.answer("admin", "assign_suite", {"customer_id": customer, "code": "DEMO-1"})
    await app.answer("admin", "set_consolidation_policy", {"unclaimed_after_days": 20})
    said = {"tracking_number": f"{MARK}-1", "customer_id": customer, "contents": MARK, "note": MARK}
    announced = (await app.answer("admin", "create_pre_alert", said)).parcel
    came = {"tracking_number": f"{MARK}-2", "label_text": MARK}
    nobodys = (await app.answer("admin", "receive_inbound_parcel", came)).parcel
    here = (await app.answer("admin", "receive_inbound_parcel", {**came, "tracking_number": f"{MARK}-3"})).parcel
    await app.answer("admin", "match_inbound_parcel", {"parcel_id": here.id, "customer_id": customer})
    await app.answer("admin", "receive_inbound_parcel", {"tracking_number": f"{MARK}-4"})
    claim = (await app.answer("customer", "create_pre_alert", {"tracking_number": f"{MARK}-4", "note": MARK})).claim
    parcels = {"parcel_id": announced.id, "unmatched_parcel_id": nobodys.id, "matched_parcel_id": here.id}
    return {"claim_id": claim.id, **parcels}


async def make_read_label(app: App) -> dict[str, int]:
    """Parse a label with the mark as its recipient."""
    read = await app.answer("admin", "parse_label", {"text": LABEL_TEXT.replace("Ada Lovelace", MARK)})
    run = JobRun(app.application, app.clients["demo"], 1, 1)
    await read_queued_label.handler(run, ReadQueuedLabel(read.label_parse.id))
    return {"parse_id": read.label_parse.id}


async def two_counts(app: App, warehouse_id: int, location_id: int) -> dict[str, int]:
    """Create a finished count with a difference, and an open one elsewhere."""
    codes = [{"code": "C-1", "zone": "C"}]
    made = await app.answer("admin", "create_locations", {"warehouse_id": warehouse_id, "locations": codes})
    place = made.locations[0].id
    await app.answer("admin", "receive_stock", {"lines": [{"sku": "CUP", "quantity": 3, "location_id": place}]})
    ids: list[int] = []
    for location in (place, location_id):
        asked = {"warehouse_id": warehouse_id, "location_ids": [location], "note": MARK}
        ids.append((await app.answer("admin", "create_stock_count", asked)).count.id)
    found = {"location_id": place, "sku": "CUP", "quantity": 2}
    await app.answer("admin", "record_stock_count", {"count_id": ids[0], "lines": [found]})
    await app.answer("admin", "finish_stock_count", {"count_id": ids[0]})
    return {"done_count_id": ids[0], "count_id": ids[1]}


async def two_waves(app: App, warehouse_id: int) -> dict[str, int]:
    """Create an unpicked wave, and one that is picked and partly packed."""
    bench = {"code": "PACK-1", "kind": "packing"}
    made = await app.answer("admin", "create_locations", {"warehouse_id": warehouse_id, "locations": [bench]})
    staging = made.locations[0].id
    ids: dict[str, int] = {"staging_location_id": staging}
    for reference in ("STOCK-3", "STOCK-2"):
        lines = [{"sku": "CUP", "quantity": 2}]
        wanted = {"warehouse_id": warehouse_id, "reference": reference, "lines": lines}
        await app.answer("admin", "reserve_stock", wanted)
        asked = {"warehouse_id": warehouse_id, "references": [reference], "staging_location_id": staging}
        wave = await app.answer("admin", "create_pick_wave", asked)
        ids |= {"wave_id": wave.wave.id, "task_id": wave.tasks[0].id}
        if reference == "STOCK-3":
            done = [{"task_id": task.id, "quantity": task.quantity} for task in wave.tasks]
            await app.answer("admin", "confirm_picks", {"wave_id": wave.wave.id, "lines": done})
            packed = {**wanted, "lines": [{"sku": "CUP", "quantity": 1}], "barcode": MARK}
            ids["pick_package_id"] = (await app.answer("admin", "pack_stock", packed)).package.id
    return ids
