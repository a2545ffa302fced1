"""What click says by itself when an option or an argument is wrong, for the catalogues.

These are click's own, to the letter; with another version of it, what it says otherwise is English.
click asks `gettext` for each, see `languages.gettext_follows`. A translation may leave out what
click puts in as an English word: `{name:.0}` shows nothing of it.
"""

from __future__ import annotations

from typing import Final

CLICK_MESSAGES: Final[tuple[str | tuple[str, str], ...]] = (
    "Commands",
    "Missing argument",
    "Missing command.",
    "Missing option",
    "Options",
    "Show this message and exit.",
    "Usage:",
    "default: {default}",
    "Choose from:\n\t{choices}",
    "Invalid value for {param_hint}: {message}",
    "Invalid value: {message}",
    "No such option {name!r}.",
    "Option {name!r} does not take a value.",
    "{name} {filename!r} is a file.",
    "{value!r} is not a valid {number_type}.",
    "{value} is not in the range {range}.",
    ("Did you mean {possibility}?", "(Did you mean one of: {possibilities}?)"),
    (
        "Got unexpected extra argument ({args})",
        "Got unexpected extra arguments ({args})",
    ),
    (
        "Option {name!r} requires an argument.",
        "Option {name!r} requires {nargs} arguments.",
    ),
    ("{value!r} is not {choice}.", "{value!r} is not one of {choices}."),
)
