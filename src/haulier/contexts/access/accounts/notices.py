"""The letter that tells of a change to the way somebody signs in. It holds no link: whoever forges one has nothing to copy."""

from datetime import datetime
from enum import StrEnum
from zoneinfo import ZoneInfo

from babel.dates import format_datetime
from msgspec import Struct

from haulier.contexts.access.accounts.addressing import language_of
from haulier.contexts.access.accounts.store import clients as client_store
from haulier.contexts.access.accounts.store import members as member_store
from haulier.contexts.access.accounts.store import users as user_store
from haulier.contexts.access.ports import Mail, Post
from haulier.kernel.call import Call
from haulier.kernel.data.work import Work
from haulier.kernel.errands import errand
from haulier.kernel.house import House
from haulier.kernel.run import Run

LETTER = "notice.letter"


class Changed(StrEnum):
    """What has changed. Its name is the beginning of the letter's messages."""

    PASSWORD = "password_was_changed"
    PASSWORD_BY_ADMIN = "password_was_set"
    EMAIL = "email_was_changed"
    IDENTITY = "identity_was_added"


class SendNotice(Struct, frozen=True, kw_only=True):
    """Whom to tell what, at which address, and what it is about: a new address, or an identity provider."""

    client_id: int
    user_id: int
    to: str
    changed: Changed
    at: datetime
    detail: str = ""


async def tell(call: Call, changed: Changed, *, client_id: int, user_id: int, to: str, detail: str = "") -> None:
    """Put the letter into the outbox, in the transaction of the change."""
    notice = SendNotice(client_id=client_id, user_id=user_id, to=to, changed=changed, at=call.now, detail=detail)
    await call.post(LETTER, notice)


@errand(LETTER, SendNotice, max_attempts=4)
async def send_notice(run: Run, args: SendNotice) -> None:
    """Send the letter, in the language of its reader."""
    async with run.house.database.read(args.client_id) as work:
        mail = await _written(run.house, work, args)
    if mail:
        await run.house.adapter(Post).send(mail)


async def _written(house: House, work: Work, args: SendNotice) -> Mail | None:
    user, client = await user_store.one(work, args.user_id), await client_store.one(work, args.client_id)
    if user is None:
        return None
    member = await member_store.of(work, user.id)
    language, say = await language_of(work, user.id, client), house.catalogues.say
    zone = ZoneInfo((member and member.time_zone) or client.time_zone)
    words = {
        "name": user.name,
        "client": client.name,
        "at": format_datetime(args.at, "long", tzinfo=zone, locale=language.replace("-", "_")),
        "detail": args.detail,
    }
    return Mail(
        to=args.to,
        subject=say(language, f"{args.changed}_subject", **words),
        text=say(language, f"{args.changed}_text", **words),
    )
