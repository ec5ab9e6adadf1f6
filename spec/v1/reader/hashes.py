"""Section 10.7 of format.md: hashes of structure."""

from hashlib import sha256

from bits import Bytes, content
from follow import CONTEXT_ENTER, CONTEXT_LEAVE, ENTER, LEAVE

STRING, REGION, CALLING_CONTEXT = 266, 271, 290
P = (1 << 61) - 1
BASES = 0x16A09E667F3BCC90, 0x1BB67AE8584CAA73
UNDEFINED = (1 << 32) - 1, (1 << 64) - 1


class Symbols:
    """The symbols of enters and leaves, by the names of regions."""

    def __init__(self, definitions):
        self.strings, self.regions, self.contexts = {}, {}, {}
        for kind, words, texts in definitions:
            if kind == STRING:
                self.strings.setdefault(words[0], bytes.fromhex(texts[0]))
            elif kind == REGION:
                self.regions.setdefault(words[0], (words[6], words[1]))
            elif kind == CALLING_CONTEXT:
                self.contexts.setdefault(words[0], words[1])

    def name(self, region):
        if region in UNDEFINED:
            return b"no region"
        names = [self.strings.get(s, b"") for s in self.regions.get(region, ())]
        return next((n for n in names if n), b"#%d" % region)

    def of(self, kind, words):
        """The symbol of an event, None if it has none."""
        if kind not in (ENTER, LEAVE, CONTEXT_ENTER, CONTEXT_LEAVE):
            return None
        region = words[0] if kind in (ENTER, LEAVE) else self.contexts.get(words[0], UNDEFINED[1])
        at = 0 if kind in (ENTER, CONTEXT_ENTER) else 8
        return int.from_bytes(sha256(self.name(region)).digest()[at:at + 8], "little") % P


def sums(symbols):
    out = [0, 0]
    for s in symbols:
        out = [(a * b + s) % P for a, b in zip(out, BASES)]
    return out


class Hashes:
    """A block: of each location and child the number of symbols and the sums."""

    def __init__(self, b):
        r = Bytes(b)
        self.level, self.node, self.lane, self.list = r.uvarint(), r.uvarint(), r.uvarint(), []
        location = -1
        for _ in range(r.count(20)):
            location += 1 + r.uvarint()
            children, child = r.count(18), -1
            content(children > 0, "a location without hashes")
            for _ in range(children):
                child += 1 + r.uvarint()
                n, a, b = r.uvarint(), r.fixed(8), r.fixed(8)
                content(n > 0 and a < P and b < P, "sums that no string has")
                self.list.append([location, child, n, a, b])
        r.end()


def expected(level, node, lane, fanout, locations, symbols):
    """What the block of a node and lane must have, by the events."""
    strings = {}
    for i, location in enumerate(locations):
        for event, slice in zip(location["events"], location["slices"]):
            s = symbols.of(event[0], event[3])
            if location["lane"] == lane and slice // fanout ** level == node and s is not None:
                strings.setdefault((i, slice // fanout ** (level - 1) - node * fanout), []).append(s)
    return [[*where, len(s), *sums(s)] for where, s in sorted(strings.items())]
