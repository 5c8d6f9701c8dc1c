"""Clients and users of the demo, all with one password."""

from datetime import timedelta
from typing import NamedTuple

from haulier.contexts.customer_apps import public as customer_apps
from haulier.contexts.identity import public as access
from haulier.demo.people import BUSINESS, DRIVERS
from haulier.kernel.application import Application
from haulier.kernel.operations.enums import Account, Module

PASSWORD = "haulier-demo"
CLIENTS = (
    ("demo", BUSINESS, "Europe/Helsinki", "EUR", "FI"),
    ("rival", "Rival Colis", "Europe/Paris", "EUR", "FR"),
)
PEOPLE = (
    ("admin@demo.example", "Aino Virtanen", Account.CLIENT_ADMIN, "client admin"),
    ("employee@demo.example", "Emil Nyström", Account.EMPLOYEE, "client employee"),
    ("contractor@demo.example", "Cora Heikkilä", Account.CONTRACTOR, "contractor"),
    ("contractor2@demo.example", "Carlos Mendes", Account.CONTRACTOR, "contractor"),
    ("driver@demo.example", DRIVERS[0], Account.DRIVER, "driver"),
    ("customer@demo.example", "Mila Saarinen", Account.CUSTOMER, "customer"),
    ("admin@rival.example", "René Moreau", Account.CLIENT_ADMIN, "admin of another client"),
)
APP = {
    "code": "customer-app",
    "name": BUSINESS,
    "type": "customer",
    "idp_issuer": "https://identity.demo.example",
    "server_client_id": "customer-app.demo.example",
}
LOGINS = tuple((email, who) for email, _, _, who in PEOPLE)
ANNOUNCED = frozenset(email for email, _ in LOGINS)
CREW = tuple(
    (f"driver{number}@demo.example", name, Account.DRIVER, "driver") for number, name in enumerate(DRIVERS[1:], 2)
)
"""The other drivers. They have accounts so that their devices can report, but no passwords."""


class DemoUser(NamedTuple):
    """A demo user with a token for the seed."""

    id: int
    token: str
    client_id: int = 0


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
        for email, name, account, _ in (*PEOPLE, *CREW):
            client_id = ids[email.rsplit("@")[1].split(".")[0]]
            user_id = await access.provision_user(
                work,
                client_id=client_id,
                email=email,
                name=name,
                account=account,
                now=now,
                password=PASSWORD if email in ANNOUNCED else None,
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
            people[email.split("@")[0] if client_id == ids["demo"] else email] = DemoUser(user_id, token, client_id)
    return people


async def sign_in_team(app: Application) -> dict[str, DemoUser]:
    """Return the admin, customer and drivers with tokens for two days.

    Empty if the demo does not exist.
    """
    names = ["admin", "customer", "driver", *(email.split("@")[0] for email, *_ in CREW)]
    people: dict[str, DemoUser] = {}
    async with app.database.write(None) as plain:
        work = plain.without_tenant_filter("the demo signs in the users of its business")
        for name in names:
            user = await access.find_user_by_email(work, f"{name}@demo.example")
            if user is None:
                return {}
            token = await access.issue_token(
                work,
                client_id=user.client_id,
                user_id=user.id,
                account=Account(user.account),
                now=app.clock(),
                days=2,
                name="demo",
            )
            people[name] = DemoUser(user.id, token, user.client_id)
    return people
