"""Letters about endpoints that were switched off."""

from datetime import datetime

from babel.dates import format_datetime
from msgspec import Struct

from haulier.contexts.access.public import reader, write_to
from haulier.kernel.errands import errand
from haulier.kernel.run import Run

LETTER = "webhooks.letter"


class TellOfEndpoint(Struct, frozen=True, kw_only=True):
    """Whom to tell that which address gets nothing any more, why, and since when it has not answered."""

    user_id: int
    url: str
    why: str
    since: datetime


@errand(LETTER, TellOfEndpoint, max_attempts=4)
async def tell_of_endpoint(run: Run, args: TellOfEndpoint) -> None:
    """Send a letter in its reader's language."""
    assert run.client_id is not None
    async with run.house.database.read(run.client_id) as work:
        to = await reader(work, run.client_id, args.user_id)
    if to:
        since = format_datetime(args.since, "medium", locale=to.language.replace("-", "_"))
        await write_to(run.house, to, f"webhook_{args.why}", url=args.url, since=since)
