"""What a start on this machine would stumble over, and what it would not."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from genial.services.certificate import load_or_make
from genial.services.rehearsal import problems_here
from genial.services.settings import DATABASE
from tests.services.host.hosts import local


def test_a_certificate_of_somebody_else_need_not_be_writable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    certificate = tmp_path / "host.pem"
    load_or_make(certificate)
    log = tmp_path / "host.log"
    log.touch()
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / DATABASE).touch()
    settings = local(tmp_path / "data", plaintext=False, certificate=certificate)
    # Whoever runs the tests as root may do everything.
    allowed = os.R_OK
    monkeypatch.setattr(os, "access", lambda path, mode: mode & ~allowed == 0)
    assert problems_here(settings, log) == [
        f"data: {tmp_path / 'data' / DATABASE} may not be written",
        f"log.file: {log} may not be written",
    ]
    allowed = 0
    assert f"certificate: {certificate} may not be read" in problems_here(settings, log)
