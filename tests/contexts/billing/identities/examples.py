"""One valid request for each operation on billing identities."""

IDENTITY: dict[str, object] = {
    "legal_name": "Rapid Courier GmbH",
    "street": "Hafenstr. 1",
    "city": "Hamburg",
    "postal_code": "20457",
    "country": "DE",
    "vat_number": "DE136695976",
    "electronic_scheme": "9930",
    "electronic_address": "DE136695976",
    "contact_name": "Ada Lovelace",
    "contact_phone": "+49 40 1234567",
    "contact_email": "billing@rapid.example",
    "iban": "DE89370400440532013000",
}
CUSTOMER_IDENTITY: dict[str, object] = {
    "legal_name": "Blumen SARL",
    "street": "1 rue de la Paix",
    "city": "Paris",
    "postal_code": "75002",
    "country": "FR",
    "vat_number": "FR83404833048",
    "electronic_scheme": "9957",
    "electronic_address": "FR83404833048",
    "buyer_reference": "Dept. 12",
}
EXAMPLES: dict[str, dict[str, object]] = {
    "get_billing_identity": {},
    "set_billing_identity": IDENTITY,
    "get_customer_billing_identity": {"customer_id": "$customer_id"},
    "set_customer_billing_identity": {**CUSTOMER_IDENTITY, "customer_id": "$customer_id"},
}
