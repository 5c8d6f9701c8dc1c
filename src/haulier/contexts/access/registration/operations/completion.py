"""The last step of a registration: who it is, and how they will sign in."""

from msgspec import Struct

from haulier.contexts.access.accounts import passwords
from haulier.contexts.access.accounts.rules import lockout
from haulier.contexts.access.accounts.rules.passwords import demand_strength
from haulier.contexts.access.accounts.rules.users import EMAIL_TAKEN
from haulier.contexts.access.accounts.store import failures as failure_store
from haulier.contexts.access.accounts.store import users as user_store
from haulier.contexts.access.app_sessions.opening import open_session
from haulier.contexts.access.apps.contract.fields import PATH, TAG
from haulier.contexts.access.apps.entrance import Context, enter_from_device
from haulier.contexts.access.apps.rules.access import (
    APP_UNAVAILABLE,
    APP_UPDATE_REQUIRED,
    SIGN_IN_METHOD_OFF,
    demand_open,
)
from haulier.contexts.access.apps.rules.menu import Method
from haulier.contexts.access.identities.proof import prove_identity
from haulier.contexts.access.identities.rules import IDENTITY_CONFLICT, IDENTITY_REFUSED, IDENTITY_UNKNOWN_NOW
from haulier.contexts.access.ports import Person
from haulier.contexts.access.registration import store
from haulier.contexts.access.registration.admission import Applicant, admit, at_client, demand_free
from haulier.contexts.access.registration.contract import CompleteRegistration, Registered
from haulier.contexts.access.registration.operations.phone import in_a_while
from haulier.contexts.access.registration.rules.pace import ADDRESSES, tried_with
from haulier.contexts.access.registration.rules.steps import (
    PHONE_TAKEN,
    REGISTRATION_EXPIRED,
    Step,
    demand_may_complete,
)
from haulier.kernel.call import Call
from haulier.kernel.declarations import Account
from haulier.kernel.doorstep import Doorstep
from haulier.kernel.errors import NOT_FOUND, RATE_LIMITED
from haulier.kernel.ids import token_digest
from haulier.kernel.operation import GraphQL, Limit, Rest, writes


class WayIn(Struct, frozen=True):
    """How somebody will sign in: by a password, of which this is the hash, or as a person of the identity provider."""

    context: Context
    password_hash: str | None = None
    person: Person | None = None


async def prepare_way_in(doorstep: Doorstep, request: CompleteRegistration) -> WayIn:
    """Hash the password or verify the ID token, outside the writer; only for somebody who proved a phone."""
    house = doorstep.house
    digest = token_digest(request.registration_token.get_secret_value())
    async with house.database.read(None) as work:
        context = await enter_from_device(house, work, request, Method.REGISTRATION)
        begun = await store.begun(work, digest, context.client_id, context.app_id)
    if begun is None:
        raise REGISTRATION_EXPIRED()
    demand_may_complete(begun.step, begun.expires_at, house.clock())
    demand_open(Method.EMAIL if request.password else Method.IDP, context.methods)
    if request.password:
        password = request.password.get_secret_value()
        demand_strength(password, request.email, request.name, field="password")
        await _demand_nobodys(doorstep, begun.id, request.email)
        return WayIn(context, password_hash=await passwords.hashed(password))
    id_token = request.id_token.get_secret_value() if request.id_token else ""
    person = await prove_identity(house, context, id_token, request.nonce)
    await _demand_nobodys(doorstep, begun.id, request.email)
    return WayIn(context, person=person)


async def _demand_nobodys(doorstep: Doorstep, registration_id: int, email: str) -> None:
    """The address is nobody's yet. Raises `EMAIL_TAKEN`, which is counted for good, and soon `RATE_LIMITED`."""
    house, now, what = doorstep.house, doorstep.house.clock(), tried_with(registration_id)
    async with house.database.read(None) as work:
        tried = await failure_store.of(work, [what])
        taken = await user_store.by_email(work, email)
    if tried and (seconds := lockout.wait_s(*tried[what], now, ADDRESSES)):
        raise in_a_while(seconds)
    if taken:
        async with house.database.write(None) as work:
            await failure_store.count(work, [what], now)
        raise EMAIL_TAKEN(email=email)


@writes(
    "complete_registration",
    keeps_answer=False,
    audience={Account.PUBLIC},
    doors=(Rest("POST", f"{PATH}/registration/complete", tag=TAG), GraphQL("completeRegistration")),
    limits=(Limit(20, 60, ("address",)),),
    errors=(
        NOT_FOUND,
        APP_UNAVAILABLE,
        SIGN_IN_METHOD_OFF,
        APP_UPDATE_REQUIRED,
        REGISTRATION_EXPIRED,
        PHONE_TAKEN,
        EMAIL_TAKEN,
        IDENTITY_CONFLICT,
        IDENTITY_REFUSED,
        IDENTITY_UNKNOWN_NOW,
        RATE_LIMITED,
    ),
    prepare=prepare_way_in,
)
async def complete_registration(call: Call, request: CompleteRegistration) -> Registered:
    """Become a customer, and be signed in at once; or, where the business wants to look first, wait for it.

    With one proof of a phone only a few addresses may be tried that somebody has already.
    """
    way: WayIn = call.prepared
    context = way.context
    digest = token_digest(request.registration_token.get_secret_value())
    begun = await store.begun(call.work, digest, context.client_id, context.app_id, lock=True)
    demand_may_complete(begun.step, begun.expires_at, call.now)
    applicant = _applicant(begun.phone, way, request)
    here = await at_client(call, context.client_id)
    call.concerns("app_registration", begun.id)
    if context.about.requires_approval:
        await demand_free(call, applicant)
        await _keep(call, begun.id, applicant, step=Step.WAITING)
        return Registered(status=Step.WAITING.value, message=call.say("registration_waits"))
    user = await admit(here, applicant)
    await _keep(call, begun.id, applicant, step=Step.DONE, user_id=user.id)
    session = await open_session(call, context, user, request, Method.REGISTRATION)
    return Registered(status=Step.DONE.value, session=session, message=call.say("registration_completed"))


def _applicant(phone: str, way: WayIn, request: CompleteRegistration) -> Applicant:
    return Applicant(
        client_id=way.context.client_id,
        phone=phone,
        name=request.name,
        email=request.email,
        password_hash=way.password_hash,
        issuer=way.person.issuer if way.person else None,
        subject=way.person.subject if way.person else None,
    )


async def _keep(call: Call, id: int, applicant: Applicant, *, step: Step, user_id: int | None = None) -> None:
    """Write down what was said. A password is kept here only while the registration waits."""
    await store.change(
        call.work,
        id,
        step=step.value,
        name=applicant.name,
        email=applicant.email,
        password_hash=applicant.password_hash if step is Step.WAITING else None,
        issuer=applicant.issuer,
        subject=applicant.subject,
        user_id=user_id,
        completed_at=call.now,
    )
