"""Clients and users of the demo, all with one password."""

from datetime import timedelta

from haulier.contexts.customer_apps import public as customer_apps
from haulier.contexts.identity import public as access
from haulier.kernel.application import Application
from haulier.kernel.operations.enums import Account, Module

PASSWORD = "haulier-demo"
CLIENTS = (
    ("demo", "Demo Deliveries", "America/Toronto", "CAD", "CA"),
    ("rival", "Rival Colis", "Europe/Paris", "EUR", "FR"),
)
PEOPLE = (
    ("admin@demo.example", "Ada Admin", Account.CLIENT_ADMIN, "client admin"),
    ("employee@demo.example", "Emil Employee", Account.EMPLOYEE, "client employee"),
    ("contractor@demo.example", "Cora Contractor", Account.CONTRACTOR, "contractor"),
    ("contractor2@demo.example", "Carl Contractor", Account.CONTRACTOR, "contractor"),
    ("driver@demo.example", "Dana Driver", Account.DRIVER, "driver"),
    ("customer@demo.example", "Cus Tomer", Account.CUSTOMER, "customer"),
    ("admin@rival.example", "René Rival", Account.CLIENT_ADMIN, "admin of another client"),
)
APP = {
    "code": "customer-app",
    "name": "Demo Deliveries",
    "type": "customer",
    "idp_issuer": "https://identity.demo.example",
    "server_client_id": "customer-app.demo.example",
}
LOGINS = tuple((email, who) for email, _, _, who in PEOPLE)


class DemoUser:
    """A demo user with a token for the seed."""

    def __init__(self, id: int, token: str) -> None:
        self.id = id
        self.token = token


async def list_client_codes(app: Application) -> set[str]:
    """Return the codes of existing clients."""
    async with app.database.read(None) as work:
        return await access.list_client_codes(work)


async def create_demo_users(app: Application) -> dict[str, DemoUser]:
    """Create the clients and their users, each with a token for the seed."""
    people: dict[str, DemoUser] = {}
    now = app.clock() - timedelta(days=30)
    async with app.database.write(None) as plain:
        work = plain.without_tenant_filter("the seed makes every client of the demo")
        ids = {
            code: await access.create_client(
                work, code=code, name=name, time_zone=zone, currency=currency, country=country, now=now, modules=Module
            )
            for code, name, zone, currency, country in CLIENTS
        }
        await customer_apps.create_app(work, now=now, **APP)
        for email, name, account, _ in PEOPLE:
            client_id = ids[email.rsplit("@")[1].split(".")[0]]
            user_id = await access.provision_user(
                work, client_id=client_id, email=email, name=name, account=account, now=now, password=PASSWORD
            )
            token = await access.issue_token(
                work,
                client_id=client_id,
                user_id=user_id,
                account=account,
                now=now,
                days=31,
                name="seed",
            )
            people[email.split("@")[0] if client_id == ids["demo"] else email] = DemoUser(user_id, token)
    return people
