"""Sentences of the clerk in the user's language, from tool results. Pure."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from haulier.contexts.control_tower.agent.rules.clerk.patterns import ClerkIntent
from haulier.kernel.i18n.languages import Catalogues

LISTED_MAX = 10
Document = Mapping[str, Any]
LISTS = {
    ClerkIntent.LATE: "agent_clerk_late",
    ClerkIntent.UNPLANNED: "agent_clerk_unplanned",
    ClerkIntent.FAILED: "agent_clerk_failed",
    ClerkIntent.HELD: "agent_clerk_held",
    ClerkIntent.DELIVERED: "agent_clerk_delivered",
    ClerkIntent.OUT: "agent_clerk_out",
    ClerkIntent.TOMORROW: "agent_clerk_tomorrow",
}


class ClerkSentences:
    """The sentences of one language."""

    def __init__(self, catalogues: Catalogues, language: str) -> None:
        self._catalogues, self._language = catalogues, language

    def say(self, message_id: str, **params: Any) -> str:
        """Return a message of the catalogues."""
        return self._catalogues.translate(self._language, message_id, **params)

    def order_line(self, order: Document) -> str:
        """Return an order in a list."""
        where = ", ".join(filter(None, (order.get("name"), order.get("address"), order.get("city"))))
        return self.say("agent_clerk_order_line", ref=name_of(order), status=order["status"], where=where)

    def order(self, order: Document) -> str:
        """Return an order with status, carrier and promise."""
        lines = [self.order_line(order).removeprefix("- ")]
        if order.get("route_id") is not None:
            driver = order.get("driver_name") or "–"
            stop = order.get("stop_number") or "–"
            lines.append(self.say("agent_clerk_on_route", route=order["route_id"], stop=stop, driver=driver))
        if arrives := order.get("planned_arrival_at"):
            lines.append(self.say("agent_clerk_planned", time=_clock(arrives)))
        if order.get("window_start") and order.get("window_end"):
            start, end = _clock(order["window_start"]), _clock(order["window_end"])
            lines.append(self.say("agent_clerk_window", start=start, end=end))
        return "\n".join(lines)

    def problems(self, intent: ClerkIntent, document: Document) -> str:
        """Return the orders of a question."""
        rows: Sequence[Document] = document.get("orders", ())
        total = document.get("total", len(rows))
        head = self.say(LISTS[intent], n=total)
        return self._list(head, [self.order_line(row) for row in rows], total)

    def digest(self, document: Document) -> str:
        """Return the day in a few sentences."""
        orders, routes, drivers = document["orders"], document["routes"], document["drivers"]
        facts = {name: orders[name] for name in ("delivered", "on_time", "judged", "failed_attempts")}
        return self.say(
            "agent_clerk_digest",
            day=document["day"],
            orders=orders["orders"],
            **facts,
            routes=routes["routes"],
            without_driver=routes["without_driver"],
            driving=drivers["driving"],
            exceptions=document["exceptions_open"],
        )

    def routes(self, document: Document) -> str:
        """Return the routes of a day."""
        rows: Sequence[Document] = document.get("routes", ())
        lines = [
            self.say(
                "agent_clerk_route_line",
                id=row["id"],
                name=row.get("name") or "–",
                status=row["status"],
                driver=row.get("driver_name") or "–",
                done=row["stops_completed"],
                total=row["stops_total"],
            )
            for row in rows
        ]
        total = document.get("total", len(rows))
        return self._list(self.say("agent_clerk_routes", n=total), lines, total)

    def exceptions(self, document: Document) -> str:
        """Return exceptions in the field."""
        rows: Sequence[Document] = document.get("exceptions", ())
        lines = ["- " + ", ".join(filter(None, (row.get("message"), row.get("driver_name")))) for row in rows]
        total = document.get("total", len(rows))
        return self._list(self.say("agent_clerk_exceptions", n=total), lines, total)

    def approvals(self, document: Document) -> str:
        """Return pending approvals."""
        rows: Sequence[Document] = document.get("approvals", ())
        lines = [f"- {row['id']}: {row['summary']}" for row in rows]
        total = document.get("total", len(rows))
        return self._list(self.say("agent_clerk_approvals", n=total), lines, total)

    def choice(self, subject: str, orders: Sequence[Document]) -> str:
        """Return that several orders match."""
        lines = [self.order_line(order) for order in orders]
        return self._list(self.say("agent_clerk_several", subject=subject), lines, len(lines))

    def _list(self, head: str, lines: list[str], total: int) -> str:
        shown = lines[:LISTED_MAX]
        more = total - len(shown)
        return "\n".join([head, *shown, *([self.say("agent_clerk_more", n=more)] if more > 0 and shown else [])])


def name_of(order: Document) -> str:
    """Return the display name of an order."""
    return order.get("order_ref") or order.get("tracking_number") or f"#{order.get('id', order.get('order_id'))}"


def _clock(moment: str) -> str:
    return datetime.fromisoformat(moment).strftime("%Y-%m-%d %H:%M")
