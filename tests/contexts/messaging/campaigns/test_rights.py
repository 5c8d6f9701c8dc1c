"""Message rights: none without consent or while suppressed, in any sequence."""

from datetime import datetime, timedelta
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import invariant, rule
from tests.contexts.control_tower.agent.makers import asked, calls, has_agent, says, with_model
from tests.contexts.messaging.campaigns.makers import (
    CONSENT,
    SETTINGS,
    TORONTO,
    answered,
    make_campaign,
    make_contact,
    make_marketing_business,
    phone_of,
    send,
)
from tests.support import databases
from tests.support.app import START
from tests.support.app_machines import AppMachine, machine

NUMBERS = (1, 2, 3)
numbers = st.sampled_from(NUMBERS)
purposes = st.sampled_from(("marketing", "notification"))
LONG_AGO = START - timedelta(days=30)
Said = tuple[bool, datetime]


class Number:
    """Statements of a number's holder for each purpose, and suppressions."""

    def __init__(self) -> None:
        self.contact: int | None = None
        self.said: dict[str, list[Said]] = {"marketing": [], "notification": []}
        self.lists: set[str] = set()
        self.questions: list[int] = []

    def agreed(self, purpose: str) -> bool:
        said = self.said[purpose]
        revoked = max((at for granted, at in said if not granted), default=None)
        return any(granted and (revoked is None or at > revoked) for granted, at in said)

    def may(self, purpose: str) -> bool:
        kept_away = self.lists & {"stop", "review", "all", purpose}
        return self.contact is not None and self.agreed(purpose) and not kept_away


