"""Purchases of demo customers: services, storage, shipments, luggage and devices."""

from datetime import timedelta
from typing import Any

from haulier.background import make_worker
from haulier.demo.accounts import DemoUser
from haulier.demo.caller import OperationCaller, SeedClock
from haulier.demo.city import CITY, DEPOTS, ZONE, tours
from haulier.demo.people import BUSINESS

TAX: dict[str, Any] = {"tax_name": "VAT", "tax_basis_points": 2_550}
SERVICES: tuple[dict[str, Any], ...] = (
    {
        "code": "demo-same-day",
        "kind": "parcel",
        "name": "Same day in the city",
        "description": "Fetched by noon, there by six.",
        "pricing": {"base_minor": 900, "per_piece_minor": 300, **TAX},
    },
    {
        "code": "demo-sofa",
        "kind": "moving",
        "name": "A single large piece",
        "description": "Two people carry it to the room.",
        "form": [
            {
                "name": "floor",
                "label": "Which floor?",
                "type": "integer",
                "minimum": 0,
                "maximum": 40,
                "required": True,
            },
            {"name": "lift", "label": "Is there a lift?", "type": "boolean"},
        ],
        "pricing": {"base_minor": 7_500, "options": [{"field": "floor", "amount_minor": 300}], **TAX},
    },
    {
        "code": "demo-stored",
        "kind": "shipout",
        "name": "Send what is stored",
        "description": "From our shelf to any address of the country.",
        "pricing": {"base_minor": 700, "per_piece_minor": 250, **TAX},
    },
    {
        "code": "demo-bags",
        "kind": "luggage",
        "name": "Bags in the city",
        "description": "From the station to the hotel, and back.",
        "pricing": {"base_minor": 1_000, "per_piece_minor": 500, **TAX},
    },
)
BOX: dict[str, Any] = {"weight_g": 12_000, "length_mm": 600, "width_mm": 400, "height_mm": 400}
TIERS = [{"from_day": 1, "price_minor": 50}, {"from_day": 31, "price_minor": 80}]
_HOME, _SHOP = tours()[6].addresses[10], tours()[5].addresses[10]
CUSTOMER, CONTACT = "Lumi Ceramics", "Mila Saarinen"
HOME = {**CITY, "name": CONTACT, "address": _HOME.street, "postal_code": _HOME.postal_code}
SHOP = {**CITY, "name": CUSTOMER, "address": _SHOP.street, "postal_code": _SHOP.postal_code}
HOTEL = {**CITY, "kind": "hotel", "name": "Hotel Tuuli", "address": "Yrjönkatu 13"}
STATION = {**CITY, "kind": "station", "name": "Central Station", "address": "Kaivokatu 1"}
DEVICES: tuple[dict[str, Any], ...] = (
    {
        "product_code": "demo-scanner",
        "name": "Hand scanner 2D",
        "kind": "scanner",
        "price_minor": 24_900,
        "lead_days": 3,
    },
    {"product_code": "demo-tablet", "name": "Tablet 8", "kind": "tablet", "price_minor": 39_900, "lead_days": 7},
)


SELLER: dict[str, Any] = {
    **CITY,
    "legal_name": f"{BUSINESS} Oy",
    "street": DEPOTS[0][1],
    "postal_code": DEPOTS[0][2],
    "vat_number": "FI00000019",
    "company_number": "0000001-9",
    "electronic_scheme": "0216",
    "electronic_address": "003700000019",
}
BUYER: dict[str, Any] = {
    **CITY,
    "legal_name": f"{CUSTOMER} Oy",
    "street": _SHOP.street,
    "postal_code": _SHOP.postal_code,
    "vat_number": "FI00000027",
    "electronic_scheme": "0216",
    "electronic_address": "003700000027",
    "buyer_reference": "Shipping desk",
}
INVOICING: dict[str, Any] = {
    "issuer_lines": [DEPOTS[0][1], f"{DEPOTS[0][2]} Helsinki", "VAT FI00000019"],
    "tax_name": "VAT",
    "tax_rate_bp": 2_550,
    "payment_terms_days": 14,
    "payment_instructions": "Pay to account FI00 0000 0000 0000 00 and name the invoice.",
}


