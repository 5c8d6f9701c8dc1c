"""Daily import of reference rates."""

from datetime import timedelta

from haulier.contexts.billing.exchange_rates import store
from haulier.contexts.billing.exchange_rates.actions import import_rates
from haulier.contexts.billing.exchange_rates.rules import read_ecb_file
from haulier.contexts.billing.ports import ExchangeRateFeed, ExchangeRatesUnavailable
from haulier.contexts.identity.public import find_all_client_ids
from haulier.kernel.application import Application
from haulier.kernel.background.periodic import periodic
from haulier.kernel.call import call_as_system
from haulier.kernel.file_reading import FileReader, UnreadableFile

EVERY = timedelta(hours=6)
"""The ECB publishes once on working days, at about 16:00 CET."""


@periodic(EVERY)
async def import_daily_rates(app: Application) -> None:
    """Fetch the daily file once and import it for every business that wants it.

    A file that cannot be fetched or read is left for the next round.
    """
    try:
        document = await app.adapter(ExchangeRateFeed).fetch()
        if document is None:
            return
        file = await app.adapter(FileReader).read(read_ecb_file, document, None)
    except (ExchangeRatesUnavailable, UnreadableFile):
        return
    async with app.database.read(None) as work:
        clients = await find_all_client_ids(work)
    for client_id in clients:
        async with app.database.write(client_id) as work:
            settings = await store.get_settings(work)
            if settings and settings.daily_import:
                await import_rates(await call_as_system(app, client_id, work), list(file.rates))
