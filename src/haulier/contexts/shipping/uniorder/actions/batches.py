"""Many forms at once: each is rated or ordered for itself, and what is wrong with one is no matter of the others."""

import asyncio
from collections.abc import Sequence

from msgspec import Struct

from haulier.contexts.shipping.labels.actions.carrier_rates import Rated
from haulier.contexts.shipping.labels.actions.purchases import await_purchase
from haulier.contexts.shipping.labels.actions.wanted import Wanted
from haulier.contexts.shipping.uniorder.actions.creation import make_uniorder, rate_named_way
from haulier.contexts.shipping.uniorder.actions.quotes import KeptForm, ask_carriers, keep_rates
from haulier.contexts.shipping.uniorder.contract.batches import CreateRow, RateRow
from haulier.contexts.shipping.uniorder.contract.orders import CreateUniorder
from haulier.contexts.shipping.uniorder.store.uniorders import UniorderRow
from haulier.kernel.application import Application
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UniqueConflict
from haulier.kernel.operations.errors import CONFLICT, INVALID_REQUEST, OperationError
from haulier.kernel.operations.rows import MalformedRow
from haulier.kernel.principal import Business


class RowResult(Struct, frozen=True, kw_only=True):
    """What came of one form: its rates, its order, or the error."""

    rates: KeptForm | None = None
    order: UniorderRow | None = None
    existing: bool = False
    error: OperationError | None = None

    @property
    def state(self) -> str:
        """`rated`, `created`, `existing` or `refused`."""
        if self.error is not None:
            return "refused"
        return "rated" if self.rates else "existing" if self.existing else "created"


def malformed_error(row: MalformedRow) -> OperationError:
    """Why a row that cannot be read is refused."""
    return INVALID_REQUEST.for_fields(*row.field_errors)


async def ask_for_rows(
    app: Application, business: Business | None, rows: Sequence[RateRow]
) -> list[Rated | OperationError]:
    """What carriers say to each form, all asked at once. Before a unit of work is open."""

    async def ask(row: RateRow) -> Rated | OperationError:
        if isinstance(row, MalformedRow):
            return malformed_error(row)
        try:
            return await ask_carriers(app, business, row)
        except OperationError as error:
            return error

    return await asyncio.gather(*map(ask, rows))


async def keep_rows(
    call: Call, rows: Sequence[RateRow], said: Sequence[Rated | OperationError], *, keep: bool = True
) -> list[RowResult]:
    """Keep the rates of each form."""
    results: list[RowResult] = []
    for row, rated in zip(rows, said, strict=True):
        if isinstance(rated, OperationError) or isinstance(row, MalformedRow):
            error = rated if isinstance(rated, OperationError) else CONFLICT()
            results.append(RowResult(error=error))
            continue
        try:
            results.append(RowResult(rates=await keep_rates(call, row, rated, keep=keep)))
        except OperationError as error:
            results.append(RowResult(error=error))
    return results


async def rate_named_ways(
    app: Application, business: Business | None, rows: Sequence[CreateRow]
) -> list[Wanted | OperationError | None]:
    """What the labels cost now that some requests name, all asked at once. Before a unit of work is open."""

    async def ask(row: CreateRow) -> Wanted | OperationError | None:
        if isinstance(row, MalformedRow):
            return malformed_error(row)
        try:
            return await rate_named_way(app, business, row)
        except OperationError as error:
            return error

    return await asyncio.gather(*map(ask, rows))


async def make_rows(
    call: Call, rows: Sequence[CreateRow], wanted: Sequence[Wanted | OperationError | None]
) -> list[RowResult]:
    """Make the order of each request, and claim the purchases of their labels."""
    return [await _make_row(call, row, each) for row, each in zip(rows, wanted, strict=True)]


async def _make_row(call: Call, row: CreateRow, wanted: Wanted | OperationError | None) -> RowResult:
    if isinstance(wanted, OperationError):
        return RowResult(error=wanted)
    assert isinstance(row, CreateUniorder)  # a malformed one has its error
    try:
        async with call.savepoint():
            made = await make_uniorder(call, row, wanted)
    except OperationError as error:
        return RowResult(error=error)
    except UniqueConflict:
        return RowResult(error=CONFLICT())
    return RowResult(order=made.row, existing=made.existing)


async def await_purchases(app: Application, client_id: int, shipment_ids: Sequence[int]) -> None:
    """Ask the carriers for labels that were claimed, all at once. What is not known by then, jobs find out."""
    await asyncio.gather(*(await_purchase(app, client_id, id) for id in shipment_ids))
