"""Counts of shared character n-grams, for BLEU over characters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

_Integers = npt.NDArray[np.int64]
_ORDERS = (1, 2, 3, 4)


def clipped_matches(sentences: Sequence[str], context: str) -> list[list[int]]:
    """Count, per sentence and order, the character n-grams that the context has as often.

    All sentences and orders share one pass. Characters become small numbers (0: in no sentence), and four of
    them one integer, whose leading parts are the shorter n-grams; above those bits stands whose n-gram it is.
    """
    characters = sorted(set("".join(sentences)))
    bits = len(characters).bit_length()
    owners = len(sentences)
    if not characters or 4 * bits + (4 * owners).bit_length() > 63:
        return [[_clipped(sentence, context, order) for order in _ORDERS] for sentence in sentences]
    unknown = ord(characters[-1]) + 1
    codes = np.zeros(unknown + 1, dtype=np.uint16)  # 15 bits are the most that pack four times
    codes[_code_points("".join(characters))] = np.arange(1, len(characters) + 1)

    owner = np.repeat(np.arange(owners), [len(sentence) for sentence in sentences])
    positions = np.arange(len(owner)) + 3 * owner  # three zeros after each sentence end its last n-grams
    padded = np.zeros(len(owner) + 3 * owners, dtype=np.int64)
    padded[positions] = codes.take(_code_points("".join(sentences)))
    grams, counts = _distinct(_four_grams(padded, bits)[positions] | (owner << 4 * bits), bits=bits, owners=owners)
    padded = np.zeros(len(context) + 3, dtype=np.int64)
    padded[: len(context)] = codes.take(np.minimum(_code_points(context), unknown))
    known = np.sort(_four_grams(padded, bits))

    whose, gram = grams >> 4 * bits, grams & ((1 << 4 * bits) - 1)
    last = 1 << bits * (3 - whose // owners)  # the lowest bit of the n-gram's last character
    start = known.searchsorted(gram)
    present = (np.append(known, np.iinfo(np.int64).max)[start] < gram + last).astype(np.int64)
    many = np.flatnonzero(counts > 1)  # once is enough for the others
    present[many] = known.searchsorted(gram[many] + last[many]) - start[many]
    ends_inside = (gram & ((1 << bits) - 1) * last) != 0
    clipped = np.minimum(counts, present) * ends_inside
    total = np.bincount(whose, weights=clipped, minlength=4 * owners).reshape(4, owners)
    return [[int(count) for count in row] for row in total.T.tolist()]


def _four_grams(numbers: _Integers, bits: int) -> _Integers:
    pairs = (numbers[:-1] << bits) | numbers[1:]
    return (pairs[:-2] << 2 * bits) | pairs[2:]


def _distinct(grams: _Integers, *, bits: int, owners: int) -> tuple[_Integers, _Integers]:
    """Return the distinct n-grams of all four orders, zeros in place of what they lack, and their counts."""
    grams.sort()  # leaves every order sorted, since a shorter n-gram is the head of a longer one
    orders = np.arange(4)[:, None]
    heads = grams & (-1 << bits * (3 - orders))
    keys = (heads + (orders * owners << 4 * bits)).ravel()
    starts = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1])))
    return keys[starts], np.diff(starts, append=len(keys))


def _clipped(sentence: str, context: str, order: int) -> int:
    """Count the matches of one order the plain way, for more characters than an integer can hold."""
    wanted, present = (
        Counter(text[at : at + order] for at in range(len(text) + 1 - order)) for text in (sentence, context)
    )
    return (wanted & present).total()


def _code_points(text: str) -> npt.NDArray[np.uint32]:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