EXTRA_CHARGES = ((60_000, "CRATES-1", "Custom crates"), (40_000, "CRATES-2", "Custom crates, second batch"))
"""Amount, reference and reason of charges that are invoiced one by one and paid together."""


async def _set_up_billing(admin: OperationCaller, customer_id: int) -> None:
    await admin.call("set_invoicing_settings", **INVOICING)
    await admin.call("set_billing_identity", **SELLER)
    await admin.call("set_customer_billing_identity", customer_id=customer_id, **BUYER)
    await admin.call("add_initial_tax_rates", country=CITY["country"])
    await admin.call("set_exchange_rate", base_currency="USD", quote_currency="EUR", rate="0.9215")


LATE_PAYER = "Kahvila Aalto"
LATE_CHARGES = ((18_650, "Deliveries in November"), (4_200, "Express deliveries"))
"""Amount and reason of charges that a customer has not paid when they were due."""


async def seed_late_payer(admin: OperationCaller) -> None:
    """Create a customer with invoices that become overdue in the history."""
    await admin.call("set_invoicing_settings", **INVOICING)
    person = {"name": LATE_PAYER, "email": "office@aalto.example", "account": "customer"}
    customer = (await admin.call("create_user", **person)).user.id
    await admin.call("set_credit_limit", customer_id=customer, limit_minor=100_000)
    await admin.call("set_billing_terms", customer_id=customer, payment_terms_days=1)
    for number, (minor, reason) in enumerate(LATE_CHARGES, 1):
        extra = {"customer_id": customer, "amount_minor": -minor, "reference": f"AALTO-{number}", "reason": reason}
        await admin.call("adjust_credit", **extra)
        await admin.call("issue_invoice", customer_id=customer)


async def seed_customers(admin: OperationCaller, user: DemoUser, clock: SeedClock, shelf: int) -> None:
    """Create a customer's purchases.

    The customer's goods are stored at the location `shelf`.
    """
    customer = OperationCaller(admin.app, user)
    for service in SERVICES:
        await admin.call("create_service", **service)
    await admin.call("top_up_credit", customer_id=user.id, amount_minor=50_000, reference="BANK-1001")
    await admin.call("set_credit_limit", customer_id=user.id, limit_minor=500_000)
    terms = {
        "period": "month",
        "payment_terms_days": 14,
        "billing_name": CUSTOMER,
        "address_lines": [SHOP["address"], f"{SHOP['postal_code']} Helsinki"],
    }
    await admin.call("set_billing_terms", customer_id=user.id, **terms)
    await _set_up_billing(admin, user.id)
    loaded = admin.app.loaded
    if "shipping" in loaded:
        await _send(admin, customer)
    if "storage" in loaded:
        await _store(admin, customer, clock, shelf)
    if "locker_commerce" in loaded:
        await _relay_luggage(customer, clock)
    if "storage" in loaded:
        await _seed_inbound(admin, user.id)
    if "locker_commerce" in loaded:
        await _order_devices(admin, customer)
    if "shipping" in loaded:
        await _invoice(admin, customer, user.id, clock)


async def _invoice(admin: OperationCaller, customer: OperationCaller, customer_id: int, clock: SeedClock) -> None:
    """Invoice all charges in a run, and leave one order to the next run.

    A payment pays two more invoices, and a rest stays on account.
    """
    today = clock.present.astimezone(ZONE).date()
    await admin.call("start_invoice_run", until=today, send=False)
    await make_worker(admin.app).run_due()
    for minor, reference, reason in EXTRA_CHARGES:
        extra = {"customer_id": customer_id, "amount_minor": -minor, "reference": reference, "reason": reason}
        await admin.call("adjust_credit", **extra)
        await admin.call("issue_invoice", customer_id=customer_id)
    paid = sum(minor for minor, _, _ in EXTRA_CHARGES) + 30_000
    await admin.call("top_up_credit", customer_id=customer_id, amount_minor=paid, reference="BANK-1002")
    for order in (await customer.call("list_shipping_orders", order_ref="CUST-2")).shipping_orders:
        await customer.call("pay_shipping_order", shipping_order_id=order.id)


