"""Pictures of a function of two bytes, 256 × 256, as PNG data URIs: the result, and where it differs."""

from __future__ import annotations

import base64
import io
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
LEFT_OUT = (128, 128, 128)


def result_picture(results: Array, known: Array, signed: bool) -> str:
    """Results as shades from dark (lowest) to light (highest); what was not asked or has no answer is grey-blue."""
    shade = (results ^ 0x80) if signed else results
    image = np.repeat(shade.reshape(256, 256, 1), 3, 2)
    image[~known.reshape(256, 256)] = (90, 110, 160)
    return _uri(_ordered(image, signed))


def difference_picture(differs: Array, known: Array, silent: Array, signed: bool) -> str:
    """Equal elements are nearly white, differing ones red, those that nothing specifies blue, unanswered grey."""
    image = np.full((65536, 3), (236, 240, 236), np.uint8)
    image[differs] = (205, 30, 40)
    image[silent] = (150, 180, 230)
    image[silent & differs] = (70, 100, 200)
    image[~known] = LEFT_OUT
    return _uri(_ordered(image.reshape(256, 256, 3), signed))


def _ordered(image: Array, signed: bool) -> Array:
    """The first operand to the right, the second upwards, from the lowest number on."""
    turned = np.roll(image, 128, axis=(0, 1)) if signed else image
    return np.ascontiguousarray(turned[::-1])


def _uri(image: Array) -> str:
    """A PNG, with a palette where there are few enough colours."""
    from PIL import Image

    height, width, _ = image.shape
    words = image.astype(np.uint32) @ np.array([1 << 16, 1 << 8, 1], np.uint32)
    packed, index = np.unique(words, return_inverse=True)
    colours = packed[:, None] >> np.array([16, 8, 0], np.uint32) & np.uint32(255)
    if len(colours) <= 256:
        picture = Image.fromarray(index.reshape(height, width).astype(np.uint8)).convert("P")
        picture.putpalette(colours.astype(np.uint8).tobytes())
    else:
        picture = Image.fromarray(image)
    content = io.BytesIO()
    picture.save(content, "PNG", optimize=True)
    return "data:image/png;base64," + base64.b64encode(content.getvalue()).decode()
