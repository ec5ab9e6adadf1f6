"""Sections 9.3, 10.5 and 10.6 of format.md: postings, summaries and bins."""

from bits import Bytes, M64, content, pass_extensions, read_model, signed, unzigzag
from items import Columns, strictly

PARTS = ((2, 4), (2, 2), (3, 3), (4, 8))  # words of keys, and sums
CALLS, MESSAGES, COLLECTIVES, METRICS = range(4)
SLOTS = 32  # lines times vectors for each byte


class Form:
    """Blocks of numbers, with or without a model."""

    def __init__(self, r):
        self.r, form = r, r.byte()
        content(form < 2, "an unknown form")
        self.model = None
        if form == 1:
            m = Bytes(r.bytes())
            self.model = read_model(m)
            m.end()

    def contexts(self, n):
        content(self.model is None or len(self.model.table_of) == n, "a model of other contexts")

    def block(self, sizes):
        if self.model is None:
            content(sum(sizes) <= self.r.left(), "numbers are missing")
            return Columns([[self.r.uvarint() for _ in range(n)] for n in sizes])
        content(len(sizes) <= len(self.model.table_of), "a model of other contexts")
        return Columns(self.model.decode(self.r.bytes(), sizes + [0] * (len(self.model.table_of) - len(sizes))))


def read_keys(q, lines, words):
    keys = []
    for _ in range(lines):
        key, same = [], bool(keys)
        for w in range(words):
            v = q.next(w)
            if same:
                v += keys[-1][w] + (w == words - 1)
                same = v == keys[-1][w]
            key.append(v)
        content(all(v <= M64 for v in key), "a key out of range")
        keys.append(tuple(key))
    content(strictly(keys), "keys out of order")
    return keys


