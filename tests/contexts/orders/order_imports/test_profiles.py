"""Exports of known shops: recognised by their columns, and imported as orders."""

import csv
import io
from base64 import b64encode
from typing import Any

import pytest
from tests.support.app import App

from haulier.contexts.orders.order_imports.rules import get_profiles

SHOPIFY = (
    *(
        "Name",
        "Email",
        "Financial Status",
        "Paid at",
        "Fulfillment Status",
        "Currency",
        "Subtotal",
        "Shipping",
        "Total",
    ),
    *("Lineitem quantity", "Lineitem name", "Lineitem price", "Lineitem sku", "Billing Name", "Billing Address1"),
    *(
        "Shipping Name",
        "Shipping Street",
        "Shipping Address1",
        "Shipping Address2",
        "Shipping Company",
        "Shipping City",
    ),
    *("Shipping Zip", "Shipping Province", "Shipping Country", "Shipping Phone", "Notes", "Phone"),
)
ETSY_ITEMS = (
    *("Sale Date", "Item Name", "Buyer", "Quantity", "Price", "Item Total", "Currency", "Transaction ID", "Listing ID"),
    *("Date Paid", "Date Shipped", "Ship Name", "Ship Address1", "Ship Address2", "Ship City", "Ship State"),
    *("Ship Zipcode", "Ship Country", "Order ID", "Variations", "SKU"),
)
ETSY_ORDERS = (
    *(
        "Sale Date",
        "Order ID",
        "Buyer User ID",
        "Full Name",
        "First Name",
        "Last Name",
        "Number of Items",
        "Date Shipped",
    ),
    *("Street 1", "Street 2", "Ship City", "Ship State", "Ship Zipcode", "Ship Country", "Currency", "Order Value"),
)
AMAZON = (
    *("order-id", "order-item-id", "purchase-date", "payments-date", "buyer-email", "buyer-name", "buyer-phone-number"),
    *("sku", "product-name", "quantity-purchased", "quantity-shipped", "ship-service-level", "recipient-name"),
    *(
        "ship-address-1",
        "ship-address-2",
        "ship-address-3",
        "ship-city",
        "ship-state",
        "ship-postal-code",
        "ship-country",
    ),
)
WOOCOMMERCE = (
    *("order_id", "order_number", "order_date", "status", "billing_first_name", "billing_email", "billing_phone"),
    *("shipping_first_name", "shipping_last_name", "shipping_address_1", "shipping_address_2", "shipping_postcode"),
    *("shipping_city", "shipping_state", "shipping_country", "customer_note", "item_name", "item_quantity"),
)
ADVANCED = (
    *("Order Number", "Order Status", "Order Date", "Customer Note", "First Name (Billing)", "Email (Billing)"),
    *("Phone (Billing)", "First Name (Shipping)", "Last Name (Shipping)", "Address 1&2 (Shipping)", "City (Shipping)"),
    *(
        "State Code (Shipping)",
        "Postcode (Shipping)",
        "Country Code (Shipping)",
        "SKU",
        "Item Name",
        "Quantity (- Refund)",
    ),
)
PIRATE_SHIP = (
    *("Created Date", "Recipient", "Company", "Email", "Tracking Number", "Cost", "Status", "Ship Date", "Weight (oz)"),
    *(
        "Address Line 1",
        "Address Line 2",
        "City",
        "State",
        "Zipcode",
        "Country",
        "Carrier",
        "Order ID",
        "Rubber Stamp 1",
    ),
)
PLACE = ("100 Main St", "Apt 4", "Cambridge", "MA", "02138")
FILES: dict[str, tuple[tuple[str, ...], list[dict[str, str]]]] = {
    "Shopify": (
        SHOPIFY,
        [
            {
                "Name": "#1001",
                "Email": "zoe@example.com",
                "Lineitem quantity": "2",
                "Lineitem name": "Blue mug",
                "Shipping Name": "Zoë Doe",
                "Shipping Address1": PLACE[0],
                "Shipping Address2": PLACE[1],
                "Shipping City": PLACE[2],
                "Shipping Province": PLACE[3],
                "Shipping Zip": f"'{PLACE[4]}",
                "Shipping Country": "US",
                "Shipping Phone": "+1 617-555-0100",
                "Billing Name": "Payer",
            },
            {"Name": "#1001", "Email": "zoe@example.com", "Lineitem quantity": "1", "Lineitem name": "Tea towel"},
        ],
    ),
    "Etsy order items": (
        ETSY_ITEMS,
        [
            {
                "Order ID": "#1001",
                "Item Name": item,
                "Quantity": quantity,
                "Buyer": "zoe1",
                "Ship Name": "Zoë Doe",
                "Ship Address1": PLACE[0],
                "Ship Address2": PLACE[1],
                "Ship City": PLACE[2],
                "Ship State": PLACE[3],
                "Ship Zipcode": PLACE[4],
                "Ship Country": "United States",
            }
            for item, quantity in (("Blue mug", "2"), ("Tea towel", "1"))
        ],
    ),
    "Etsy orders": (
        ETSY_ORDERS,
        [
            {
                "Order ID": "#1001",
                "Full Name": "Zoë Doe",
                "First Name": "Zoë",
                "Last Name": "Doe",
                "Street 1": PLACE[0],
                "Street 2": PLACE[1],
                "Ship City": PLACE[2],
                "Ship State": PLACE[3],
                "Ship Zipcode": PLACE[4],
                "Ship Country": "United States",
            }
        ],
    ),
    "Amazon": (
        AMAZON,
        [
            {
                "order-id": "#1001",
                "order-item-id": item,
                "product-name": item,
                "quantity-purchased": quantity,
                "buyer-name": "Payer",
                "recipient-name": "Zoë Doe",
                "ship-address-1": PLACE[0],
                "ship-address-2": PLACE[1],
                "ship-city": PLACE[2],
                "ship-state": PLACE[3],
                "ship-postal-code": PLACE[4],
                "ship-country": "US",
            }
            for item, quantity in (("Blue mug", "2"), ("Tea towel", "1"))
        ],
    ),
    "WooCommerce": (
        WOOCOMMERCE,
        [
            {
                "order_id": "77",
                "order_number": "#1001",
                "item_name": item,
                "item_quantity": quantity,
                "shipping_first_name": "Zoë",
                "shipping_last_name": "Doe",
                "shipping_address_1": PLACE[0],
                "shipping_address_2": PLACE[1],
                "shipping_city": PLACE[2],
                "shipping_state": PLACE[3],
                "shipping_postcode": PLACE[4],
                "shipping_country": "US",
                "billing_first_name": "Payer",
            }
            for item, quantity in (("Blue mug", "2"), ("Tea towel", "1"))
        ],
    ),
    "WooCommerce (Advanced Order Export)": (
        ADVANCED,
        [
            {
                "Order Number": "#1001",
                "First Name (Shipping)": "Zoë",
                "Last Name (Shipping)": "Doe",
                "Address 1&2 (Shipping)": PLACE[0],
                "City (Shipping)": PLACE[2],
                "State Code (Shipping)": PLACE[3],
                "Postcode (Shipping)": PLACE[4],
                "Country Code (Shipping)": "US",
                "First Name (Billing)": "Payer",
                "Item Name": item,
                "Quantity (- Refund)": quantity,
            }
            for item, quantity in (("Blue mug", "2"), ("Tea towel", "1"))
        ],
    ),
    "Pirate Ship": (
        PIRATE_SHIP,
        [
            {
                "Order ID": "#1001",
                "Recipient": "Zoë Doe",
                "Address Line 1": PLACE[0],
                "Address Line 2": PLACE[1],
                "City": PLACE[2],
                "State": PLACE[3],
                "Zipcode": PLACE[4],
                "Country": "US",
                "Weight (oz)": "16",
            }
        ],
    ),
}


