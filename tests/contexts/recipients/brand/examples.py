"""One valid request for each operation of the brand."""

EXAMPLES: dict[str, dict[str, object]] = {
    "get_brand": {},
    "set_brand": {
        "colour": "#0a5c8f",
        "contact_email": "help@demo.example",
        "contact_phone": "+1 416 555 0100",
        "website": "https://demo.example/help",
    },
}
