"""PDF signatures with the installation's own certificate, by pyHanko.

The format is PAdES baseline B-B (ETSI EN 319 142-1). Importing the libraries takes half a second, so they are imported on
first use and not at startup (docs/decisions/documents.md).
"""

import os
from base64 import b64decode
from collections.abc import Iterable
from datetime import datetime, timedelta
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from haulier.contexts.documents.ports import SignatureCheck, SigningIdentity, SigningKeyMissing
from haulier.contexts.messaging.ports import SecretUnreadable, SecretVault

if TYPE_CHECKING:
    from asn1crypto.x509 import Certificate

LIFETIME = timedelta(days=5 * 365)
_FIELD = "Haulier"
_ROOM_BYTES = 4096


class PdfSigner:
    """Creates certificates, and signs and verifies PDFs.

    Every method takes tens of milliseconds. Call it in a thread.
    """

    @property
    def available(self) -> bool:
        """Return True if the extra `signing` is installed."""
        return find_spec("pyhanko") is not None

    def make_identity(self, name: str, now: datetime) -> SigningIdentity:
        """Create a key (ECDSA, P-256) and a self-signed certificate."""
        from cryptography import x509
        from cryptography.hazmat.primitives import hashes, serialization
        from cryptography.hazmat.primitives.asymmetric import ec
        from cryptography.x509.oid import NameOID

        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name[:64])])
        usage = dict.fromkeys(
            ("key_encipherment", "data_encipherment", "key_agreement", "key_cert_sign", "crl_sign"), False
        )
        certificate = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(subject)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - timedelta(days=1))
            .not_valid_after(now + LIFETIME)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(
                x509.KeyUsage(
                    digital_signature=True, content_commitment=True, encipher_only=False, decipher_only=False, **usage
                ),
                critical=True,
            )
            .sign(key, hashes.SHA256())
        )
        pem = serialization.Encoding.PEM
        secret = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        return SigningIdentity(
            fingerprint=certificate.fingerprint(hashes.SHA256()).hex(),
            certificate=certificate.public_bytes(pem).decode(),
            key=secret.decode(),
            valid_until=now + LIFETIME,
        )

    def sign(self, pdf: bytes, identity: SigningIdentity, *, number: str) -> bytes:
        """Return the PDF with a signature that covers the entire file.

        The document number is recorded as the reason for the signature.
        """
        from asn1crypto.keys import PrivateKeyInfo
        from pyhanko.pdf_utils.incremental_writer import IncrementalPdfFileWriter
        from pyhanko.sign import fields, signers
        from pyhanko_certvalidator.registry import SimpleCertificateStore

        signer = signers.SimpleSigner(
            signing_cert=_read_certificate(identity.certificate),
            signing_key=PrivateKeyInfo.load(_unarmored(identity.key)),
            cert_registry=SimpleCertificateStore(),
        )
        metadata = signers.PdfSignatureMetadata(
            field_name=_FIELD,
            md_algorithm="sha256",
            subfilter=fields.SigSeedSubFilter.PADES,
            certify=True,
            docmdp_permissions=fields.MDPPerm.NO_CHANGES,
            reason=number,
        )
        pdf_signer = signers.PdfSigner(metadata, signer=signer)
        signed = pdf_signer.sign_pdf(IncrementalPdfFileWriter(BytesIO(pdf)), bytes_reserved=_ROOM_BYTES)
        return signed.getvalue()

    def check(self, pdf: bytes, certificates: Iterable[str]) -> SignatureCheck:
        """Verify the last signature against the given certificates.

        Checks only the file and does not query the register of documents.
        """
        from pyhanko.pdf_utils.misc import PdfError
        from pyhanko.pdf_utils.reader import PdfFileReader
        from pyhanko.sign.validation import validate_pdf_signature
        from pyhanko_certvalidator import ValidationContext

        known = {_read_certificate(text).sha256: _read_certificate(text) for text in certificates}
        try:
            signatures = PdfFileReader(BytesIO(pdf)).embedded_signatures
            if not signatures:
                return SignatureCheck(ours=False, intact=False)
            found = signatures[-1]
            ours = known.get(found.signer_cert.sha256)
            if ours is None:
                return SignatureCheck(ours=False, intact=False)
            trust = ValidationContext(trust_roots=[ours], allow_fetching=False)
            status = validate_pdf_signature(found, trust)
            return SignatureCheck(ours=True, intact=bool(status.intact and status.valid and _covers_all(status)))
        except (PdfError, ValueError, KeyError, TypeError, IndexError, OSError):
            return SignatureCheck(ours=False, intact=False)


def _covers_all(status: Any) -> bool:
    return status.coverage is not None and status.coverage.name == "ENTIRE_FILE"


def _read_certificate(text: str) -> "Certificate":
    from asn1crypto.x509 import Certificate

    return Certificate.load(_unarmored(text))


def _unarmored(text: str) -> bytes:
    """Decode the content of a PEM text (RFC 7468)."""
    return b64decode("".join(line for line in text.splitlines() if not line.startswith("-----")))


class VaultSigningKeys:
    """Storage for the private keys of certificates.

    Keys are encrypted and stored with their certificates. Without a vault, they are stored in a folder that only the
    service account can read.
    """

    def __init__(self, vault: SecretVault, folder: Path) -> None:
        self._vault, self._folder = vault, folder

    def keep(self, fingerprint: str, key: str) -> str | None:
        """Store a key.

        Returns the encrypted key for the database, or None if the key is stored in the folder.
        """
        if self._vault.available:
            return self._vault.seal(key, _about(fingerprint))
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor = os.open(self._path(fingerprint), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(descriptor, "w") as file:  # noqa: PTH123 - a descriptor: the file never has wider permissions
            file.write(key)
        return None

    def open(self, fingerprint: str, kept: str | None) -> str:
        """Return a stored key. Raises `SigningKeyMissing`."""
        try:
            if kept is not None:
                return self._vault.open(kept, _about(fingerprint))
            return self._path(fingerprint).read_text()
        except (SecretUnreadable, OSError) as fault:
            raise SigningKeyMissing(str(fault)) from None

    def forget(self, fingerprint: str) -> None:
        """Delete the file of a key that is no longer used."""
        self._path(fingerprint).unlink(missing_ok=True)

    def _path(self, fingerprint: str) -> Path:
        return self._folder / f"{fingerprint}.pem"


def _about(fingerprint: str) -> str:
    return f"signing_certificate:{fingerprint}"