def document(header: tuple[str, ...], rows: list[dict[str, str]], delimiter: str = ",") -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, header, delimiter=delimiter)
    writer.writeheader()
    writer.writerows(rows)
    return b64encode(text.getvalue().encode()).decode()


async def imported(app: App, request: dict[str, Any]) -> list[Any]:
    await app.answer("admin", "import_orders", request)
    await app.work_off()
    orders = (await app.answer("admin", "get_orders", {"per_page": 50})).orders
    return [(await app.answer("admin", "get_order_detail", {"order_id": order.id})).order for order in orders]


@pytest.mark.parametrize("title", FILES)
async def test_an_export_profile_is_recognized_and_imported_as_one_order(app: App, title: str) -> None:
    header, rows = FILES[title]
    request = {"document": document(header, rows, "\t" if title == "Amazon" else ",")}
    check = await app.answer("admin", "check_order_file", request)
    assert (check.profile, check.total, check.faulty, check.missing) == (title, 1, 0, []), check.faults
    assert "name" in {column.field for column in check.columns}
    (order,) = await imported(app, request)
    place = order.consignee
    assert (order.order_ref, place.name, place.address, place.city) == ("#1001", "Zoë Doe", PLACE[0], PLACE[2])
    assert (place.region, place.postal_code, place.country) == ("MA", "02138", "US")
    assert len(order.packages) == 1
    if len(rows) == 2:
        assert order.packages[0].description == "2 × Blue mug, 1 × Tea towel"
    if title == "Pirate Ship":
        assert order.packages[0].weight_g == 454


