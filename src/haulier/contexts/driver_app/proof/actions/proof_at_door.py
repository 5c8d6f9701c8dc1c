"""What the driver's app asks as proof, for the doors of routes: the same rules, whichever path a driver takes."""

from haulier.contexts.driver_app.handovers.queries import load_delivery_demands
from haulier.contexts.driver_app.proof.rules import DriverStopProof, check_delivery_proof
from haulier.contexts.lockers.public import was_put_in_locker
from haulier.contexts.routes.routes.contract.routes import CompleteStop
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import OperationError


class DriverProofAtDoor:
    """Implements the port `ProofAtDoor` of routes."""

    async def check(self, call: Call, order_id: int, request: CompleteStop) -> OperationError | None:
        """Why a driver cannot complete a delivery with this alone, or None. A PIN, an age check or money has no field there."""
        if await was_put_in_locker(call, order_id):
            return None
        proof = DriverStopProof(
            recipient=request.recipient,
            handed_to=request.handed_to,
            signature=request.signature_url,
            photos=request.photo_urls,
            position_known=request.position is not None,
        )
        demands = await load_delivery_demands(call, order_id)
        return check_delivery_proof(demands.proof, demands.due, proof)
