"""The host's TLS certificate: made once, kept with its key, known by its fingerprint.

Nobody signs it but the host itself. Clients trust it because its fingerprint was
announced, typed or remembered, so it is made once and never renewed by itself: a new one
would look to every client like somebody else.
"""

from __future__ import annotations

import contextlib
import datetime
import logging
import os
import re
import stat
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.types import (
    CertificatePublicKeyTypes,
    PublicKeyTypes,
)
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from genial.services.files import put_new
from genial.wire.metadata import CERTIFICATE_NAME

log = logging.getLogger(__name__)

FILE_NAME: Final = "certificate.pem"
"""In the data directory: the private key, then the certificate, both PEM."""

# A laptop whose clock is wrong must still get in, and nothing here is ever renewed: the
# fingerprint alone decides. The last date is the one that RFC 5280 (section 4.1.2.5) gives
# for "no end".
_VALID_FROM: Final = datetime.datetime(2000, 1, 1, tzinfo=datetime.UTC)
_VALID_TO: Final = datetime.datetime(9999, 12, 31, 23, 59, 59, tzinfo=datetime.UTC)

_PRIVATE: Final = stat.S_IRUSR | stat.S_IWUSR
_CERTIFICATE: Final = re.compile(
    rb"-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----\n?", re.DOTALL
)


class CertificateError(Exception):
    """The certificate's file cannot be used; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class HostCertificate:
    """What a server needs for TLS.

    Attributes:
        key: Private key, PEM. Not in the repr.
        chain: Certificate, PEM; further ones behind it if the owner put them there.
        fingerprint: SHA-256 of the first certificate's DER bytes, lower-case hex.
    """

    key: bytes = field(repr=False)
    chain: bytes
    fingerprint: str


def make_certificate() -> HostCertificate:
    """A fresh key and a certificate for it, signed by itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, CERTIFICATE_NAME)])
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(_VALID_FROM)
        .not_valid_after(_VALID_TO)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(CERTIFICATE_NAME)]), False)
        # Clients pin it as their only root, and some libraries accept as a root only a CA;
        # the path length keeps it from vouching for any other authority.
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), False)
        .sign(key, hashes.SHA256())
    )
    return HostCertificate(
        key=key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        ),
        chain=certificate.public_bytes(serialization.Encoding.PEM),
        fingerprint=certificate.fingerprint(hashes.SHA256()).hex(),
    )


def load_or_make(path: Path) -> HostCertificate:
    """The certificate of a file; at the first start a new one.

    Raises:
        CertificateError: What is there cannot be used, or nothing can be written there.
    """
    try:
        return load(path)
    except FileNotFoundError:
        made = make_certificate()
        if not _keep(path, made):
            return load(path)
        log.info("made a certificate, fingerprint %s, kept in %s", made.fingerprint, path)
        return made


def load(path: Path) -> HostCertificate:
    """The key and certificate of a file, readable by its owner alone afterwards.

    Raises:
        FileNotFoundError: There is no such file.
        CertificateError: It cannot be read, or holds no key and certificate that fit.
    """
    try:
        content = path.read_bytes()
        mode = path.stat().st_mode
    except FileNotFoundError:
        raise
    except OSError as fault:
        raise CertificateError(
            f"The certificate {path} cannot be read: {fault.strerror}."
        ) from fault
    if os.name == "posix" and stat.S_IMODE(mode) & ~_PRIVATE:
        log.warning("others could read %s, which holds the host's private key", path)
        # One that belongs to somebody else is theirs to look after, and some media are only read.
        with contextlib.suppress(OSError):
            path.chmod(_PRIVATE)
    try:
        key = serialization.load_pem_private_key(content, password=None)
        certificates = x509.load_pem_x509_certificates(content)
    except (ValueError, TypeError) as fault:
        raise _damaged(path, "it holds no private key and certificate in PEM") from fault
    certificate = certificates[0]
    if _bits(certificate.public_key()) != _bits(key.public_key()):
        raise _damaged(path, "its key does not belong to its certificate")
    if not _names_genial(certificate):
        raise CertificateError(
            f"The certificate {path} is not for the name {CERTIFICATE_NAME!r}, which clients ask"
            " for: add that to its alternative names."
        )
    return HostCertificate(
        key=key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        ),
        chain=b"".join(_CERTIFICATE.findall(content)),
        fingerprint=certificate.fingerprint(hashes.SHA256()).hex(),
    )


def _damaged(path: Path, why: str) -> CertificateError:
    # Making a new one silently would make every client warn of an impostor.
    return CertificateError(
        f"The certificate {path} is damaged: {why}. Restore it from a backup, or remove the file"
        " to get a new one, whose fingerprint every player then has to accept."
    )


def _bits(key: CertificatePublicKeyTypes | PublicKeyTypes) -> bytes:
    return key.public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    )


def _names_genial(certificate: x509.Certificate) -> bool:
    try:
        names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName)
    except (x509.ExtensionNotFound, ValueError):
        return False
    return CERTIFICATE_NAME in names.value.get_values_for_type(x509.DNSName)


def _keep(path: Path, made: HostCertificate) -> bool:
    """Writes the file whole or not at all; it is private from its first byte on.

    Returns:
        False if another service of the host was faster: then that one's certificate counts.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, beside = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(made.key + made.chain)
                file.flush()
                os.fsync(file.fileno())
            put_new(Path(beside), path)
        except FileExistsError:
            return False
        finally:
            Path(beside).unlink(missing_ok=True)
    except OSError as fault:
        raise CertificateError(
            f"The certificate cannot be kept in {path.parent}: {fault.strerror}."
        ) from fault
    return True
