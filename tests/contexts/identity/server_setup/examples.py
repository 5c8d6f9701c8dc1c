"""One valid request for each operation of the first start."""

EXAMPLES: dict[str, dict[str, object]] = {
    "create_first_business": {
        "setup_code": "hlsetup_0123456789",
        "business_name": "Wheels Couriers",
        "name": "Ada Lovelace",
        "email": "ada@wheels.example",
        "password": "four long words here",
    },
}
