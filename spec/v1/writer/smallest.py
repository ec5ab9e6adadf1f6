"""The smallest writer of Pando files, version 1: calls of regions on some locations, in one slice. Python 3, standard library only.

    python3 smallest.py OUT.pando [ID]      writes an example; ID is 32 hexadecimal digits, by default random ones

It leaves out whatever a writer may: composites, statistics, predictions, tables of sums. Each event is a shape of its own kind and region, and all
numbers of a model are in one bin, so that each takes as many bits as the largest one. format.md tells what such a writer gives away."""

import hashlib
import os
import sys

META, DEFINITIONS, DICTIONARY, MODEL, SLICE, TOTALS, POSTINGS, PAGE, ROOT, KINDS = 1, 2, 4, 5, 6, 10, 12, 13, 14, 15
ENTER, LEAVE, STRING, GROUP, LOCATION, REGION = 12, 13, 266, 269, 270, 271
NONE, KEY = (1 << 32) - 1, 2
# Kinds as the registry has them: name; fields with type, bits, space and flags; pairs with family, rule and key.
REF_STRING = 6, 32, 1, 0
SPECS = {
    ENTER: ("Enter", [("region", 6, 32, 4, KEY)], [(1, 2, "region")]),
    LEAVE: ("Leave", [("region", 6, 32, 4, KEY)], [(1 | 128, 2, "region")]),
    STRING: ("String", [("self", 7, 32, 1, 0), ("string", 13, 64, 0, 0)], []),
    GROUP: ("LocationGroup", [("self", 7, 32, 15, 0), ("name", *REF_STRING), ("locationGroupType", 4, 8, 0, 0),
                              ("systemTreeParent", 6, 32, 16, 0), ("creatingLocationGroup", 6, 32, 15, 0)], []),
    LOCATION: ("Location", [("self", 7, 64, 3, 0), ("name", *REF_STRING), ("locationType", 4, 8, 0, 0), ("numberOfEvents", 1, 64, 0, 0),
                            ("locationGroup", 6, 32, 15, 0)], []),
    REGION: ("Region", [("self", 7, 32, 4, 0), ("name", *REF_STRING), ("description", *REF_STRING), ("sourceFile", *REF_STRING),
                        ("beginLineNumber", 1, 32, 0, 0), ("endLineNumber", 1, 32, 0, 0), ("canonicalName", *REF_STRING),
                        ("regionRole", 4, 8, 0, 0), ("paradigm", 6, 8, 18, 0), ("regionFlags", 5, 32, 0, 0)], []),
}


def uvarint(*numbers):
    out = bytearray()
    for v in numbers:
        while v > 127:
            out.append(v & 127 | 128)
            v >>= 7
        out.append(v)
    return bytes(out)


def zigzag(v):
    return 2 * v if v >= 0 else -2 * v - 1


def sized(b):
    return uvarint(len(b)) + b


def fixed(size, *numbers):
    return b"".join(v.to_bytes(size, "little") for v in numbers)


def checksum(b):
    c = 0xFFFFFFFF
    for byte in b:
        c ^= byte
        for _ in range(8):
            c = c >> 1 ^ (0x82F63B78 if c & 1 else 0)
    return fixed(4, c ^ 0xFFFFFFFF)


def packed(bits):
    """Bits, a string of 0 and 1, low ones first."""
    return bytes(int(bits[i:i + 8][::-1], 2) for i in range(0, len(bits), 8))


def low_first(v, n):
    return format(v, "b").zfill(n)[::-1][:n] if n else ""


class Model:
    """A model whose contexts share one table of one bin, which has all numbers of so many bits (section 8)."""

    def __init__(self, contexts, numbers):
        self.contexts, self.bits = contexts, max(numbers, default=0).bit_length()
        assert self.bits <= 57, "a number too large for a bin"

    def bytes(self):
        columns = [0] + [1] * (self.contexts - 1) + [0, self.bits, 0, 0]  # tables, sizes, digits, gaps, weights
        number = lambda v: "0" * v.bit_length() + "1" + low_first(v, max(v.bit_length() - 1, 0))
        return uvarint(self.contexts, 1, 2) + packed("".join(map(number, columns)))

    def offsets(self, values):
        return packed("".join(low_first(v, self.bits) for v in values))

    def block(self, values):
        """A block of values, or a chain."""
        return uvarint(0, 0) + self.offsets(values)  # no exceptions; a table of one bin has no symbols, so there are no words


