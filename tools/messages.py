"""Catalogues: extract every message, bring the .po files up to date, compile them.

    python tools/messages.py            what `make messages` does
    python tools/messages.py --check    exits 1 and says what is stale, missing or wrong

Besides what the sources mark, every refusal's sentence is a message: those live in tables
of the engine and of the wire, which know no languages. So are the help of the
commands, and what click says of wrong options.
"""

from __future__ import annotations

import argparse
import io
import string
import sys
from datetime import UTC, datetime
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from genial.cli.click_messages import CLICK_MESSAGES
from genial.cli.tree import help_messages
from genial.engine.refusal import Refusal
from genial.wire.reasons import Reason, template_of

ROOT = Path(__file__).resolve().parent.parent
LOCALE = ROOT / "client" / "genial" / "client" / "locale"
LANGUAGES = ("es", "de")
_NO_MOMENT = datetime(2026, 1, 1, tzinfo=UTC)
KEYWORDS = {"_": None, "N_": None, "ngettext": (1, 2)}


def template() -> Catalog:
    """Every message that there is to translate."""
    catalog = Catalog(project="genial-lan", charset="utf-8")
    source = ROOT / "client" / "genial"
    for filename, line, message, comments, context in extract_from_dir(
        str(source), keywords=KEYWORDS
    ):
        del filename, line
        catalog.add(message, None, (), auto_comments=comments, context=context)
    for reason in (*Refusal, *Reason):
        catalog.add(template_of(reason))
    for text in (*help_messages(), *CLICK_MESSAGES):
        catalog.add(text)
    return catalog


def path_of(language: str) -> Path:
    """The .po file of a language."""
    return LOCALE / language / "LC_MESSAGES" / "genial.po"


def updated(language: str, wanted: Catalog) -> Catalog:
    """The catalogue of a language with exactly the messages that there are."""
    path = path_of(language)
    if path.exists():
        with path.open("rb") as file:
            catalog = read_po(file, locale=language)
    else:
        catalog = Catalog(locale=language, project="genial-lan", charset="utf-8")
    translations = {message.id: message.string for message in catalog if message.id}
    fresh = Catalog(
        locale=language,
        project="genial-lan",
        charset="utf-8",
        fuzzy=False,
        # Compiled catalogues keep their header: a moment of its own would change them each time.
        creation_date=_NO_MOMENT,
        revision_date=_NO_MOMENT,
        header_comment=f"# Genial: {'Spanish' if language == 'es' else 'German'}.",
    )
    # One thing or several: what both languages tell apart, whatever CLDR knows of millions.
    fresh.mime_headers = [("Plural-Forms", "nplurals=2; plural=(n != 1)")]
    for message in wanted:
        if message.id:
            fresh.add(message.id, translations.get(message.id))
    return fresh


def po_text(catalog: Catalog) -> bytes:
    """A .po file: sorted, without places or times, so that it changes only with its content."""
    buffer = io.BytesIO()
    write_po(buffer, catalog, width=100, no_location=True, sort_output=True, omit_header=False)
    stamps = (b"POT-Creation-Date", b"PO-Revision-Date", b"Generated-By")
    lines = [line for line in buffer.getvalue().split(b"\n") if not any(s in line for s in stamps)]
    return b"\n".join(lines)


def mo_bytes(catalog: Catalog) -> bytes:
    """The compiled catalogue."""
    buffer = io.BytesIO()
    write_mo(buffer, catalog)
    return buffer.getvalue()


def placeholders(text: str) -> set[str]:
    """The names that a sentence is filled with."""
    return {name for _text, name, _spec, _conversion in string.Formatter().parse(text) if name}


def faults_of(message: Message, plurals: int) -> list[str]:
    """What is wrong with a translation, as sentences."""
    sources = list(message.id) if isinstance(message.id, tuple | list) else [message.id]
    given = message.string
    strings = [text or "" for text in (given if isinstance(given, tuple | list) else [given])]
    name = sources[0][:60]
    if not all(strings) or (len(sources) == 2 and len(strings) != plurals):
        return [f"not translated: {name!r}"]
    faults = []
    wanted = set().union(*map(placeholders, sources))
    for text in strings:
        try:
            found = placeholders(text)
        except ValueError as error:
            faults.append(f"{name!r}: {error}")
            continue
        # A form for one thing may leave its number out.
        if found - wanted or (len(sources) == 1 and found != wanted):
            faults.append(f"{name!r}: placeholders {sorted(found)} for {sorted(wanted)}")
    return faults


def check(language: str, wanted: Catalog) -> list[str]:
    """What is wrong with a language, as sentences; empty when all is well."""
    catalog = updated(language, wanted)
    faults = []
    path = path_of(language)
    if not path.exists() or path.read_bytes() != po_text(catalog):
        faults.append(f"{path.relative_to(ROOT)} is not up to date; run: make messages")
    compiled = path.with_suffix(".mo")
    if not compiled.exists() or compiled.read_bytes() != mo_bytes(catalog):
        faults.append(f"{compiled.relative_to(ROOT)} is not up to date; run: make messages")
    for message in catalog:
        if message.id:
            faults += [f"{language}: {fault}" for fault in faults_of(message, catalog.num_plurals)]
    return faults


def _write(path: Path, content: bytes) -> None:
    """In one step: whoever starts the game meanwhile reads a whole catalogue."""
    fresh = path.with_suffix(".new")
    fresh.write_bytes(content)
    fresh.replace(path)


def main() -> int:
    """Runs; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="change nothing, say what is wrong")
    arguments = parser.parse_args()
    wanted = template()
    faults: list[str] = []
    for language in LANGUAGES:
        if not arguments.check:
            catalog = updated(language, wanted)
            path = path_of(language)
            path.parent.mkdir(parents=True, exist_ok=True)
            _write(path, po_text(catalog))
            _write(path.with_suffix(".mo"), mo_bytes(catalog))
        faults += check(language, wanted)
    for fault in faults:
        print(fault)
    print(f"{sum(1 for message in wanted if message.id)} messages, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
