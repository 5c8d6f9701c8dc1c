"""Issued documents: PDFs that the business gives out, signed, registered and verifiable by anybody.

Other contexts say what a kind of document shows (`queries.makers`); here it is numbered, signed by a job, kept and revoked.
"""

from haulier.kernel.operations.enums import Area

AREA = Area.DOCUMENTS
