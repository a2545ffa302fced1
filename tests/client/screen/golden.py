"""Golden screens: text and styles by roles; `python -m tests.client.screen.golden` writes them.

Look at what changed before committing: the pictures of `make screenshots` show the same.
"""

from __future__ import annotations

from pathlib import Path

from genial.client.view.canvas import Canvas
from genial.client.view.draw import draw

from .gallery import Picture, gallery

FOLDER = Path(__file__).parent / "golden"


def golden_text(canvas: Canvas) -> str:
    """The text of a canvas, then each row's styles as runs."""
    lines = [canvas.text(), "---\n"]
    for y in range(canvas.height):
        runs: list[str] = []
        x = 0
        for ink, text in canvas.runs(y):
            columns = len(text)
            marks = ("b" if ink.bold else "") + ("u" if ink.underline else "")
            # The foreground of blanks shows nowhere.
            fg = ink.fg if text.strip() or ink.underline else ""
            runs.append(f"{x}:{fg}/{ink.bg}{' ' + marks if marks else ''}")
            x += columns
        lines.append(f"{y} " + ", ".join(runs) + "\n")
    return "".join(lines)


def rendered(picture: Picture) -> str:
    """What the golden file of a picture has to hold."""
    return golden_text(draw(picture.model, picture.width, picture.height, picture.look))


def main() -> None:
    """Write every golden file anew, and remove those of screens that are gone."""
    FOLDER.mkdir(exist_ok=True)
    names = set()
    for picture in gallery():
        names.add(f"{picture.name}.txt")
        (FOLDER / f"{picture.name}.txt").write_text(rendered(picture), encoding="utf-8")
    for path in FOLDER.glob("*.txt"):
        if path.name not in names:
            path.unlink()


if __name__ == "__main__":
    main()
