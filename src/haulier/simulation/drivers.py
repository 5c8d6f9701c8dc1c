"""Who drives, the driver's app in their hands, and the cash in their pocket."""

from dataclasses import dataclass

from haulier.simulation.client import ApiClient

APP_PASSWORD = "nine-parcels-in-the-rain"


@dataclass
class SimulatedDriver:
    """A driver of a planner. Those who take money are signed in to the driver's app."""

    id: int
    app: ApiClient | None = None
    cash_minor: int = 0
    """Taken on this day."""
    balance_before_minor: int = 0
    """What they already carried."""


def get_or_create_driver(planner: ApiClient, role: str) -> SimulatedDriver:
    """The driver of a planner with this role; one is created where there is none yet."""
    name = f"Simulated {role} of {planner.email.split('@')[0]}"
    drivers = [driver for driver in planner.get("/v1/drivers", per_page=200)["drivers"] if driver["name"] == name]
    return SimulatedDriver((drivers or [planner.post("/v1/drivers", name=name)["driver"]])[0]["id"])


def sign_in_to_app(admin: ApiClient, driver: SimulatedDriver) -> None:
    """Sign a driver in to the app, with an account that is created and linked where there is none yet."""
    email = f"simulated-driver-{driver.id}@demo.example"
    record = admin.get(f"/v1/drivers/{driver.id}")["driver"]
    if record["user_id"] is None:
        account = admin.post("/v1/users", name=record["name"], email=email, account="driver", password=APP_PASSWORD)
        admin.patch(f"/v1/drivers/{driver.id}", user_id=account["user"]["id"])
    driver.app = ApiClient(admin.base_url, email, APP_PASSWORD)
    driver.balance_before_minor = driver.app.get("/v1/rider/cash")["cash"]["balance_minor"]
