"""Letters about papers that end: to the driver, to the contractor they drive for, and to the admins of the business."""

from datetime import date

from babel.dates import format_date
from msgspec import Struct

from haulier.contexts.access.public import Reader, admins, reader, write_to
from haulier.contexts.dispatch.drivers import store as driver_store
from haulier.contexts.dispatch.drivers.papers import store
from haulier.contexts.dispatch.drivers.papers.rules import PaperKind, Verdict
from haulier.contexts.dispatch.events import DriverDocumentEnds
from haulier.kernel.call import Call
from haulier.kernel.data.work import Work
from haulier.kernel.errands import errand
from haulier.kernel.events import hears
from haulier.kernel.house import House
from haulier.kernel.run import Run

LETTER = "driver_document.letter"
OWN, OF_A_DRIVER = "paper_of_yours", "paper_of_driver"


class WritePaper(Struct, frozen=True, kw_only=True):
    """Whom to write of which paper, which end of it was known, and whether it is over."""

    document_id: int
    user_id: int
    expires_on: date
    over: bool


@hears(DriverDocumentEnds)
async def tell_of_paper(call: Call, event: DriverDocumentEnds) -> None:
    """A letter to each who should see to it. Heard twice, nobody gets a second one."""
    driver = await driver_store.one(call.work, event.driver_id)
    if driver is None or not driver.active:
        return
    for user_id in sorted({*await admins(call), driver.user_id, driver.contractor_id} - {None}):
        letter = WritePaper(
            document_id=event.document_id, user_id=user_id, expires_on=event.expires_on, over=event.over
        )
        key = f"{event.document_id}:{event.expires_on}:{event.over}:{user_id}"
        await call.post(LETTER, letter, idempotency_key=key)


@errand(LETTER, WritePaper, max_attempts=4)
async def write_of_paper(run: Run, args: WritePaper) -> None:
    """Send a letter in its reader's language, unless the paper was removed, rejected or put right meanwhile."""
    assert run.client_id is not None
    async with run.house.database.read(run.client_id) as work:
        to, paper = await reader(work, run.client_id, args.user_id), await store.one(work, args.document_id)
        own = paper is not None and await _is_of(work, paper.driver_id, args.user_id)
    if to and paper and paper.verdict == Verdict.VALID and paper.expires_on == args.expires_on:
        await write_to(
            run.house,
            to,
            f"{OWN if own else OF_A_DRIVER}_{'ended' if args.over else 'ends'}",
            kind=_named(run.house, to, paper.kind, paper.title),
            driver=paper.driver_name,
            day=format_date(args.expires_on, "long", locale=to.language.replace("-", "_")),
        )


async def _is_of(work: Work, driver_id: int, user_id: int) -> bool:
    driver = await driver_store.by_user(work, user_id)
    return driver is not None and driver.id == driver_id


def _named(house: House, to: Reader, kind: str, title: str | None) -> str:
    """What people call a paper: what they wrote on it, else what its kind is called in the reader's language."""
    return title or house.catalogues.say(to.language, f"paper_kind_{PaperKind(kind)}")
