"""Users of a business, who all work through the REST API."""

import re
from datetime import timedelta
from typing import Any

from tests.contexts.identity.mailbox import received_mails
from tests.support.app import PASSWORD, App
from tests.support.transport import DAY, make_contact


class People:
    """All users of a story. `does` must succeed; `tries` returns the error."""

    def __init__(self, app: App) -> None:
        self.app = app

    async def does(self, who: str | None, call: str, **body: Any) -> Any:
        """Send a request such as `POST /v1/orders/7/hold` and return its 200 response."""
        answer = await self._ask(who, call, body)
        assert answer.status_code == 200, (who, call, answer.text)
        return answer.json()

    async def tries(self, who: str | None, call: str, **body: Any) -> tuple[int, str]:
        """A request that is refused; its status and code."""
        answer = await self._ask(who, call, body)
        return answer.status_code, answer.json()["code"]

    async def _ask(self, who: str | None, call: str, body: dict[str, Any]) -> Any:
        method, path = call.split()
        return await self.app.rest(who, method, path, body if method != "GET" else None)

    async def signs_in(self, name: str, email: str) -> None:
        """Accept an invitation: open the link, choose a password and sign in."""
        mails = await received_mails(self.app, email)
        links = [link for mail in mails if (link := re.search(r"http://test/[a-z-]+#(\S+)", mail.text))]
        await self.does(None, "POST /v1/invitations/accept", token=links[-1][1], password=PASSWORD)
        login = {"email": email, "password": PASSWORD}
        self.app.tokens[name] = (await self.does(None, "POST /v1/user/login", **login))["access_token"]

    async def order(self, who: str = "admin", **words: Any) -> int:
        """A new order for today; its id."""
        asked = {"consignee": make_contact(), "scheduled_date": DAY, **words}
        return (await self.does(who, "POST /v1/client/orderCreate", **asked))["order"]["id"]

    async def driver(self, name: str, user: str | None = None) -> int:
        """A driver of the business; the id of the record."""
        link = {"user_id": self.app.ids[user]} if user else {}
        return (await self.does("admin", "POST /v1/drivers", name=name, **link))["driver"]["id"]

    async def route(self, who: str, order_ids: list[int], driver_id: int, day: str = DAY) -> int:
        """A route of a planner with these orders, given to a driver; its id."""
        at = {"name": "Main", "address": "1 Front St", "lat": 43.64, "lng": -79.38}
        depots = (await self.does("admin", "GET /v1/depots"))["depots"]
        depot = depots[0] if depots else (await self.does("admin", "POST /v1/depots", **at))["depot"]
        route = (await self.does(who, "POST /v1/routes", day=day, depot_id=depot["id"], driver_id=driver_id))["route"]
        added = await self.does(who, f"POST /v1/routes/{route['id']}/orders", order_ids=order_ids)
        assert added["errors"] == []
        return route["id"]

    async def starts(self, who: str, route_id: int) -> None:
        """A driver leaves with a route."""
        await self.does(who, f"POST /v1/routes/{route_id}/start")

    async def comes_home(self, who: str, route_id: int) -> None:
        """A driver is back at the depot, and done."""
        await self.does(who, f"POST /v1/routes/{route_id}/return-to-depot")
        await self.does(who, f"POST /v1/routes/{route_id}/finish")

    async def stop(self, route_id: int, order_id: int, who: str = "admin") -> dict[str, Any]:
        """The stop of an order on a route."""
        stops = (await self.does(who, f"GET /v1/routes/{route_id}"))["route"]["stops"]
        return next(stop for stop in stops if stop["order_id"] == order_id)

    async def delivers(self, who: str, route_id: int, order_id: int, **proof: Any) -> None:
        """A driver hands an order over."""
        stop = await self.stop(route_id, order_id)
        await self.does(who, f"POST /v1/rider/routes/{route_id}/stops/{stop['id']}/deliver", **proof)

    async def fails(self, who: str, route_id: int, order_id: int, reason: str = "recipient_absent") -> None:
        """A driver cannot hand an order over, and brings it back for another try."""
        stop = await self.stop(route_id, order_id)
        path = f"POST /v1/rider/routes/{route_id}/stops/{stop['id']}/fail"
        await self.does(who, path, reason=reason, outcome="retry")

    async def status(self, order_id: int) -> str:
        """Where an order is."""
        return (await self.does("admin", f"GET /v1/orders/{order_id}"))["order"]["status"]

    async def timeline(self, order_id: int) -> list[str]:
        """Return the public timeline of an order as protocol codes."""
        number = (await self.does("admin", f"GET /v1/orders/{order_id}"))["order"]["tracking_number"]
        events = (await self.does(None, f"GET /v1/tracking/{number}"))["events"]
        return [event["status_code"] for event in events]

    async def next_day(self) -> str:
        """The night passes; the day that begins, as a date of the business."""
        self.app.clock.forward(days=1)
        await self.app.work_off()
        return str((self.app.clock.now - timedelta(hours=4)).date())