class Adaptive:
    """A stream of adaptive bits (section 8). The number that it is, and the size of the interval left, are exact."""

    def __init__(self):
        self.low, self.size, self.bytes, self.chances = 0, (1 << 32) - 1, 1, {}

    def bit(self, chance, is_one):
        p, m = self.chances.get(chance, (1 << 15, 0)) if chance else (1 << 15, 0)
        one = (self.size >> 16) * p if chance else self.size >> 1
        self.low, self.size = (self.low, one) if is_one else (self.low + one, self.size - one)
        step = 5 * 65536 // (5 * m + 9)
        if chance:
            self.chances[chance] = (p + ((65536 - p) * step >> 16) if is_one else p - (p * step >> 16), min(m + 1, 40))
        while self.size < 1 << 24:
            self.low, self.size, self.bytes = self.low << 8, self.size << 8, self.bytes + 1

    def number(self, name, v):
        n = v.bit_length()
        for i in range(min(n + 1, 64)):
            self.bit((name, "ones", i), i < n)
        for i in range(n - 1):
            self.bit((name, n, v >> n - 1 - i) if i < 4 else None, v >> n - 2 - i & 1)

    def end(self):
        return (-(-self.low >> 24)).to_bytes(self.bytes, "big")  # the least number with three bytes of zeros behind it


