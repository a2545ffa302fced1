"""Pictures of every screen from the real rendering: `make screenshots`."""

from __future__ import annotations

import sys
from pathlib import Path

from genial.client.view.draw import draw
from genial.client.view.picture import svg

from .gallery import gallery


def main(folder: Path) -> None:
    """Writes NAME.svg for every screen, and an index, into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    index = ["# Screens", "", "Made by `make screenshots` from the real rendering.", ""]
    for picture in gallery():
        canvas = draw(picture.model, picture.width, picture.height, picture.look)
        (folder / f"{picture.name}.svg").write_text(
            svg(canvas, picture.look, f"Genial: {picture.title}"), encoding="utf-8"
        )
        index += [f"## {picture.title}", "", f"![{picture.title}]({picture.name}.svg)", ""]
    (folder / "README.md").write_text("\n".join(index), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "docs/screens"))
