"""SVG elements: a thin layer over the standard library's XML tree."""

from __future__ import annotations

import math
from collections.abc import Iterable
from xml.etree import ElementTree as ET

from genial.client.view.canvas import clean

FONT = "system-ui, 'Segoe UI', 'Helvetica Neue', 'DejaVu Sans', Arial, sans-serif"

Point = tuple[float, float]


def number(value: float) -> str:
    """A coordinate, to a hundredth: the same picture on every machine.

    >>> number(1 / 3), number(2.0), number(-0.001)
    ('0.33', '2', '0')
    """
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def points(corners: Iterable[Point]) -> str:
    """Corners as the attribute `points` of a polygon."""
    return " ".join(f"{number(x)},{number(y)}" for x, y in corners)


def regular(corners: int, radius: float, first_degrees: float = -90.0) -> list[Point]:
    """The corners of a regular polygon around (0, 0), clockwise; -90 degrees is the top."""
    return [
        (
            radius * math.cos(math.radians(first_degrees + 360 * step / corners)),
            radius * math.sin(math.radians(first_degrees + 360 * step / corners)),
        )
        for step in range(corners)
    ]


def moved(corners: Iterable[Point], x: float, y: float) -> list[Point]:
    """Corners shifted so that (0, 0) comes to lie on (x, y)."""
    return [(a + x, b + y) for a, b in corners]


class Node:
    """An element of a picture; its methods add children and return them.

    Attribute names are written with `_` for `-`; numbers are rounded, None is left out.
    """

    def __init__(self, element: ET.Element) -> None:
        """Wraps an element of the tree; use `document` to begin."""
        self._element = element

    def add(self, tag: str, /, **attributes: str | float | None) -> Node:
        """A child element."""
        child = ET.SubElement(self._element, tag)
        for key, value in attributes.items():
            if value is not None:
                text = value if isinstance(value, str) else number(value)
                child.set(key.rstrip("_").replace("_", "-"), text)
        return Node(child)

    def group(self, **attributes: str | float | None) -> Node:
        """A group whose attributes hold for what is added to it."""
        return self.add("g", **attributes)

    def polygon(self, corners: Iterable[Point], **attributes: str | float | None) -> Node:
        """A closed outline."""
        return self.add("polygon", points=points(corners), **attributes)

    def polyline(self, corners: Iterable[Point], **attributes: str | float | None) -> Node:
        """An open line through points."""
        return self.add("polyline", points=points(corners), fill="none", **attributes)

    def line(self, start: Point, end: Point, **attributes: str | float | None) -> Node:
        """A straight line."""
        return self.add("line", x1=start[0], y1=start[1], x2=end[0], y2=end[1], **attributes)

    def rect(
        self, x: float, y: float, width: float, height: float, **attributes: str | float | None
    ) -> Node:
        """A rectangle from its top left corner."""
        return self.add("rect", x=x, y=y, width=width, height=height, **attributes)

    def circle(self, x: float, y: float, r: float, **attributes: str | float | None) -> Node:
        """A circle around (x, y)."""
        return self.add("circle", cx=x, cy=y, r=r, **attributes)

    def text(
        self, x: float, y: float, content: str, size: float, **attributes: str | float | None
    ) -> Node:
        """A line of text with its base line at `y`; what XML cannot hold becomes `?`."""
        node = self.add("text", x=x, y=y, font_size=size, **attributes)
        node._element.text = xml_text(content)
        return node

    def set_text(self, content: str) -> None:
        """The element's own text."""
        self._element.text = xml_text(content)


def xml_text(content: str) -> str:
    """Text that any XML reader takes: one line, no controls, no unassigned characters."""
    return clean(content).replace("\ufffe", "?").replace("\uffff", "?")


def document(width: float, height: float, title: str, description: str = "") -> Node:
    """An empty picture of so many pixels; the title is what a screen reader says."""
    root = Node(ET.Element("svg"))
    for key, value in (
        ("xmlns", "http://www.w3.org/2000/svg"),
        ("width", number(width)),
        ("height", number(height)),
        ("viewBox", f"0 0 {number(width)} {number(height)}"),
        ("role", "img"),
        ("font-family", FONT),
    ):
        root._element.set(key, value)
    root.add("title").set_text(title)
    if description:
        root.add("desc").set_text(description)
    return root


def render(picture: Node) -> str:
    """The document's text, an element a line, ending in a line break."""
    ET.indent(picture._element, " ")
    return ET.tostring(picture._element, encoding="unicode") + "\n"
