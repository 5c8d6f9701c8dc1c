"""Customers and drivers have values of the client's own fields."""

from tests.contexts.custom_fields.makers import a_field, faults_of
from tests.support.app import App


async def test_customers_have_values_by_which_they_are_found(app: App) -> None:
    await a_field(app, "sector", "customer", filterable=True)
    await a_field(app, "rating", "customer", visible_to=[], editable_by=[])
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


async def test_drivers_have_values_by_which_they_are_found(app: App) -> None:
    everybody = ["employee", "contractor", "driver"]
    await a_field(app, "depot_code", "driver", visible_to=everybody, filterable=True, required=True)
    await a_field(app, "rating", "driver", default="new")
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
