"""Customers, drivers and products have values of custom fields."""

from tests.contexts.custom_fields.makers import faults_of, make_field
from tests.support.app import App


async def test_customers_can_be_filtered_by_custom_values(app: App) -> None:
    await make_field(app, "sector", "customer", filterable=True)
    await make_field(app, "rating", "customer", visible_to=[], editable_by=[])
    customer = {"customer_id": app.ids["customer"]}
    settings = await app.answer(
        "admin", "update_customer_settings", customer | {"custom_fields": {"sector": "Retail", "rating": "A"}}
    )
    assert settings.custom_fields == {"sector": "Retail", "rating": "A"}
    await app.answer("admin", "update_customer_settings", customer | {"note": "Pays late"})
    assert (await app.answer("employee", "get_customer_settings", customer)).custom_fields == {"sector": "Retail"}
    listed = await app.answer("employee", "find_customers", {"custom_fields": ["sector:retail"]})
    assert [(each.customer_id, each.custom_fields) for each in listed.customers] == [
        (app.ids["customer"], {"sector": "Retail"})
    ]
    assert (await app.answer("employee", "find_customers", {"custom_fields": ["sector:food"]})).total == 0
    wrong = customer | {"custom_fields": {"sector": 5}}
    assert await faults_of(app, "admin", "update_customer_settings", wrong) == {"custom_fields.sector": "TYPE"}


async def test_drivers_can_be_filtered_by_custom_values(app: App) -> None:
    everybody = ["employee", "contractor", "driver"]
    await make_field(app, "depot_code", "driver", visible_to=everybody, filterable=True, required=True)
    await make_field(app, "rating", "driver", default="new")
    assert await faults_of(app, "admin", "create_driver", {"name": "Dan"}) == {"custom_fields.depot_code": "MISSING"}
    new = {"name": "Dan", "user_id": app.ids["driver"], "custom_fields": {"depot_code": "N"}}
    driver = (await app.answer("admin", "create_driver", new)).driver
    assert driver.custom_fields == {"depot_code": "N", "rating": "new"}
    change = {"driver_id": driver.id, "custom_fields": {"depot_code": "S"}}
    assert (await app.answer("admin", "update_driver", change)).driver.custom_fields["depot_code"] == "S"
    assert (await app.answer("driver", "get_driver", {"driver_id": driver.id})).driver.custom_fields == {
        "depot_code": "S"
    }
    found = {
        text: (await app.answer("employee", "get_drivers", {"custom_fields": [text]})).total
        for text in ("depot_code:n", "depot_code:s")
    }
    assert found == {"depot_code:n": 0, "depot_code:s": 1}


async def test_stock_can_be_filtered_by_custom_values_of_its_product(app: App) -> None:
    await make_field(app, "brand", "product", filterable=True, required=True)
    await make_field(app, "margin", "product", value_schema={"type": "integer"}, visible_to=[], editable_by=[])
    assert await faults_of(app, "admin", "create_product", {"sku": "MUG", "name": "Mug"}) == {
        "custom_fields.brand": "MISSING"
    }
    new = {"sku": "MUG", "name": "Mug", "custom_fields": {"brand": "North", "margin": 9}}
    mug = (await app.answer("admin", "create_product", new)).product
    assert mug.custom_fields == {"brand": "North", "margin": 9}
    change = {"product_id": mug.id, "name": "Cup", "custom_fields": {"brand": "South"}}
    assert (await app.answer("employee", "update_product", change)).product.custom_fields == {"brand": "South"}
    assert (await app.answer("admin", "get_product", {"product_id": mug.id})).product.custom_fields["margin"] == 9
    wrong = {"product_id": mug.id, "name": "Cup", "custom_fields": {"margin": 1}}
    assert await faults_of(app, "employee", "update_product", wrong) != {}
    for operation, listed in (("list_products", "products"), ("get_inventory", "inventory")):
        found = {
            text: [
                (one.sku, one.custom_fields)
                for one in getattr(await app.answer("employee", operation, {"custom_fields": [text]}), listed)
            ]
            for text in ("brand:north", "brand:south")
        }
        assert found == {"brand:north": [], "brand:south": [("MUG", {"brand": "South"})]}
    about = {"kind": "product", "name": "owner", "value_schema": {"type": "string"}}
    assert await faults_of(app, "admin", "create_custom_field", {**about, "personal": True}) != {}
