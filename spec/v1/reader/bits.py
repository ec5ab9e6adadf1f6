"""Section 8 of format.md: models, blocks of values, chains, adaptive bits; and the integers of section 1."""

import struct

M64 = (1 << 64) - 1


class Refused(Exception):
    """A file that a reader must refuse; kind is one of the classes in vectors/README.md."""

    def __init__(self, kind, why):
        super().__init__(kind + ": " + why)
        self.kind = kind


def content(ok, why):
    if not ok:
        raise Refused("content", why)


def unzigzag(v):
    return (v >> 1) ^ -(v & 1)


DENSITY = 8  # things that a byte stands for at most


def dense(things):
    """How many bytes so many things take at least."""
    return -(-things // DENSITY)


def signed(v):
    return v - (1 << 64) if v >> 63 else v


def crc_table():
    table = []
    for n in range(256):
        for _ in range(8):
            n = n >> 1 ^ (0x82F63B78 if n & 1 else 0)
        table.append(n)
    return table


CRC = crc_table()


def checksum(*parts):
    c = 0xFFFFFFFF
    for part in parts:
        for b in part:
            c = CRC[(c ^ b) & 0xFF] ^ c >> 8
    return c ^ 0xFFFFFFFF


class Bytes:
    """Reads integers from bytes."""

    def __init__(self, b):
        self.b, self.at = b, 0

    def take(self, n):
        content(n <= len(self.b) - self.at, "bytes are missing")
        self.at += n
        return self.b[self.at - n:self.at]

    def left(self):
        return len(self.b) - self.at

    def rest(self):
        return self.take(self.left())

    def end(self):
        content(self.left() == 0, "bytes behind the end")

    def end_filled(self, least):
        """The end of bytes that were filled up with zeros to be at least so many."""
        content(not any(self.take(max(least - self.at, 0))), "something else than zeros")
        self.end()

    def fixed(self, n):
        return int.from_bytes(self.take(n), "little")

    def byte(self):
        return self.take(1)[0]

    def uvarint(self):
        v = shift = 0
        while True:
            b = self.byte()
            v |= (b & 0x7F) << shift
            if b < 0x80:
                content(v <= M64 and shift <= 63 and (b or not shift), "an integer too long")
                return v
            shift += 7
            content(shift <= 63, "an integer too long")

    def varint(self):
        return unzigzag(self.uvarint())

    def count(self, each=1):
        """The number of things that take at least so many bytes each."""
        n = self.uvarint()
        content(n * each <= self.left(), "a count that cannot be true")
        return n

    def bytes(self):
        return self.take(self.uvarint())


class BitStream:
    def __init__(self, b, spare=0):
        """spare is how many bytes of zeros may be left."""
        self.v, self.n, self.at, self.spare = int.from_bytes(b, "little"), 8 * len(b), 0, spare

    def bits(self, n):
        content(self.at + n <= self.n, "bits are missing")
        v = self.v >> self.at & ((1 << n) - 1)
        self.at += n
        return v

    def end(self):
        content(self.n - self.at < max(8, 8 * self.spare + 1) and self.v >> self.at == 0, "bits behind the end")


class Table:
    """bins is a list of (begin, offset bits, weight). A table of a class has its log told."""

    def __init__(self, bins, log=None):
        self.bins = bins
        n = len(bins)
        masses = [4 * w * w + 1 for _, _, w in bins]
        total = sum(masses)
        self.log = log or (0 if n == 1 else max(min(total.bit_length() - 1, 12), (n - 1).bit_length()))
        room, before, self.starts = (1 << self.log) - n, 0, []
        for i, m in enumerate(masses):
            self.starts.append(i + room * before // total)
            before += m
        self.starts.append(1 << self.log)
        self.symbols = []  # by slot
        for i in range(n):
            self.symbols += [i] * (self.starts[i + 1] - self.starts[i])
        weights = [w for _, _, w in bins]
        self.heaviest = weights.index(max(weights))


def check_bins(bins):
    end = None
    for i, (begin, digits, weight) in enumerate(bins):
        content(0 <= begin <= M64 and digits <= 57 and weight < 1 << 20 and begin + (1 << digits) - 1 <= M64, "a bin out of range")
        content(end is None or begin > end, "bins out of order")
        end = begin


class Model:
    def __init__(self, table_of, tables):
        self.table_of, self.tables, self.divisions = table_of, tables, {}

    def divide(self, divisions):
        """Divides contexts: (context, thresholds, classes) of each. Returns the number of contexts without those of classes."""
        first = context = len(self.table_of) - sum(classes - 1 for _, _, classes in divisions)
        content(all(c < first for c, _, _ in divisions), "a division of a context that the model does not have")
        bins = 0
        for c, thresholds, classes in divisions:
            tables = [self.table(c)] + [self.table(context + k) for k in range(classes - 1)]
            bins += sum(len(t.bins) for t in tables)
            content(bins <= 1 << 15, "classes with too many bins")
            self.divisions[c] = thresholds, [Table(t.bins, 10) for t in tables]
            context += classes - 1
        return first

    def table(self, context):
        return self.tables[self.table_of[context]]

    def decode(self, b, counts):
        """Values of all contexts, one list for each."""
        r = Bytes(b)
        content(len(counts) == len(self.table_of), "another number of contexts")
        exceptions = read_exceptions(r)
        symbols = sum(n for c, n in enumerate(counts) if len(self.table(c).bins) > 1 or c in self.divisions)
        words = Words(r, 4 if symbols >= 1024 else 1)
        symbols = [self.symbols(c, n, words) for c, n in enumerate(counts)]
        stream, out, i = words.offsets(r), [], 0
        for of_context in symbols:
            values = []
            for t, s in of_context:
                values.append(value(t, s, stream, exceptions, i))
                i += 1
            out.append(values)
        stream.end()
        content(not exceptions, "exceptions behind the end")
        return out

    def symbols(self, c, n, words):
        """Table and symbol of each of n values of a context."""
        if c not in self.divisions:
            return [(self.table(c), words.symbol(self.table(c), j)) for j in range(n)]
        thresholds, tables = self.divisions[c]
        stretches = len(words.states)
        starts = [k * (n // stretches) + min(k, n % stretches) for k in range(stretches + 1)]
        out, classes = [None] * n, [0] * stretches
        for turn in range(starts[1]):
            for k in range(stretches):
                at = starts[k] + turn
                if at < starts[k + 1]:
                    t = tables[classes[k]]
                    s = words.symbol(t, k)
                    out[at] = t, s
                    level = sum(threshold <= t.bins[s][0] for threshold in thresholds)
                    classes[k] = (classes[k] * (len(thresholds) + 1) + level) % len(tables)
        return out


def read_divisions(r):
    divisions, context = [], 0
    n = r.count(3)
    content(0 < n <= 64, "a number of divisions out of range")
    for i in range(n):
        step = r.uvarint()
        content(i == 0 or step > 0, "a context divided twice")
        context += step
        thresholds, last = [], 0
        head = r.byte()
        m, order = head & 15, (head >> 4) + 1
        content(0 < m < 5 and (m + 1) ** order <= 32, "a number of thresholds or an order out of range")
        for _ in range(m):
            step = r.uvarint()
            last += step
            content(step > 0 and last <= M64, "thresholds that do not rise")
            thresholds.append(last)
        divisions.append((context, thresholds, (m + 1) ** order))
    return divisions


class Words:
    """A stream of symbols. With four states, offsets follow on the words."""

    def __init__(self, r, states):
        self.r = r if states == 4 else Bytes(r.take(2 * r.count(2)))
        if states == 4:
            self.states = [self.r.fixed(2) << 16 | self.r.fixed(2) for _ in range(4)]
            content(all(x >= 1 << 16 for x in self.states), "a state out of range")
        else:
            self.states = [0]
            self.refill(0)
            content(self.states[0] > 0 or self.r.left() == 0, "a first word of 0")
            self.refill(0)

    def refill(self, k):
        if self.states[k] < 1 << 16 and self.r.left() > 0:
            self.states[k] = self.states[k] << 16 | self.r.fixed(2)

    def symbol(self, t, j):
        """The j-th symbol of a context, which has a table."""
        if len(t.bins) == 1:
            return 0
        k = j % len(self.states)
        x = self.states[k]
        slot = x & ((1 << t.log) - 1)
        s = t.symbols[slot]
        self.states[k] = (t.starts[s + 1] - t.starts[s]) * (x >> t.log) + slot - t.starts[s]
        self.refill(k)
        return s

    def end(self):
        """Ends one state."""
        self.r.end()
        content(self.states == [0], "a state that does not end as it must")

    def offsets(self, r):
        """Ends the states, and returns the offsets, of which r has what stands behind the words."""
        if len(self.states) == 1:
            self.end()
            return BitStream(r.rest())
        content(all(x >> 16 == 1 for x in self.states), "a state that does not end as it must")
        stored = r.rest()
        return BitStream(stored + b"".join(struct.pack("<H", x & 0xFFFF) for x in self.states), 0 if stored else 8)


def read_exceptions(r):
    exceptions, at = {}, -1
    for _ in range(r.count(2)):
        at += 1 + r.uvarint()
        exceptions[at] = r.uvarint()
    return exceptions


def value(t, s, stream, exceptions, i):
    begin, digits, _ = t.bins[s]
    v = begin + stream.bits(digits)
    content(s + 1 == len(t.bins) or v < t.bins[s + 1][0], "an offset that reaches the next bin")
    e = exceptions.pop(i, None)
    if e is None:
        return v
    content(s == t.heaviest and v == begin, "an exception in another bin's place")
    content(not any(b <= e < min(b + (1 << d), t.bins[j + 1][0] if j + 1 < len(t.bins) else 1 << 64)
                    for j, (b, d, _) in enumerate(t.bins)), "an exception that lies in a bin")
    return e


class Chain:
    """Values each of which has a context that the value before it tells."""

    def __init__(self, model, b):
        self.model, r = model, Bytes(b)
        self.exceptions = read_exceptions(r)
        self.words, self.i = Words(r, 1), 0
        self.offsets = BitStream(r.rest())

    def next(self, context):
        t = self.model.table(context)
        v = value(t, self.words.symbol(t, 0), self.offsets, self.exceptions, self.i)
        self.i += 1
        return v

    def end(self):
        self.words.end()
        self.offsets.end()
        content(not self.exceptions, "exceptions behind the end")


def read_model(r):
    contexts, tables, head = r.uvarint(), r.uvarint(), r.uvarint()
    bins, form = head >> 1, head & 1
    content(contexts <= 1 << 16 and tables <= min(contexts, 1 << 11) and tables <= bins <= 256 * tables, "a model out of range")
    content(dense(contexts + tables + 3 * bins) <= r.left(), "a model of more than its bytes can stand for")
    if form == 0:
        stream = BitStream(r.b[r.at:])
        number = lambda: read_number(stream)
        table_of = [number() for _ in range(contexts)]
        sizes = [number() for _ in range(tables)]
        digits = [number() for _ in range(bins)]
        gaps = [number() for _ in range(bins)]
        weights = [number() for _ in range(bins)]
        part = BitStream(r.take((stream.at + 7) // 8))
        part.at = stream.at
        part.end()
    else:
        code = read_model(r)
        first = code.decode(r.bytes(), [contexts, tables, bins] + [0] * 8)
        table_of, sizes, digits = first[:3]
        of = [0 if d == 0 else 1 if d < 4 else 2 if d < 8 else 3 for d in digits]
        counts = [sum(c == k for c in of) for k in range(4)]
        second = [iter(column) for column in code.decode(r.rest(), [0, 0, 0] + counts + counts)[3:]]
        gaps = [next(second[k]) for k in of]
        weights = [next(second[4 + k]) for k in of]
    content(sum(sizes) + tables == bins and all(s < 256 for s in sizes), "another number of bins")
    numbers, used = [], 0
    for v in table_of:
        content(v <= used, "a table that was not used before")
        numbers.append(v - 1 if v else used)
        used += v == 0
    content(used == tables, "a table that is not used")
    all_tables, at = [], 0
    for s in sizes:
        table, end = [], 0
        for i in range(at, at + s + 1):
            content(digits[i] <= 57, "too many offset bits")
            begin = end + unzigzag(gaps[i]) & M64
            table.append((begin, digits[i], weights[i]))
            end = begin + (1 << digits[i])
        check_bins(table)
        all_tables.append(Table(table))
        at += s + 1
    return Model(numbers, all_tables)


def read_number(stream):
    n = 0
    while stream.bits(1) == 0:
        n += 1
        content(n <= 64, "a number too long")
    return stream.bits(n - 1) | 1 << (n - 1) if n else 0


class Adaptive:
    """A stream of adaptive bits. Chances go on from stream to stream: they are the caller's."""

    def __init__(self, b, chances):
        self.b, self.at, self.chances = b, 4, chances
        self.code, self.size = int.from_bytes((b + bytes(4))[:4], "big"), (1 << 32) - 1

    def bit(self, chance):
        if chance is None:
            one = self.size >> 1
        else:
            p, m = self.chances.get(chance, (1 << 15, 0))
            one = (self.size >> 16) * p
        is_one = self.code < one
        if is_one:
            self.size = one
        else:
            self.size -= one
            self.code -= one
        if chance is not None:
            rate = 5 * 65536 // (5 * m + 9)
            p = p + ((65536 - p) * rate >> 16) if is_one else p - (p * rate >> 16)
            self.chances[chance] = (p, min(m + 1, 40))
        while self.size < 1 << 24:
            content(self.at < len(self.b) + 3, "a stream of bits ends early")
            self.size = self.size << 8 & 0xFFFFFFFF
            self.code = (self.code << 8 | (self.b[self.at] if self.at < len(self.b) else 0)) & 0xFFFFFFFF
            self.at += 1
        return is_one

    def number(self, name):
        n = 0
        while n < 64 and self.bit((name, "n", n)):
            n += 1
        v = min(n, 1)
        for i in range(n - 1):
            v = v << 1 | self.bit((name, n, v) if i < 4 else None)
        return v

    def signed(self, name):
        return unzigzag(self.number(name))

    def end(self, least):
        end = self.at - 3
        content(len(self.b) == max(end, least) and not any(self.b[end:]) and self.code < 1 << 24, "a stream of bits does not end as it must")


def refuse_unless(ok, kind, why):
    if not ok:
        raise Refused(kind, why)


def pass_extensions(r, least=0):
    """Passes over extensions, to the end. Returns them by tag."""
    before, found = -1, {}
    while r.left():
        tag = r.uvarint()
        found[tag] = r.bytes()
        content(before < tag < 1 << 32, "extensions out of order")
        refuse_unless(tag % 2 == 0, "feature", "an extension that must be understood")
        before = tag
        least -= 1
    content(least <= 0, "no extension")
    return found
