"""Sentences of the clerk in the user's language, from tool results. Pure."""

from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from typing import Any

from babel import Locale
from babel.dates import format_skeleton

from haulier.contexts.control_tower.agent.rules.clerk.patterns import ClerkIntent
from haulier.kernel.i18n.choices import choice_name
from haulier.kernel.i18n.languages import Catalogues
from haulier.kernel.values.money import Money

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
    ClerkIntent.RATINGS: "agent_clerk_ratings",
}


class ClerkSentences:
    """The sentences of one language."""

    def __init__(self, catalogues: Catalogues, language: str) -> None:
        self._catalogues, self._language = catalogues, language
        self._locale = Locale.parse(language, sep="-")

    def say(self, message_id: str, **params: Any) -> str:
        """Return a message of the catalogues."""
        return self._catalogues.translate(self._language, message_id, **params)

    def title(self, operation: str) -> str:
        """Return the title of an operation."""
        words = self._catalogues.words(self._language)
        return next((str(words[id]) for kind in ("read", "write") if (id := f"{kind}.{operation}") in words), operation)

    def order_line(self, order: Document) -> str:
        """Return an order in a list."""
        where = ", ".join(filter(None, (order.get("name"), order.get("address"), order.get("city"))))
        stars = " " + "★" * rating if (rating := order.get("rating")) else ""
        status = self._choice(order["status"])
        return self.say("agent_clerk_order_line", ref=name_of(order), status=status, where=where) + stars

    def order(self, order: Document) -> str:
        """Return an order with status, carrier and promise."""
        lines = [self.order_line(order).removeprefix("- ")]
        if order.get("route_id") is not None:
            driver = order.get("driver_name") or "–"
            stop = order.get("stop_number") or "–"
            lines.append(self.say("agent_clerk_on_route", route=order["route_id"], stop=stop, driver=driver))
        if arrives := order.get("planned_arrival_at"):
            lines.append(self.say("agent_clerk_planned", time=self._moment(arrives)))
        if order.get("window_start") and order.get("window_end"):
            start, end = self._moment(order["window_start"]), self._moment(order["window_end"])
            lines.append(self.say("agent_clerk_window", start=start, end=end))
        return "\n".join(lines)

    def problems(self, intent: ClerkIntent, document: Document) -> str:
        """Return the orders of a question."""
        return self._rows(LISTS[intent], document, "orders", self.order_line)

    def digest(self, document: Document) -> str:
        """Return the day in a few sentences."""
        orders, routes, drivers = document["orders"], document["routes"], document["drivers"]
        facts = {name: orders[name] for name in ("delivered", "on_time", "judged", "failed_attempts")}
        return self.say(
            "agent_clerk_digest",
            day=self._day(document["day"]),
            orders=orders["orders"],
            **facts,
            routes=routes["routes"],
            without_driver=routes["without_driver"],
            driving=drivers["driving"],
            exceptions=document["exceptions_open"],
        )

    def routes(self, document: Document) -> str:
        """Return the routes of a day."""
        return self._rows("agent_clerk_routes", document, "routes", self._route)

    def _route(self, row: Document) -> str:
        return self.say(
            "agent_clerk_route_line",
            id=row["id"],
            name=row.get("name") or "–",
            status=self._choice(row["status"]),
            driver=row.get("driver_name") or "–",
            done=row["stops_completed"],
            total=row["stops_total"],
        )

    def exceptions(self, document: Document) -> str:
        """Return exceptions in the field."""
        return self._rows(
            "agent_clerk_exceptions",
            document,
            "exceptions",
            lambda row: "- " + ", ".join(filter(None, (row.get("message"), row.get("driver_name")))),
        )

    def approvals(self, document: Document) -> str:
        """Return pending approvals."""
        return self._rows(
            "agent_clerk_approvals", document, "approvals", lambda row: f"- {row['id']}: {row['summary']}"
        )

    def debts(self, document: Document) -> str:
        """Return the amounts that customers owe, longest overdue first."""
        return self._rows("agent_clerk_debts", document, "receivables", self._debt)

    def _debt(self, row: Document) -> str:
        name = row.get("name") or f"#{row['customer_id']}"
        if row.get("due_minor") is None:
            return self.say("agent_clerk_debt_hidden", name=name, n=row["invoices"])
        due, overdue = (
            Money(row[part], row["credit_currency"]).format(self._language) for part in ("due_minor", "overdue_minor")
        )
        return self.say("agent_clerk_debt", name=name, due=due, overdue=overdue)

    def pickups(self, document: Document) -> str:
        """Return the orders that customers will collect, the earliest due first."""
        return self._rows("agent_clerk_pickups", document, "pickups", self._pickup)

    def _pickup(self, row: Document) -> str:
        where = ", ".join(filter(None, (row.get("name"), row.get("depot"))))
        line = self.say("agent_clerk_order_line", ref=name_of(row), status=self._choice(row["state"]), where=where)
        until = row.get("held_until")
        return line + (self.say("agent_clerk_held_until", day=self._day(until)) if until else "")

    def week(self, document: Document) -> str:
        """Return the orders of this week, and of as many days before."""
        total, names = document["total"], ("orders", "delivered", "on_time", "judged", "failed_attempts")
        counts = {name: total[name] for name in names}
        lines = [self.say("agent_clerk_week", day=self._day(document["date_from"]), **counts)]
        if before := total.get("compared"):
            lines.append(self.say("agent_clerk_week_before", **{name: before[name] for name in names}))
        return "\n".join(lines)

    def choice(self, subject: str, orders: Sequence[Document]) -> str:
        """Return that several orders match."""
        lines = [self.order_line(order) for order in orders]
        return self._list(self.say("agent_clerk_several", subject=subject), lines, len(lines))

    def _choice(self, value: str) -> str:
        return choice_name(self._catalogues, self._language, value) or value

    def _day(self, day: str) -> str:
        return format_skeleton("MMMEd", date.fromisoformat(day), locale=self._locale)

    def _moment(self, moment: str) -> str:
        at = datetime.fromisoformat(moment)
        return f"{self._day(moment[:10])} {at:%H:%M}"

    def _rows(self, head: str, document: Document, field: str, line: Callable[[Document], str]) -> str:
        """Return the number of records of a list, and a line for each of the first."""
        rows: Sequence[Document] = document.get(field, ())
        total = document.get("total", len(rows))
        return self._list(self.say(head, n=total), [line(row) for row in rows], total)

    def _list(self, head: str, lines: list[str], total: int) -> str:
        shown = lines[:LISTED_MAX]
        more = total - len(shown)
        return "\n".join([head, *shown, *([self.say("agent_clerk_more", n=more)] if more > 0 and shown else [])])


def name_of(order: Document) -> str:
    """Return the display name of an order."""
    return order.get("order_ref") or order.get("tracking_number") or f"#{order.get('id', order.get('order_id'))}"
