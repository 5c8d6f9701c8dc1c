"""Server of the simulated Stripe: API, payer and bank, events and faults."""

import json
import re
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import Any
from urllib.parse import parse_qsl

import httpx
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from haulier.adapters.payments.stripe_signature import signature_of
from haulier.simulation.carriers.faults import Faults, FaultyServer, delete_faults, get_faults, post_fault
from haulier.simulation.payments.book import (
    Document,
    KeptAnswer,
    Ledger,
    PaymentBook,
    close_dispute,
    fail_refund,
    make_dispute,
    make_intent,
    make_refund,
    move_intent,
)

WRONG_KEY = "wrong"
MINIMUM = 50
"""Stripe refuses smaller amounts."""
Answering = Callable[[Request, Ledger, Document], Awaitable[tuple[int, Document]]]


def simulated_stripe(book: PaymentBook | None = None, faults: Faults | None = None) -> ASGIApp:
    """Return the application."""
    routes = [
        Route("/v1/payment_intents", _wire(create_intent), methods=["POST"]),
        Route("/v1/payment_intents/{id}", _wire(get_intent), methods=["GET"]),
        Route("/v1/payment_intents/{id}/cancel", _wire(cancel_intent), methods=["POST"]),
        Route("/v1/refunds", _wire(create_refund), methods=["POST"]),
        Route("/v1/refunds", _wire(list_refunds), methods=["GET"]),
        Route("/v1/disputes", _wire(list_disputes), methods=["GET"]),
        Route("/v1/balance", _wire(get_balance), methods=["GET"]),
        Route("/v3/", get_payer_script),
        Route("/simulator/pay", post_pay, methods=["POST"]),
        Route("/simulator/play", post_play, methods=["POST"]),
        Route("/simulator/events", get_events),
        Route("/simulator/deliver", post_deliver, methods=["POST"]),
        Route("/simulator/calls", get_calls),
        Route("/simulator/faults", post_fault, methods=["POST"]),
        Route("/simulator/faults", get_faults, methods=["GET"]),
        Route("/simulator/faults", delete_faults, methods=["DELETE"]),
    ]
    app = Starlette(routes=routes)
    app.state.book, app.state.faults = book or PaymentBook(), faults or Faults()
    return FaultyServer(app, app.state.faults)


def _wire(answer: Answering) -> Callable[[Request], Awaitable[Response]]:
    """Require an API key and handle idempotency keys."""

    async def answered(request: Request) -> Response:
        secret = request.headers.get("Authorization", "").removeprefix("Bearer ")
        if secret in {"", WRONG_KEY}:
            return JSONResponse(_error("invalid_request_error", "", "Invalid API Key provided"), 401)
        body = (await request.body()).decode()
        book: PaymentBook = request.app.state.book
        account, key = book.account(secret), request.headers.get("Idempotency-Key", "")
        asked = f"{request.method} {request.url.path} {body}"
        if kept := account.answers.get(key) if key else None:
            if kept.asked != asked:
                text = "Keys for idempotent requests can only be used with the same parameters"
                return JSONResponse(_error("idempotency_error", "", text), 400)
            return JSONResponse(kept.body, kept.status, {"Idempotent-Replayed": "true"})
        try:
            status, said = await answer(request, account, read_form(body))
        except KeyError as lacking:
            text = f"Missing required param: {str(lacking).strip(chr(39))}."
            status, said = 400, _error("invalid_request_error", "parameter_missing", text)
        if key:
            account.answers[key] = KeptAnswer(asked, status, json.loads(json.dumps(said)))
        return JSONResponse(said, status)

    return answered


def read_form(body: str) -> Document:
    """Parse a form with nested fields: `metadata[a]=1`."""
    form: Document = {}
    for name, value in parse_qsl(body, keep_blank_values=True):
        if nested := re.fullmatch(r"(\w+)\[(\w+)\]", name):
            form.setdefault(nested[1], {})[nested[2]] = value
        else:
            form[name] = value
    return form


def _error(kind: str, code: str, text: str) -> Document:
    return {"error": {"type": kind, "message": text, **({"code": code} if code else {})}}


def _missing(kind: str, name: str) -> tuple[int, Document]:
    return 404, _error("invalid_request_error", "resource_missing", f"No such {kind}: '{name}'")


async def create_intent(request: Request, account: Ledger, form: Document) -> tuple[int, Document]:
    """Create an intent."""
    if int(form["amount"]) < MINIMUM:
        return 400, _error("invalid_request_error", "amount_too_small", "Amount must be at least 50 cents")
    form["currency"]
    return 200, make_intent(request.app.state.book, account, form)


async def get_intent(request: Request, account: Ledger, form: Document) -> tuple[int, Document]:
    """Return an intent."""
    intent = account.intents.get(request.path_params["id"])
    return (200, intent) if intent else _missing("payment_intent", request.path_params["id"])


async def cancel_intent(request: Request, account: Ledger, form: Document) -> tuple[int, Document]:
    """Cancel an open intent."""
    intent = account.intents.get(request.path_params["id"])
    if intent is None:
        return _missing("payment_intent", request.path_params["id"])
    if intent["status"] in ("succeeded", "canceled"):
        text = f"You cannot cancel this PaymentIntent because it has a status of {intent['status']}."
        said = _error("invalid_request_error", "payment_intent_unexpected_state", text)
        said["error"]["payment_intent"] = intent
        return 400, said
    book: PaymentBook = request.app.state.book
    intent |= {"status": "canceled", "canceled_at": book.seconds(), "next_action": None}
    book.tell(account, "payment_intent.canceled", intent)
    return 200, intent


