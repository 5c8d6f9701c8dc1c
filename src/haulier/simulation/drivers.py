"""Simulated drivers, their app sessions and their cash."""

from dataclasses import dataclass

from haulier.simulation.client import ApiClient

APP_PASSWORD = "nine-parcels-in-the-rain"


@dataclass
class SimulatedDriver:
    """A planner's driver. Drivers who collect cash are signed in to the driver app."""

    id: int
    app: ApiClient | None = None
    cash_minor: int = 0
    """Cash collected on this day."""
    balance_before_minor: int = 0
    """Cash carried before this day."""


def get_or_create_driver(planner: ApiClient, role: str) -> SimulatedDriver:
    """Return the planner's driver with a role, creating one if necessary."""
    name = f"Simulated {role} of {planner.email.split('@')[0]}"
    drivers = [driver for driver in planner.get("/v1/drivers", per_page=200)["drivers"] if driver["name"] == name]
    return SimulatedDriver((drivers or [planner.post("/v1/drivers", name=name)["driver"]])[0]["id"])


def sign_in_to_app(admin: ApiClient, driver: SimulatedDriver) -> None:
    """Sign a driver in to the app, creating and linking an account if necessary."""
    email = f"simulated-driver-{driver.id}@demo.example"
    record = admin.get(f"/v1/drivers/{driver.id}")["driver"]
    if record["user_id"] is None:
        account = admin.post("/v1/users", name=record["name"], email=email, account="driver", password=APP_PASSWORD)
        admin.patch(f"/v1/drivers/{driver.id}", user_id=account["user"]["id"])
    driver.app = ApiClient(admin.base_url, email, APP_PASSWORD)
    driver.balance_before_minor = driver.app.get("/v1/rider/cash")["cash"]["balance_minor"]
