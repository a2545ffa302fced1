"""Loads asyncio and hashlib without OpenSSL, as on a Python that was built without it.

For clients, and to be imported before either. gRPC brings its own TLS, and Python has SHA-2 of
its own: OpenSSL would be a tenth of what a client may take. `import ssl` works as ever
afterwards; hashlib then lacks what only OpenSSL has (`scrypt`), which no client needs.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from typing import Final

_OTHERS: Final = ("_md5", "_sha1", "_sha3", "_blake2")
_SHA_2: Final = (("_sha2",), ("_sha256", "_sha512"))
"""Python's own hashes; SHA-2's since 3.12, and before. Some systems leave them out."""


def has_own_hashes() -> bool:
    """Whether hashlib is whole, but for rarities, without OpenSSL."""

    def has(*modules: str) -> bool:
        return all(importlib.util.find_spec(name) is not None for name in modules)

    return has(*_OTHERS) and any(has(*modules) for modules in _SHA_2)


def _without(library: str, *modules: str) -> None:
    """Imports modules as if there were no such library; nothing where one is loaded already."""
    if any(name in sys.modules for name in (library, *modules)):
        return
    # None in this place makes the import fail, which these modules are prepared for.
    sys.modules[library] = None  # type: ignore[assignment]
    try:
        for name in modules:
            importlib.import_module(name)
    finally:
        del sys.modules[library]


if has_own_hashes():
    _without("_hashlib", "hashlib", "hmac")
_without("ssl", "asyncio")
