"""Issued documents: signed, registered PDFs that anyone can verify.

Other contexts define the contents of a kind of document (`queries.makers`); this family numbers, signs, stores and
revokes them.
"""

from haulier.kernel.operations.enums import Area

AREA = Area.DOCUMENTS