def page(leaves):
    """The page of shapes that are leaves: kind and region (section 6.1)."""
    a, lists = Adaptive(), {}

    def word(k, v):
        known = lists.setdefault(k, [])
        a.bit(("known", k), v in known)
        if v in known:
            a.number(("place", k), known.index(v))
            known.remove(v)
        else:
            a.number(("step", k), zigzag(v - (known[0] if known else 0)))
        known.insert(0, v)
        del known[16:]

    for name, v in ("demotions", 0), ("ranks", 0), ("shapes", len(leaves)):
        a.number(name, v)
    for kind, region in leaves:
        a.bit("leaf", True)  # each follows on a leaf
        a.number("kind", kind)
        a.number("attributes", 0)
        word(16 * kind % 251, 1)
        word((16 * kind + 1) % 251, region)
    b = uvarint(0) + a.end()
    return b + bytes(max(0, -(-2 * len(leaves) // 8) - len(b)))


def write(path, regions, locations, file_id, ticks_per_second=10**9):
    """Writes calls: regions are names, locations are lists of (time, ENTER or LEAVE, number of a region), in order, all calls left."""
    # The structure: a leaf for each kind and region, and a token for each event.
    leaves = sorted({event[1:] for events in locations for event in events})
    busy = [i for i, events in enumerate(locations) if events]
    runs = [locations[i] for i in busy]
    shapes = [leaves.index(event[1:]) for run in runs for event in run]
    start = min(run[0][0] for run in runs)
    end = max(run[-1][0] for run in runs) + 1
    gaps = [i - before - 1 for before, i in zip([-1] + busy, busy)]
    sizes = [len(run) for run in runs]
    columns = [[] for _ in range(1 + 2 * len(leaves))]  # residuals; of each leaf times, and times in ticks of a clock
    for run in runs:
        for before, event in zip([(start,)] + run, run):
            columns[1 + 2 * leaves.index(event[1:])].append(event[0] - before[0])
    structure = Model(14, shapes + gaps + sizes)
    values = Model(len(columns), sum(columns, []))
    nothing = [0] * len(runs)
    roster = uvarint(0, 1, len(runs)) + sized(structure.block([len(runs)] + gaps + [n - 1 for n in sizes]))
    for before, i in zip([0] + busy, busy):
        roster += uvarint(0, zigzag(i - before))
    group = uvarint(0, 0, 0, 1)  # group, lane, epoch, pages
    model = group + uvarint(0, 0, 0, 0) + sized(structure.bytes()) + sized(roster) + sized(b"") + values.bytes()
    tokens = sum(([shape, 0] for shape in shapes), [])  # each with its count less one
    slice_block = uvarint(0, 0, 0, zigzag(start), end - start) + sized(b"") + sized(structure.block(sizes + nothing + nothing + tokens))
    times = values.block(sum(columns, []))  # group 0; the groups 1 to 3 have no values
    slice_block += uvarint(len(times), 0, 0) + times

    # Definitions: a string for each name; one process.
    log = []
    for i, name in enumerate(["process"] + regions):
        log.append((STRING, [i, len(name.encode())], name.encode()))
    log.append((GROUP, [0, 0, 1, NONE, NONE], b""))
    log += [(LOCATION, [i, 0, 1, len(events), 0], b"") for i, events in enumerate(locations)]
    log += [(REGION, [i, i + 1, NONE, NONE, 0, 0, i + 1, 0, 0, 0], b"") for i in range(len(regions))]
    defined = sorted({kind for kind, _, _ in log})
    steps = uvarint(len(defined), *(k - before for before, k in zip([0] + defined, defined)))
    definitions, columns = uvarint(len(log), 0, len(log) - 1) + steps, b""
    for i, kind in enumerate(defined):
        rows = [(words, text) for k, words, text in log if k == kind]
        definitions += uvarint(i, len(rows) - 1)  # the log is in the order of the kinds
        for f, field in enumerate(SPECS[kind][1]):
            if field[1] == 13:  # text: nothing shared, lengths, bytes
                columns += bytes(len(rows)) + uvarint(*(len(text) for _, text in rows)) + b"".join(text for _, text in rows)
            else:
                columns += uvarint(0, *(words[f] for words, _ in rows))
    definitions += columns

    # Kinds, totals and fingerprint.
    used = [kind for kind, _, _ in log] + [kind for run in runs for _, kind, _ in run]
    kinds = uvarint(len(set(used)))
    for kind in sorted(set(used)):
        name, fields, pairs = SPECS[kind]
        kinds += uvarint(kind) + sized(name.encode()) + uvarint(len(fields))
        kinds += b"".join(sized(field[0].encode()) + bytes(field[1:]) for field in fields) + uvarint(len(pairs))
        kinds += b"".join(bytes([family, rule, 1]) + sized(key.encode()) for family, rule, key in pairs)
    rows, fingerprint = [], b""
    for i, events in enumerate(locations):
        depth, most, stream, before = 0, 0, b"", 0
        for t, kind, region in events:
            depth += 1 if kind == ENTER else -1
            most = max(most, depth)
            stream += uvarint(4 * kind, zigzag(t - before), region)
            before = t
        t0, t1 = (events[0][0], events[-1][0]) if events else (0, 0)
        rows.append((i, 0, len(events), len(events) // 2, most, t0 % 2**64, t1 - t0))
        if events:
            fingerprint += uvarint(i, len(events)) + hashlib.sha256(stream).digest()
    totals = uvarint(len(shapes) // 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, len(log), 1, 1, max([row[4] for row in rows], default=0), len(locations))
    totals += uvarint(zigzag(start), end - 1 - start, len(set(used)))
    totals += b"".join(uvarint(kind, used.count(kind)) for kind in sorted(set(used)))
    totals += uvarint(0) + hashlib.sha256(fingerprint).digest() + uvarint(0)
    totals += b"".join(uvarint(0, *column) for column in zip(*rows))  # form 0, numbers as they are

    # Postings: of each thing that it occurs in slice 0 of the page.
    bitmap = sized(fixed(4, 12346, 1) + fixed(2, 0, 0) + fixed(4, 16) + fixed(2, 0))
    things = [(0, i) for i in busy] + [(1, r) for r in sorted({r for _, r in leaves})] + [(2, k) for k in sorted({k for k, _ in leaves})]
    postings = uvarint(0, 0, len(things)) + b"".join(bytes([what]) + uvarint(i) + bitmap for what, i in things)

    # The file: header, blocks in their frames, footer.
    head = b"\x89PND\r\n\x1a\n" + fixed(2, 1, 0) + bytes(20) + file_id + bytes(12)
    out, number = head + checksum(head), 0

    def block(kind, payload):
        nonlocal out, number
        frame = b"\xb7PBk" + bytes([kind, 0, 0, 0]) + fixed(4, len(payload), len(payload), number)
        crc = checksum(frame + payload + file_id)
        entry = kind, len(out), len(payload) + 28, crc
        out, number = out + frame + checksum(frame) + crc + payload, number + 1
        return entry

    def entries(list_of_blocks):
        b, after = uvarint(len(list_of_blocks)), 0
        for kind, offset, length, crc in list_of_blocks:
            b += bytes([kind, 0, 0]) + uvarint(0, zigzag(offset - after), length) + crc
            after = offset + length
        return b

    listed = [block(META, sized(b"example") + uvarint(ticks_per_second, 0, 0, 0, 0))]
    of_page = [block(DICTIONARY, group + page(leaves)), block(MODEL, model), block(SLICE, slice_block), block(POSTINGS, postings)]
    listed += [block(DEFINITIONS, definitions), block(KINDS, kinds), block(TOTALS, totals)]
    times = uvarint(zigzag(start), end - start)
    _, offset, length, crc = block(PAGE, uvarint(0, 0, 1) + times + uvarint(len(shapes)) + entries(of_page))
    root = block(ROOT, uvarint(2, 2, len(shapes), 1, 1, 1, 1, 1) + times + uvarint(zigzag(offset), length) + crc + uvarint(0) + entries(listed) + steps)
    foot = fixed(8, root[1], 0, 0) + file_id + fixed(8, len(out) + 72) + fixed(4, root[2]) + root[3] + fixed(4, number)
    with open(path, "wb") as f:
        f.write(out + foot + checksum(foot) + b"\x1aPND-end")


def example():
    """Two processes that compute and exchange, the second one a bit later."""
    locations = []
    for rank in range(2):
        t = 1000 + 7 * rank
        events = [(t, ENTER, 0)]
        for step in range(4):
            events += [(t + 5, ENTER, 1), (t + 95 + step, LEAVE, 1), (t + 99, ENTER, 2), (t + 120, LEAVE, 2)]
            t += 130
        locations.append(events + [(t, LEAVE, 0)])
    return ["main", "compute", "exchange"], locations


if __name__ == "__main__":
    write(sys.argv[1], *example(), bytes.fromhex(sys.argv[2]) if len(sys.argv) > 2 else os.urandom(16))