async def create_refund(request: Request, account: Ledger, form: Document) -> tuple[int, Document]:
    """Refund a paid intent."""
    intent = account.intents.get(form["payment_intent"])
    if intent is None:
        return _missing("payment_intent", form["payment_intent"])
    try:
        amount = int(form.get("amount", intent["amount_received"]))
        return 200, make_refund(request.app.state.book, account, intent, amount, form.get("metadata", {}))
    except ValueError as refusal:
        return 400, _error("invalid_request_error", "charge_already_refunded", str(refusal))


async def list_refunds(request: Request, account: Ledger, form: Document) -> tuple[int, Document]:
    """List the refunds of an intent, newest first."""
    return 200, _list("/v1/refunds", request, account.refunds.values())


async def list_disputes(request: Request, account: Ledger, form: Document) -> tuple[int, Document]:
    """List the disputes of an intent, newest first."""
    return 200, _list("/v1/disputes", request, account.disputes.values())


def _list(path: str, request: Request, kept: Any) -> Document:
    wanted = request.query_params.get("payment_intent")
    data = [each for each in kept if wanted in (None, each["payment_intent"])][::-1]
    return {"object": "list", "url": path, "has_more": False, "data": data}


async def get_balance(request: Request, account: Ledger, form: Document) -> tuple[int, Document]:
    """Return an empty balance. Used to check a key."""
    return 200, {"object": "balance", "available": [], "pending": [], "livemode": False}


PAYER_SCRIPT = """window.Stripe = () => {
  const from = document.querySelector('script[src$="/v3/"]').src.replace("/v3/", "");
  let secret;
  return {
    elements: (given) => {
      secret = given.clientSecret;
      return { create: () => ({ mount: (where) => { document.querySelector(where).textContent = "4242 4242 4242 4242"; } }) };
    },
    confirmPayment: () => fetch(`${from}/simulator/pay`, { method: "POST", body: secret }).then((told) => told.json()),
  };
};
"""
"""Replacement of Stripe's script on payment pages. Shows a test card and pays with it."""


async def get_payer_script(request: Request) -> Response:
    """Return the script of payment pages."""
    return Response(PAYER_SCRIPT, media_type="text/javascript")


async def post_pay(request: Request) -> Response:
    """Confirm a payment as the payer. The body is the client secret."""
    intent = (await request.body()).decode().partition("_secret_")[0]
    open_to_pages = {"Access-Control-Allow-Origin": "*"}
    try:
        play(request.app.state.book, intent, "pay")
    except (LookupError, ValueError) as wrong:
        return JSONResponse(_error("card_error", "card_declined", str(wrong)), headers=open_to_pages)
    return JSONResponse({}, headers=open_to_pages)


async def post_play(request: Request) -> Response:
    """Act as the payer or bank of an `intent`.

    `do` is pay, decline, ask_3ds, process, refund, fail_refund, dispute, win or lose.
    """
    values = await request.json()
    try:
        play(request.app.state.book, values["intent"], values["do"], values.get("amount"))
    except (KeyError, LookupError, ValueError) as wrong:
        return JSONResponse({"error": str(wrong)}, 422)
    return JSONResponse({"played": values["do"]})


def play(book: PaymentBook, intent_id: str, do: str, amount: int | None = None) -> None:
    """Act as the payer or bank. Raises `ValueError` or `LookupError` if impossible."""
    found = book.find_intent(intent_id)
    if found is None:
        raise LookupError(f"no intent {intent_id}")
    account, intent = found
    own = lambda kept: [each for each in kept.values() if each["payment_intent"] == intent_id]  # noqa: E731
    match do:
        case "refund":
            make_refund(book, account, intent, amount or intent["amount_received"], {})
        case "fail_refund":
            fail_refund(book, account, own(account.refunds)[-1])
        case "dispute":
            make_dispute(book, account, intent, "fraudulent")
        case "win" | "lose":
            close_dispute(book, account, own(account.disputes)[-1], won=do == "win")
        case _:
            move_intent(book, account, intent, do)


async def get_events(request: Request) -> Response:
    """Return all events, oldest first."""
    return JSONResponse(_events(request.app.state.book))


async def post_deliver(request: Request) -> Response:
    """Send all events to `url`, signed with `secret`.

    `order` is made or reversed. Every event is sent `times` times.
    """
    values = await request.json()
    book: PaymentBook = request.app.state.book
    events = _ordered(_events(book), values.get("order", "made")) * int(values.get("times", 1))
    async with httpx.AsyncClient() as http:
        answers = [await deliver(http, values["url"], values["secret"], event, book.clock()) for event in events]
    statuses = [answer.status_code for answer in answers]
    return JSONResponse({"delivered": len(statuses), "refused": sum(status >= 300 for status in statuses)})


def _ordered(events: Sequence[Document], order: str) -> list[Document]:
    return list(reversed(events)) if order == "reversed" else list(events)


async def deliver(http: httpx.AsyncClient, url: str, secret: str, event: Document, at: datetime) -> httpx.Response:
    """Send one signed event."""
    body = json.dumps(event).encode()
    headers = {"Stripe-Signature": signature_of(secret, body, at), "Content-Type": "application/json"}
    return await http.post(url, content=body, headers=headers)


def _events(book: PaymentBook) -> list[Document]:
    return sorted((event for each in book.accounts.values() for event in each.events), key=lambda event: event["id"])


async def get_calls(request: Request) -> Response:
    """Return all calls by method and path."""
    return JSONResponse(request.app.state.faults.calls)
