"""The clerk as an answerer.

It calls the same tools as a model in the same conversation, and reads only the user's own words, so that no text in an
order can make it act. Pure.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta
from typing import Any

from haulier.contexts.control_tower.agent.rules.clerk.patterns import ClerkIntent
from haulier.contexts.control_tower.agent.rules.clerk.sentences import LISTED_MAX, LISTS, ClerkSentences
from haulier.contexts.control_tower.agent.rules.clerk.wishes import ClerkWish, needs_one_order, parse_intent
from haulier.contexts.control_tower.ports import Message, ModelReply, Prompt, ToolCall, ToolOutcome
from haulier.kernel.i18n.languages import Catalogues

CLERK = "clerk"
BESIDE_TOOLS = ("get_orders_insights", "get_receivables", "list_pickups", "reschedule_orders")
"""Operations for the office that are no tools of the MCP server."""
FOUND_MAX = 6
POOR_RATING = 3
"""Highest number of stars that counts as a poor rating."""
FILTERS: Mapping[ClerkIntent, Mapping[str, Any]] = {
    ClerkIntent.LATE: {"late": True},
    ClerkIntent.UNPLANNED: {"status": "NEW_ORDER"},
    ClerkIntent.FAILED: {"status": "FAILED"},
    ClerkIntent.HELD: {"status": "HOLD"},
    ClerkIntent.OUT: {"status": "OUT_FOR_DELIVERY"},
    ClerkIntent.RATINGS: {"rating_max": POOR_RATING},
}
"""Order filters by question, independent of the day."""
LISTED_BY: Mapping[ClerkIntent, str] = {
    ClerkIntent.APPROVALS: "list_pending_approvals",
    ClerkIntent.DEBTS: "get_receivables",
    ClerkIntent.EXCEPTIONS: "dispatch_exceptions",
    ClerkIntent.PICKUPS: "list_pickups",
}
"""Operations that list the answer of a question."""
Document = Mapping[str, Any]
SAID: Mapping[ClerkIntent, Callable[[ClerkSentences, Document], str]] = {
    ClerkIntent.APPROVALS: ClerkSentences.approvals,
    ClerkIntent.DEBTS: ClerkSentences.debts,
    ClerkIntent.DIGEST: ClerkSentences.digest,
    ClerkIntent.EXCEPTIONS: ClerkSentences.exceptions,
    ClerkIntent.PICKUPS: ClerkSentences.pickups,
    ClerkIntent.ROUTES: ClerkSentences.routes,
    ClerkIntent.WEEK: ClerkSentences.week,
}
"""Sentences of each question that is not a list of orders."""
Say = Callable[[str], Any]


class Clerk:
    """Answerer by patterns (the control tower's port)."""

    def __init__(self, catalogues: Catalogues) -> None:
        self._catalogues = catalogues

    @property
    def name(self) -> str:
        """Return its name in transcripts."""
        return CLERK

    async def reply(self, prompt: Prompt, on_text: Say) -> ModelReply:
        """Return the next answer: a tool call, or text."""
        sentences = ClerkSentences(self._catalogues, prompt.language)
        question, outcomes = _question(prompt.messages)
        wish = parse_intent(question, date.fromisoformat(prompt.today), prompt.time_zone)
        reply = _Answering(prompt, sentences, wish, outcomes).next()
        if isinstance(reply, str):
            await on_text(reply)
            return ModelReply(text=reply)
        return ModelReply(text="", calls=[reply])


def _question(messages: Sequence[Message]) -> tuple[str, list[ToolOutcome]]:
    """Return the user's last words, and the tool results since."""
    last = max(index for index, message in enumerate(messages) if message.role == "person")
    return messages[last].text, [outcome for message in messages[last:] for outcome in message.outcomes]


class _Answering:
    """One step of an answer."""

    def __init__(
        self, prompt: Prompt, sentences: ClerkSentences, wish: ClerkWish | None, outcomes: Sequence[ToolOutcome]
    ) -> None:
        self._tools = {tool.name for tool in prompt.tools}
        self._today = prompt.today
        self._say, self._wish, self._outcomes = sentences, wish, outcomes

    def next(self) -> ToolCall | str:
        """Return the next tool call, or the answer."""
        wish = self._wish
        if wish is None:
            return self._say.say("agent_clerk_not_understood")
        if self._outcomes and self._outcomes[-1].is_error:
            return self._say.say("agent_clerk_refused", message=self._outcomes[-1].document.get("message", ""))
        if wish.intent is ClerkIntent.STATUS or needs_one_order(wish):
            return self._about_an_order(wish)
        return self._question(wish)

    def _question(self, wish: ClerkWish) -> ToolCall | str:
        if wish.intent is ClerkIntent.HELP:
            return self._say.say("agent_clerk_help")
        if not self._outcomes:
            tool, arguments = self._asked_with(wish.intent)
            return self._call(tool, arguments)
        document = self._outcomes[-1].document
        if wish.intent in LISTS:
            return self._say.problems(wish.intent, document)
        return SAID[wish.intent](self._say, document)

    def _asked_with(self, intent: ClerkIntent) -> tuple[str, dict[str, Any]]:
        if intent in LISTS:
            return "get_orders", {**self._filter(intent), "per_page": LISTED_MAX}
        match intent:
            case ClerkIntent.DIGEST:
                return "daily_digest", {}
            case ClerkIntent.WEEK:
                today = date.fromisoformat(self._today)
                monday = (today - timedelta(days=today.weekday())).isoformat()
                return "get_orders_insights", {"date_from": monday, "top": 1, "compare": "previous_period"}
            case ClerkIntent.ROUTES:
                return "get_routes", {"day": self._today, "per_page": LISTED_MAX}
            case _:
                return LISTED_BY[intent], {"per_page": LISTED_MAX}

    def _filter(self, intent: ClerkIntent) -> Mapping[str, Any]:
        """Return the order filters of a question."""
        if intent is ClerkIntent.TOMORROW:
            day = (date.fromisoformat(self._today) + timedelta(days=1)).isoformat()
            return {"scheduled_from": day, "scheduled_to": day}
        if intent is ClerkIntent.DELIVERED:
            return {"status": "DELIVERED", "scheduled_from": self._today, "scheduled_to": self._today}
        return FILTERS[intent]

    def _about_an_order(self, wish: ClerkWish) -> ToolCall | str:
        subject = wish.subject
        if subject is None:
            return self._say.say("agent_clerk_which_order")
        if not self._outcomes:
            return self._call("find_order", {"search": subject, "limit": FOUND_MAX})
        found: Sequence[Document] = self._outcomes[0].document.get("orders", ())
        orders = _meant(subject, found)
        if needs_one_order(wish) and (len(orders) != 1 or not _is_named(subject, orders[0])):
            orders = orders if len(orders) > 1 else []
        if not orders:
            return self._say.say("agent_clerk_not_found", subject=subject)
        if len(orders) > 1:
            return self._say.choice(subject, orders)
        if len(self._outcomes) == 1:
            return self._step(wish, orders[0])
        return self._outcome(wish)

    def _step(self, wish: ClerkWish, order: Document) -> ToolCall | str:
        which = {"order_id": order["id"]}
        because = {"reason": wish.reason} if wish.reason else {}
        match wish.intent:
            case ClerkIntent.HOLD | ClerkIntent.RELEASE | ClerkIntent.CANCEL:
                return self._call(f"{wish.intent.value}_order", {**which, **because})
            case ClerkIntent.NOTE:
                return self._call("update_order_note", {**which, "note": wish.note})
            case ClerkIntent.RESCHEDULE:
                return self._reschedule(wish, order, because)
            case _:
                return self._call("order_snapshot", which)

    def _reschedule(self, wish: ClerkWish, order: Document, because: dict[str, Any]) -> ToolCall | str:
        if wish.day is None and wish.window is None:
            return self._say.say("agent_clerk_which_day")
        told: dict[str, Any] = {"order_ids": [order["id"]], **because}
        if wish.window:
            start, end = wish.window
            told |= {"window_start": start.isoformat(), "window_end": end.isoformat()}
        elif wish.day:
            told["scheduled_date"] = wish.day.isoformat()
        return self._call("reschedule_orders", told)

    def _outcome(self, wish: ClerkWish) -> str:
        document = self._outcomes[-1].document
        if not needs_one_order(wish):
            return self._say.order(document["order"])
        approval = document.get("approval") or {}
        return self._say.say("agent_clerk_proposed", id=approval.get("id"), summary=approval.get("summary"))

    def _call(self, tool: str, arguments: dict[str, Any]) -> ToolCall | str:
        if tool not in self._tools:
            return self._say.say("agent_clerk_may_not", tool=self._say.title(tool))
        return ToolCall(id=f"clerk-{len(self._outcomes) + 1}", name=tool, arguments=arguments)


def _meant(subject: str, found: Sequence[Document]) -> list[Document]:
    """Return the order with exactly that name, or else all that were found."""
    exact = [order for order in found if _is_named(subject, order)]
    return exact if len(exact) == 1 else list(found)


def _is_named(subject: str, order: Document) -> bool:
    names = (order.get("order_ref"), order.get("tracking_number"), str(order.get("id")))
    return subject.casefold() in {name.casefold() for name in names if name}