class SomeNumbers(AppMachine):
    """Three numbers on a real database, and a provider that records recipients."""

    def __init__(self) -> None:
        super().__init__()
        self.model = {number: Number() for number in NUMBERS}
        many = {**SETTINGS, "contact_daily_cap": 20}
        self.gateway = self.do(make_marketing_business(self.app, **many))
        self.do(has_agent(self.app))
        self.steps = 0
        for number in NUMBERS:
            self.add(number)
        for number in NUMBERS[:2]:
            for purpose in ("marketing", "notification"):
                self.agree(number, purpose, late=False)

    def do(self, work: Any) -> Any:
        self.app.clock.forward(minutes=1)
        return self.wait(work)

    def ask(self, operation: str, **values: Any) -> Any:
        return self.do(self.app.answer("admin", operation, values))

    def agent(self, operation: str, **values: Any) -> None:
        """The agent proposes a write to staff; it runs after another user's approval."""
        before = len(self.gateway.taken)
        with_model(self.app, calls(("propose_write", {"tool": operation, "arguments": values})), says("Proposed."))
        turn = self.do(asked(self.app, "Do it.", who="employee"))
        (proposal,) = turn.proposals
        assert len(self.gateway.taken) == before
        approved = self.ask("approve_pending_write", approval_id=proposal.approval_id)
        assert approved.approval.status == "executed"
        self.wait(self.app.work_off())

    @property
    def now(self) -> datetime:
        return self.app.clock.now

    @rule(number=numbers)
    def add(self, number: int) -> None:
        if self.model[number].contact is None:
            self.model[number].contact = self.do(make_contact(self.app, number, consent=False)).id

    @rule(number=numbers)
    def delete(self, number: int) -> None:
        if (contact := self.model[number].contact) is not None:
            self.ask("delete_sms_contact", sms_contact_id=contact)
            self.model[number].contact = None

    @rule(number=numbers, purpose=purposes, late=st.booleans())
    def agree(self, number: int, purpose: str, late: bool) -> None:
        if (contact := self.model[number].contact) is not None:
            said = {**CONSENT, "purpose": purpose} | ({"occurred_at": LONG_AGO.isoformat()} if late else {})
            self.ask("record_sms_consent", sms_contact_id=contact, **said)
            self.model[number].said[purpose].append((True, LONG_AGO if late else self.now))

    @rule(number=numbers, purpose=purposes)
    def import_consent(self, number: int, purpose: str) -> None:
        row = f"phone,name,time_zone\n{phone_of(number)},Ann,{TORONTO}\n"
        self.ask("import_sms_contacts", content=row, consent={**CONSENT, "purpose": purpose})
        self.wait(self.app.work_off())
        (found,) = self.ask("list_sms_contacts", search=phone_of(number)).contacts
        self.model[number].contact = found.id
        self.model[number].said[purpose].append((True, self.now - timedelta(minutes=1)))

    @rule(number=numbers, purpose=purposes)
    def revoke(self, number: int, purpose: str) -> None:
        if (contact := self.model[number].contact) is not None:
            self.ask("revoke_sms_consent", sms_contact_id=contact, purpose=purpose, method="phone_call")
            self.model[number].said[purpose].append((False, self.now))

    @rule(number=numbers, word=st.sampled_from(("STOP", "stop!", "Abmelden", "退订", "BAJA", "arrêt")))
    def stop(self, number: int, word: str) -> None:
        assert self.do(answered(self.app, number, word)).status_code == 200
        for said in self.model[number].said.values():
            said.append((False, self.now))
        self.model[number].lists.add("stop")

    @rule(number=numbers)
    def begin_again(self, number: int) -> None:
        assert self.do(answered(self.app, number, "START")).status_code == 200
        self.model[number].lists -= {"stop", "review"}
        for said in self.model[number].said.values():
            if said and not said[-1][0] and any(granted for granted, _ in said):
                said.append((True, self.now))

    @rule(number=numbers)
    def send_unclear_reply(self, number: int) -> None:
        assert self.do(answered(self.app, number, "why not stop by tomorrow?")).status_code == 200
        newest = self.ask("list_sms_replies").replies[0]
        self.model[number].questions.append(newest.id)
        self.model[number].lists.add("review")

    @rule(number=numbers, out=st.booleans())
    def read_answer(self, number: int, out: bool) -> None:
        model = self.model[number]
        if model.questions:
            outcome = "opted_out" if out else "answered"
            self.ask("resolve_sms_reply", sms_reply_id=model.questions.pop(), outcome=outcome)
            if out:
                model.lists.add("stop")
                for said in model.said.values():
                    said.append((False, self.now))
            model.lists -= {"review"} if not model.questions else set()

    @rule(number=numbers, name=st.sampled_from(("all", "marketing", "notification")))
    def suppress(self, number: int, name: str) -> None:
        self.ask("suppress_sms_number", phone=phone_of(number), list=name)
        self.model[number].lists.add(name)

    @rule(number=numbers)
    def lift_all(self, number: int) -> None:
        for held in self.ask("list_sms_suppressions", phone=phone_of(number)).suppressions:
            asked = {"sms_suppression_id": held.id, "reason": "a try"}
            outcome = self.do(self.app.call("admin", "lift_sms_suppression", asked))
            assert (outcome.error is None) == (held.reason == "manual")
        self.model[number].lists -= {"all", "marketing", "notification"}

    @rule(number=numbers, purpose=purposes)
    def agent_adds_consent(self, number: int, purpose: str) -> None:
        said = {**CONSENT, "purpose": purpose}
        if (contact := self.model[number].contact) is not None:
            self.agent("record_sms_consent", sms_contact_id=contact, **said)
        else:
            self.agent("create_sms_contact", phone=phone_of(number), time_zone=TORONTO, consents=[said])
            (found,) = self.ask("list_sms_contacts", search=phone_of(number)).contacts
            self.model[number].contact = found.id
        self.model[number].said[purpose].append((True, self.now))

    @rule(purpose=purposes, by_agent=st.booleans())
    def send_to_everybody(self, purpose: str, by_agent: bool) -> None:
        before = len(self.gateway.taken)
        expected = [number for number in NUMBERS if self.model[number].may(purpose)]
        campaign = self.do(make_campaign(self.app, purpose=purpose))
        if by_agent:
            self.agent("schedule_sms_campaign", sms_campaign_id=campaign)
        else:
            self.do(send(self.app, campaign))
        told = sorted(each.to for each in self.gateway.taken[before:])
        assert told == [phone_of(number) for number in expected]

    @invariant()
    def now_and_then_everybody_is_sent_to(self) -> None:
        """Chance alone would end most histories without a campaign."""
        self.steps += 1
        turn, rest = divmod(self.steps, 6)
        if rest == 0:
            self.send_to_everybody(("marketing", "notification")[turn // 2 % 2], by_agent=turn % 2 == 1)


class SomeNumbersOnPostgres(SomeNumbers):
    """The same on PostgreSQL."""

    database = "postgres"


if "sqlite" in databases.CHOSEN:
    TestSomeNumbers = machine(SomeNumbers, 20)
if "postgres" in databases.CHOSEN:
    TestSomeNumbersOnPostgres = machine(SomeNumbersOnPostgres, 20)
