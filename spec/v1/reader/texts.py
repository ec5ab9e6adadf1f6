"""Section 7.5 of format.md, and phrases of section 8: texts, and phrases with the numbers between them."""

from bits import M64, BitStream, Bytes, Chain, content, dense, read_model, unzigzag


def text_head(b):
    """Form and length of a text, and its bytes as they are stored."""
    if not b:
        return 0, 0, b
    r = Bytes(b)
    form, size = r.byte(), len(b) - 1
    content(form < 4, "a text of an unknown form")
    if form:
        size = r.uvarint()
    stored = r.rest()
    content(0 < size <= 1024 * len(stored), "a text that its bytes cannot stand for")
    return form, size, stored


def text_of(form, size, stored, shared):
    if form == 0:
        return stored
    if form == 3:
        return phrases(stored, size)
    from zstd import decompress
    content(form == 1 or shared, "a text without its dictionary")
    return decompress(stored, size, shared if form == 2 else b"")


class Phrase:
    def __init__(self, head):
        self.length, self.paired, self.numbered = head >> 2, head >> 1 & 1, head & 1
        content(self.length or self.numbered, "an empty phrase")


def read_list(b, size):
    head = text_head(b)
    content(head[0] < 2 and head[1] <= size + 81920, "a list of phrases that needs more than itself, or is too long")
    r = Bytes(text_of(*head, b""))
    n = r.count()
    content(0 < n <= 1 << 14, "a number of phrases out of range")
    found = [Phrase(r.uvarint()) for _ in range(n)]
    for p in found:
        p.text = r.take(p.length)
    r.end()
    return found


def phrases(b, size):
    """The text of a size that is stored as phrases and numbers."""
    r = Bytes(b)
    found, places = read_list(r.bytes(), size), r.uvarint()
    content(0 < places <= 1 << 15, "a number of places out of range")
    bits = BitStream(r.take((places + 7) // 8))
    differences = [bits.bits(1) for _ in range(places)]
    bits.end()
    coded = Bytes(r.bytes())
    model = read_model(coded)
    coded.end()
    content(len(model.table_of) == 2 * places, "a model of other places")
    n = r.uvarint()
    content(n <= size and dense((n + 1) // 2) <= len(b), "more phrases than their bytes can stand for")
    row = read_row(Chain(model, r.bytes()), n, found, places)
    counts = [0] * (2 * places)
    for place, p in row:
        counts[places + place] += p.numbered
    numbers = [iter(column(values, d)) for values, d in zip(model.decode(r.rest(), counts)[places:], differences)]
    text = b"".join(p.text + (b"%d" % next(numbers[place]) if p.numbered else b"") for place, p in row)
    content(len(text) == size, "a text of another length")
    return text


def read_row(chain, n, found, places):
    """The phrases of the text, with the place behind each."""
    row, numbers, place, before = [], {}, 0, None
    for _ in range(n):
        at = chain.next(place)
        content(at < len(found), "a phrase that is not in the list")
        p = found[at]
        place = numbers.setdefault((before, at) if p.paired else at, len(numbers) + 1)
        content(place < places, "more places")
        row.append((place, p))
        before = at
    chain.end()
    content(len(numbers) == places - 1, "fewer places")
    return row


def column(values, differences):
    """The numbers at a place."""
    last = 0
    for v in values:
        last = last + unzigzag(v) & M64 if differences else v
        content(last < 10 ** 18, "a number too large")
        yield last
