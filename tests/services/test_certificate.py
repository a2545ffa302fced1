"""The host's certificate: made once, private, never replaced behind anybody's back."""

from __future__ import annotations

import errno
import hashlib
import ssl
import stat
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import serialization

from genial.services.certificate import (
    FILE_NAME,
    CertificateError,
    HostCertificate,
    load,
    load_or_make,
    make_certificate,
)
from genial.wire.metadata import CERTIFICATE_NAME


def test_first_start_makes_it_and_later_starts_keep_it(tmp_path: Path) -> None:
    folder = tmp_path / "not" / "there yet"
    first = load_or_make(folder / FILE_NAME)
    second = load_or_make(folder / FILE_NAME)
    assert second == first
    assert [file.name for file in folder.iterdir()] == [FILE_NAME]


def test_only_the_owner_can_read_it(tmp_path: Path) -> None:
    load_or_make(tmp_path / FILE_NAME)
    assert stat.S_IMODE((tmp_path / FILE_NAME).stat().st_mode) == 0o600


def test_a_readable_key_is_made_private_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    load_or_make(tmp_path / FILE_NAME)
    (tmp_path / FILE_NAME).chmod(0o644)
    load_or_make(tmp_path / FILE_NAME)
    assert stat.S_IMODE((tmp_path / FILE_NAME).stat().st_mode) == 0o600
    assert "others could read" in caplog.text


@pytest.mark.parametrize("fault", [errno.EPERM, errno.EROFS])
def test_a_readable_key_that_cannot_be_made_private_is_taken_as_it_is(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    fault: int,
) -> None:
    """It may belong to somebody else, or lie on a medium that is only read."""
    first = load_or_make(tmp_path / FILE_NAME)
    (tmp_path / FILE_NAME).chmod(0o644)

    def refused(self: Path, mode: int) -> None:
        raise OSError(fault, "no")

    monkeypatch.setattr(Path, "chmod", refused)
    assert load_or_make(tmp_path / FILE_NAME) == first
    assert "others could read" in caplog.text


def test_fingerprint_is_sha256_of_the_certificate(tmp_path: Path) -> None:
    made = load_or_make(tmp_path / FILE_NAME)
    der = ssl.PEM_cert_to_DER_cert(made.chain.decode())
    assert made.fingerprint == hashlib.sha256(der).hexdigest()


def test_it_is_valid_whatever_the_clock_says() -> None:
    certificate = x509.load_pem_x509_certificate(make_certificate().chain)
    assert certificate.not_valid_before_utc.year == 2000
    assert certificate.not_valid_after_utc.year == 9999


def test_it_carries_the_name_that_clients_ask_for() -> None:
    certificate = x509.load_pem_x509_certificate(make_certificate().chain)
    names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName)
    assert names.value.get_values_for_type(x509.DNSName) == [CERTIFICATE_NAME]


def test_every_host_has_a_key_of_its_own() -> None:
    assert make_certificate().fingerprint != make_certificate().fingerprint


def test_the_key_shows_in_no_repr() -> None:
    made = make_certificate()
    assert "PRIVATE" not in repr(made)
    assert made.fingerprint in repr(made)


def test_a_chain_of_the_owners_own_is_kept_whole(tmp_path: Path) -> None:
    own, other = make_certificate(), make_certificate()
    path = tmp_path / FILE_NAME
    path.write_bytes(own.key + own.chain + other.chain)
    loaded = load(path)
    assert loaded.chain == own.chain + other.chain
    assert loaded.fingerprint == own.fingerprint


@pytest.mark.parametrize("content", [b"", b"\x00\xff rubbish", b"-----BEGIN CERTIFICATE-----\n"])
def test_a_damaged_file_is_named_and_not_replaced(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / FILE_NAME
    path.write_bytes(content)
    with pytest.raises(CertificateError, match=r"damaged.*backup.*accept") as caught:
        load_or_make(tmp_path / FILE_NAME)
    assert str(path) in str(caught.value)
    assert path.read_bytes() == content


def test_a_cut_file_is_damaged(tmp_path: Path) -> None:
    load_or_make(tmp_path / FILE_NAME)
    path = tmp_path / FILE_NAME
    whole = path.read_bytes()
    for length in range(0, len(whole) - 30, 37):
        path.write_bytes(whole[:length])
        with pytest.raises(CertificateError, match="damaged"):
            load(path)


def test_a_key_of_another_certificate_is_refused(tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    path.write_bytes(make_certificate().key + make_certificate().chain)
    with pytest.raises(CertificateError, match="key does not belong"):
        load(path)


def test_a_locked_key_is_refused(tmp_path: Path) -> None:
    made = make_certificate()
    key = serialization.load_pem_private_key(made.key, None)
    locked = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.BestAvailableEncryption(b"word"),
    )
    path = tmp_path / FILE_NAME
    path.write_bytes(locked + made.chain)
    with pytest.raises(CertificateError, match="damaged"):
        load(path)


def test_a_data_directory_that_is_a_file_is_said_so(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(CertificateError, match="Not a directory"):
        load_or_make(tmp_path / "file" / FILE_NAME)


def test_a_full_disk_leaves_no_half_certificate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(CertificateError, match=r"cannot be kept.*No space left"):
        load_or_make(tmp_path / FILE_NAME)
    assert list(tmp_path.iterdir()) == []


def test_services_that_start_together_agree_on_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = make_certificate()
    path = tmp_path / FILE_NAME

    def slow() -> HostCertificate:
        path.write_bytes(first.key + first.chain)
        return make_certificate()

    monkeypatch.setattr("genial.services.certificate.make_certificate", slow)
    assert load_or_make(path) == first
    assert [file.name for file in tmp_path.iterdir()] == [FILE_NAME]


def test_no_file_is_its_own_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        load(tmp_path / FILE_NAME)