def test_every_profile_has_a_sample_file() -> None:
    assert {profile.title for profile in get_profiles()} == FILES.keys()


async def test_the_columns_of_a_check_can_be_sent_back_as_the_mapping(app: App) -> None:
    """Like the desk: a joined name stays joined, and unmapped fields are left out."""
    request = {"document": document(*FILES["WooCommerce"])}
    check = await app.answer("admin", "check_order_file", request)
    mapping = {column.field: column.name for column in reversed(check.columns) if column.field} | {"phone": None}
    (order,) = await imported(app, {**request, "mapping": mapping})
    assert (order.consignee.name, order.packages[0].description) == ("Zoë Doe", "2 × Blue mug, 1 × Tea towel")


async def test_profile_recognition_can_be_disabled(app: App) -> None:
    request = {"document": document(*FILES["Shopify"]), "detect_profile": False}
    check = await app.answer("admin", "check_order_file", request)
    assert (check.profile, check.total) == (None, 2)


SHEETS = {
    "fr": ("N° de commande;Destinataire;Adresse;Code postal;Ville;Pays;Téléphone;Poids (kg)", "France", "FR"),
    "de": ("Bestellnummer;Empfänger;Straße;PLZ;Ort;Land;Telefon;Gewicht (kg)", "Frankreich", "FR"),
    "de, abbreviated": ("Bestellnr.;Empfänger;Straße + Nr.;PLZ;Ort;Land;Telefon;Gewicht (kg)", "Frankreich", "FR"),
    "es": ("N.º de pedido;Destinatario;Dirección;Código postal;Ciudad;País;Teléfono;Peso (kg)", "Francia", "FR"),
    "zh-Hans": ("订单号;收件人;详细地址;邮编;城市;国家;手机号;重量(kg)", "法国", "FR"),
    "zh-Hant": ("訂單編號;收件人;地址;郵遞區號;城市;國家;電話;重量(公斤)", "法國", "FR"),
}


@pytest.mark.parametrize("language", SHEETS)
async def test_headers_in_other_languages_are_recognized(app: App, language: str) -> None:
    header, country, code = SHEETS[language]
    text = f"{header}\nA-1;Zoë;5 rue X;1000;Bourg;{country};+33123456789;1,5\n"
    request = {"document": b64encode(text.encode()).decode()}
    check = await app.answer("admin", "check_order_file", request)
    assert [column.field for column in check.columns] == [
        *("order_ref", "name", "address", "postal_code", "city", "country", "phone", "weight_kg"),
    ]
    (order,) = await imported(app, request)
    assert (order.consignee.country, order.consignee.postal_code) == (code, "01000")
    assert order.packages[0].weight_g == 1500