class Table:
    """The vectors of a node, as lists of key and sums."""

    def __init__(self, part, b, children):
        r = Bytes(b)
        self.part, (self.words, self.fields) = part, PARTS[part]
        lines = r.uvarint()
        self.step, self.vectors = 1, [[] for _ in range(children)]
        if lines == 0:
            r.end()
            return
        self.step, self.n = r.uvarint(), r.uvarint()
        content(self.step > 0 and self.step & self.step - 1 == 0 and (self.step == 1 or self.step // 2 < children), "a step out of range")
        content(self.n == -(-children // self.step), "another number of vectors")
        content(lines * self.n <= SLOTS * len(b), "too many lines")
        form = Form(r)
        self.marked = part != METRICS
        self.base = self.words + self.marked
        q = form.block([lines] * self.base)
        self.keys = read_keys(q, lines, self.words)
        self.marks = [q.next(self.words) if self.marked else 0 for _ in range(lines)]
        self.classify()
        form.contexts(self.contexts)
        self.read_sums(form)
        r.end()
        self.vectors = [[list(key) + sums[v] for key, sums in zip(self.keys, self.sums) if any(sums[v])] for v in range(self.n)]
        content(all(any(any(s) for s in sums) for sums in self.sums), "a line without sums")

    def classify(self):
        about = [k[2:] if self.part == MESSAGES else k[1:] for k in self.keys]
        classes = {k: i for i, k in enumerate(sorted(set(about)))}
        if self.base + len(classes) * self.fields > 1 << 16:
            classes = dict.fromkeys(classes, 0)
        self.classes = [classes[k] for k in about]
        self.contexts = self.base + (max(self.classes) + 1) * self.fields

    def context(self, line, field):
        return self.base + self.classes[line] * self.fields + field

    def has(self, line, field, number):
        """Whether there is a value for a field in a vector with a number."""
        if self.part != CALLS or field == 1:
            return number > 0
        return self.marks[line] & 1 > 0 and number > 0 if field == 2 else self.marks[line] & 2 > 0

    def read_sums(self, form):
        content(all(m < 4 if self.part == CALLS else m == 0 for m in self.marks), "an unknown mark")
        lines, sizes = range(len(self.keys)), [0] * self.contexts
        for line in lines:
            sizes[self.context(line, 0)] += self.n
        q = form.block(sizes)
        self.sums = [[[q.next(self.context(line, 0))] + [0] * (self.fields - 1) for _ in range(self.n)] for line in lines]
        sizes = [0] * self.contexts
        for line in lines:
            for s in self.sums[line]:
                for field in range(1, self.fields):
                    sizes[self.context(line, field)] += self.has(line, field, s[0])
        q = form.block(sizes)
        for line in lines:
            (self.durations if self.part == CALLS else self.samples if self.part == METRICS else self.rates)(line, q)
        if self.part == CALLS:
            self.below(q)
            for line, sums in enumerate(self.sums):
                content(self.marks[line] == any(s[2] for s in sums) + 2 * any(s[3] for s in sums), "a mark that the sums do not have")
        content(self.part == METRICS or all(sum(s[f] for s in sums) < 1 << 63 for sums in self.sums for f in range(self.fields)), "sums too large")

    def durations(self, line, q):
        for field in 1, 2:
            for s in self.sums[line]:
                if self.has(line, field, s[0]):
                    s[field] = q.next(self.context(line, field))

    def below(self, q):
        first = 0
        while first < len(self.keys):
            lines = [line for line in range(first, len(self.keys)) if self.keys[line][0] == self.keys[first][0]]
            marked = [line for line in lines if self.marks[line] & 2]
            for line in marked:
                for v, s in enumerate(self.sums[line]):
                    own = s[1]
                    if line == marked[-1]:
                        own = sum(self.sums[other][v][1] - self.sums[other][v][3] for other in lines)
                    s[3] = own - q.signed(self.context(line, 3)) & M64
            first += len(lines)

    def rates(self, line, q):
        for field in range(1, self.fields):
            each = 0
            for s in self.sums[line]:
                if s[0]:
                    s[field] = s[0] * each + q.signed(self.context(line, field)) & M64
                    each = s[field] // s[0]

    def samples(self, line, q):
        """number, first time, last time, last value, least, greatest, lower and upper half of the integral."""
        content(self.keys[line][3] < 256, "an unknown type")
        typ, last, value = self.keys[line][3], 0, 0
        latest = None
        for s in self.sums[line]:
            if s[0] == 0:
                continue
            code = [q.next(self.context(line, field)) for field in range(1, 8)]
            s[1] = last + unzigzag(code[0])
            s[2] = s[1] + code[1]
            content(s[0] < 1 << 63 and -(1 << 63) <= s[1] <= s[2] < 1 << 63 and (latest is None or latest <= s[1]), "samples out of order")
            s[3] = value + unzigzag(code[2]) & M64
            s[4] = s[3] - unzigzag(code[3]) & M64
            s[5] = s[3] + unzigzag(code[4]) & M64
            s[6:] = code[5:]
            if typ in FLOATS:
                content(code[6] == 0, "the integral of a float out of range")
            else:
                least = signed(s[4]) if typ in SIGNED else s[4]
                whole = code[5] + (code[6] << 64) + least * (s[2] - s[1])
                s[6:] = [whole & M64, whole >> 64 & M64]
            last = latest = s[2]
            value = s[3]


SIGNED, FLOATS = (5, 6, 7, 8), (9, 10)  # types of values


def read_summary(b, fanout, slices):
    """level, node, lane, and for each part its table or None."""
    r = Bytes(b)
    level, node, lane = r.uvarint(), r.uvarint(), r.uvarint()
    content(0 < level < 64, "a level out of range")
    width = fanout ** (level - 1)
    n = min((node + 1) * width * fanout, slices) - node * width * fanout
    content(n > 0, "a node that there is not")
    tables = []
    for part in range(4):
        table = r.bytes()
        tables.append(Table(part, table, -(-n // width)) if table else None)
    pass_extensions(r)
    return level, node, lane, tables


class Bins:
    def __init__(self, b):
        r = Bytes(b)
        self.level, self.node, self.lane, self.start = r.uvarint(), r.uvarint(), r.uvarint(), r.varint()
        self.end, self.shift = self.start + r.uvarint(), r.uvarint()
        lines = r.uvarint()
        content(0 < self.level < 64 and self.start < self.end and self.shift <= 62 and (self.end - self.start) >> self.shift < 4096, "cells out of range")
        first = self.start >> self.shift
        borders = [max(self.start, c << self.shift) for c in range(first, -(-self.end >> self.shift))] + [self.end]
        self.cells = [z - a for a, z in zip(borders, borders[1:])]
        content(lines * len(self.cells) <= SLOTS * len(b), "too many lines")
        form = Form(r)
        q = form.block([lines] * 3)
        self.keys = read_keys(q, lines, 2)
        marks = [q.next(2) for _ in range(lines)]
        self.classify()
        form.contexts(self.contexts)
        sizes = form.block([0, 0, 0, self.contexts - 4])
        sizes = [sizes.next(3) for _ in range(self.contexts - 4)]
        content(sum(sizes) <= lines * len(self.cells), "more values than cells")
        left = [0] * 4 + sizes
        q = form.block(left)

        def take(context, room):
            content(left[context] > 0, "values are missing")
            left[context] -= 1
            v = q.next(context)
            content(v <= room or v == 1, "more than is left")
            return room if v == 1 else max(v - 1, 0)

        self.ticks, at = [], 0
        while at < lines:
            n = sum(k[0] == self.keys[at][0] for k in self.keys)
            self.location(at, marks[at:at + n], take)
            at += n
        content(not any(left), "values are left")
        r.end()
        content(all(map(any, self.ticks)), "a line without time")

    def classify(self):
        regions = {k: i for i, k in enumerate(sorted({k[1] for k in self.keys}))}
        if 5 + 3 * len(regions) > 1 << 16:
            regions = dict.fromkeys(regions, 0)
        self.classes = [regions[k[1]] for k in self.keys]
        self.contexts = 5 + 3 * (max(self.classes, default=0) + 1)

    def location(self, first, marks, take):
        content(sorted(marks) == [0] * (len(marks) - 1) + [1], "not one line with the mark")
        left, rows = list(self.cells), []
        for line, mark in enumerate(marks):
            row, state = [0] * len(left), 0
            rows.append(row)
            if mark:
                continue
            for i, room in enumerate(left):
                if room == 0:
                    state = 0
                    continue
                row[i] = take(5 + 3 * self.classes[first + line] + state, room)
                left[i] -= row[i]
                state = 0 if row[i] == 0 else 1 if left[i] else 2
        most = marks.index(1)
        for i, room in enumerate(left):
            if room:
                rows[most][i] = room - take(4, room)
        sums = [sum(row) for row in rows]
        content(sums.index(max(sums)) == most, "another line has most")
        self.ticks += rows


def read_postings(b, slices):
    """The first slice, the first lane, and lists of what, id, and slices less the first one."""
    r = Bytes(b)
    first, lane, lists = r.uvarint(), r.uvarint(), []
    for _ in range(r.count(3)):
        what, name, packed = r.byte(), r.uvarint(), r.bytes()
        numbers = read_bitmap(Bytes(packed)) if what < 4 else None
        content(numbers is None or numbers and numbers[-1] < slices, "a list out of range")
        lists.append([what, name, numbers])
    r.end()
    content(strictly([x[:2] for x in lists]), "lists out of order")
    return first, lane, [x for x in lists if x[0] < 4]


def read_bitmap(r):
    head = r.fixed(4)
    if head & 0xFFFF == 12347:
        n = (head >> 16) + 1
        is_run = int.from_bytes(r.take((n + 7) // 8), "little")
        content(0 < is_run < 1 << n, "a bitmap with another head")
    else:
        content(head == 12346, "no bitmap")
        n, is_run = r.fixed(4), 0
        content(4 * n <= r.left(), "a bitmap with another head")
    heads = [(r.fixed(2), r.fixed(2) + 1) for _ in range(n)]
    content(strictly([key for key, _ in heads]), "parts of a bitmap out of order")
    offsets = [r.fixed(4) for _ in range(n)] if not is_run or n >= 4 else None
    numbers = []
    for i, (key, size) in enumerate(heads):
        content(offsets is None or offsets[i] == r.at, "another offset")
        part = read_container(r, size, is_run >> i & 1)
        content(len(part) == size and strictly(part) and part[-1] < 1 << 16, "a bad part of a bitmap")
        numbers += [key << 16 | v for v in part]
    r.end()
    return numbers


def read_container(r, size, is_run):
    if is_run:
        runs = [(r.fixed(2), r.fixed(2)) for _ in range(r.fixed(2))]
        content(all(a + n + 1 < b for (a, n), (b, _) in zip(runs, runs[1:])), "runs that touch")
        part = [v for a, n in runs for v in range(a, a + n + 1)]
    elif size > 4096:
        bits = int.from_bytes(r.take(8192), "little")
        part = [v for v in range(1 << 16) if bits >> v & 1]
    else:
        part = [r.fixed(2) for _ in range(size)]
    count = sum(b != a + 1 for a, b in zip([-2] + part, part))
    content(is_run == (2 + 4 * count < min(8224, 2 * size)), "a part of a bitmap that is not in the smallest form")
    return part