async def _send(admin: OperationCaller, customer: OperationCaller) -> None:
    """Create two orders of a service: one confirmed, one waiting for confirmation."""
    asked = {"service_code": "demo-same-day", "consignee": HOME, "shipper": SHOP, "packages": [{"weight_g": 2_000}]}
    orders = [
        (await customer.call("create_shipping_order", **asked, order_ref=f"CUST-{n}")).shipping_order.id for n in (1, 2)
    ]
    await customer.call("pay_shipping_order", shipping_order_id=orders[0])
    await admin.call("confirm_shipping_order", shipping_order_id=orders[0])


async def _store(admin: OperationCaller, customer: OperationCaller, clock: SeedClock, shelf: int) -> None:
    """Create boxes in storage, and a shipment of one of them."""
    await admin.call("set_storage_tariff", service_code="demo-boxes", name="Boxes", tiers=TIERS, free_days=3)
    today = clock.present.astimezone(ZONE).date()
    wish = {"service_code": "demo-boxes", "packages": [{**BOX, "quantity": 3}], "start_date": today, "days": 60}
    made = await customer.call("create_storage_order", storage=wish, order_ref="WINTER", note="Keep dry")
    order = made.storage_order.id
    await admin.call("confirm_storage_order", storage_order_id=order)
    contents = ("Winter tyres", "Skis and boots", "Books")
    packages = [{**BOX, "location_id": shelf, "description": what, "reference": what} for what in contents]
    received = (await admin.call("receive_stored_packages", storage_order_id=order, packages=packages)).received
    parcels = [{"package_ids": [received[2].id]}]
    await customer.call(
        "create_shipout", service_code="demo-stored", parcels=parcels, consignee=HOME, shipout_ref="OUT-1"
    )


async def _relay_luggage(customer: OperationCaller, clock: SeedClock) -> None:
    times = {"drop_from": 20, "drop_until": 22, "pick_from": 26}
    moments = {name: clock.present + timedelta(hours=hours) for name, hours in times.items()}
    bags = [{"size": "m", "description": "Blue, with a red ribbon"}, {"size": "s"}]
    traveller = {"name": CONTACT, "email": "customer@demo.example"}
    wish = {"service_code": "demo-bags", "bags": bags, "origin": STATION, "destination": HOTEL, "traveller": traveller}
    await customer.call("book_luggage", **wish, **moments)


async def _seed_inbound(admin: OperationCaller, customer: int) -> None:
    """Create inbound parcels: one announced, one received and one unassigned."""
    suite = (await admin.call("assign_suite", customer_id=customer)).suite.code
    announced = {"carrier": "UPS", "contents": "Shoes", "customer_id": customer}
    await admin.call("create_pre_alert", tracking_number="1Z999AA10123456784", **announced)
    size = {"weight_g": 1_800, "length_mm": 320, "width_mm": 220, "height_mm": 140}
    await admin.call("receive_inbound_parcel", tracking_number="DEMO-IN-1", suite=suite, **size)
    await admin.call(
        "receive_inbound_parcel", tracking_number="DEMO-IN-2", label_text="To: Lumi Ceramics, unit ?", **size
    )


async def _order_devices(admin: OperationCaller, customer: OperationCaller) -> None:
    for device in DEVICES:
        await admin.call("set_device_product", **device)
        await admin.call("adjust_device_stock", product_code=device["product_code"], change=12, reason="First delivery")
    items = [{"product_code": "demo-scanner", "quantity": 1}]
    await customer.call("create_device_order", items=items, consignee=HOME)
