"""Section 7 of format.md: models and slices."""

import struct

import lattice
from bits import Bytes, Chain, M64, content, dense, read_divisions, read_model, signed, unzigzag
from texts import text_head, text_of


def group_head(r):
    return r.uvarint(), r.uvarint(), r.uvarint(), r.uvarint()


class Prediction:
    def __init__(self, r, column):
        flags = r.byte()
        content(0 < flags < 128, "a prediction that says nothing")
        self.source, self.unsigned = flags & 3, flags & 32 > 0
        self.memory, self.rate, self.other = column, 0, None
        if self.source >= 2:
            self.rate = r.varint()
        if self.source == 3 or flags & 4:
            self.other = column - r.uvarint()
        if flags & 4:
            content(self.source == 0, "a memory that cannot be shared")
            self.memory = self.other
        self.unit = r.uvarint() + 2 if flags & 8 else 0
        self.divisor = r.uvarint() + 1 if flags & 16 else 0
        self.period = r.uvarint() + 2 * lattice.UNIT if flags & 64 else 0
        content(self.unit <= (1 << 62) + 1 and self.divisor < 1 << 52 and self.period <= 1 << 60, "a prediction out of range")
        content(not self.period or not flags & 60 and self.source != 1, "a period of what is on no lattice")


class Statistics:
    """The rest of a model block, behind its head."""

    def __init__(self, r):
        pairs, column, following = [], 0, 0
        head = r.uvarint()
        content(head >> 1 <= r.left() // 2, "a count that cannot be true")
        for _ in range(head >> 1):
            step = r.uvarint()
            if step:
                column, following = column + step, 0
            before = following + r.uvarint()
            following = before + 1
            pairs.append((column, before))
        divisions = read_divisions(r) if head & 1 else []
        self.periods, location, period = {}, 0, 0
        for _ in range(r.count(2)):
            location += r.uvarint()
            period += r.varint()
            content(1 << 40 < period <= 1 << 60, "a period out of range")
            self.periods[location] = period
            location += 1
        self.predictions, column = {}, 0
        for _ in range(r.count(2)):
            column += r.uvarint()
            content(column not in self.predictions and column < 65533, "a column predicted twice")
            self.predictions[column] = Prediction(r, column)
        self.successors, shape = {}, 0
        for i in range(r.count()):
            shape += r.uvarint()
            self.successors[shape] = 2 + i
            shape += 1
        structure, roster = Bytes(r.bytes()), Bytes(r.bytes())
        self.structure = read_model(structure)
        structure.end()
        self.contexts = 2 + len(self.successors)
        content(len(self.structure.table_of) == 2 * self.contexts + 10, "a structure model of other contexts")
        self.read_roster(roster)
        form, size, texts = text_head(r.bytes())
        content(form < 2 and size <= 65536, "a dictionary of texts out of range")
        self.dictionary = form, size, texts
        self.values = read_model(r)
        r.end()
        self.columns = self.values.divide(divisions) - len(pairs)
        content(self.columns > 0, "a value model without columns")
        self.pairs = {pair: self.columns + i for i, pair in enumerate(pairs)}

    def texts(self):
        """The dictionary of texts. It is unpacked when a text needs it."""
        return text_of(*self.dictionary, b"")

    def head(self, b, sizes):
        counts = [0] * (2 * self.contexts) + [sizes.get(c, 0) for c in range(10)]
        return self.structure.decode(b, counts)[2 * self.contexts:]

    def read_roster(self, r):
        self.first, slices, shares = r.uvarint(), r.uvarint(), r.uvarint()
        least = dense(slices + shares)
        content(slices < 1 << 17 and least <= len(r.b), "a roster out of range")
        columns = self.head(r.bytes(), {6: slices, 7: shares, 8: shares})
        content(sum(columns[6]) == shares, "another number of shares")
        self.slices, self.ids, ordinals, at, name = [], {}, {}, 0, 0
        for n in columns[6]:
            runs, location = [], 0
            for gap, events in zip(columns[7][at:at + n], columns[8][at:at + n]):
                location += gap
                if location not in ordinals:
                    ordinals[location] = r.uvarint()
                    if ordinals[location] == 0:
                        name = name + r.varint() & M64
                        self.ids[location] = name
                runs.append((location, ordinals[location], events + 1))
                ordinals[location] += events + 1
                content(ordinals[location] <= M64, "ordinals out of range")
                location += 1
            self.slices.append(runs)
            at += n
        content(self.slices and self.slices[0] and self.slices[-1], "a roster that begins or ends without shares")
        r.end_filled(least)


class Run:
    def __init__(self, share):
        self.location, self.first, self.count = share
        self.phases, self.leaves = [], []


def read_slice(b, dictionary, statistics):
    """A slice: number, lane, epoch, start, end, and its runs with location, first ordinal and events."""
    r = Bytes(b)
    number, lane, epoch, start = r.uvarint(), r.uvarint(), r.uvarint(), r.varint()
    end, head = start + r.uvarint(), text_head(r.bytes())
    content(end - start < (1 << 62) + 2, "a slice out of range")
    at = number - statistics.first
    content(0 <= at < len(statistics.slices) and statistics.slices[at], "a slice that the roster does not have")
    runs = [Run(share) for share in statistics.slices[at]]
    structure = Structure(statistics, r.bytes())
    read_tokens(runs, read_runs(runs, structure), dictionary, statistics, structure)
    read_heads(runs, structure)
    structure.chain.end()
    text = Bytes(text_of(*head, statistics.texts() if head[0] == 2 else b""))
    values = decode_values(runs, dictionary, statistics, r)
    for run in runs:
        run.times = times(run, start, end, statistics, values)
    memory = Memories(statistics)
    for i, run in enumerate(runs):
        run.events = events(run, i, values, memory, dictionary, text)
    text.end()
    return number, lane, epoch, start, end, runs


def read_marks(b):
    """Marks of ends of a lane in a group: group, lane, and by slice the stretches of marked ends: first, number, what they say."""
    r = Bytes(b)
    group, lane, number, slices, marks = (r.uvarint() for _ in range(5))
    least = dense(slices + marks)
    content(0 < slices <= marks and slices < 1 << 16 and least <= len(b), "marks that their bytes cannot stand for")
    model = Bytes(r.bytes())
    coded = read_model(model)
    model.end()
    steps, counts, firsts, gaps, ends, said = coded.decode(r.bytes(), [slices - 1, slices, slices, marks - slices, marks, marks])
    content(sum(counts) + slices == marks and max(said) < M64 >> 32, "marks out of range")
    of, gaps, ends, said = {}, iter(gaps), iter(ends), iter(said)
    for i, end in enumerate(firsts):
        number += steps[i - 1] + 1 if i else 0
        of[number], before = [], None
        for j in range(counts[i] + 1):
            gap = next(gaps) if j else 0
            end, n, mark = end + gap, next(ends) + 1, next(said)
            content(end + n <= 1 << 18, "marks of more ends than there can be")
            content(j == 0 or gap or mark != before, "marks that are one")
            of[number].append((end, n, mark))
            end, before = end + n, mark
    r.end_filled(least)
    return group, lane, of


class Structure:
    """The chain of structure. column reads n values of a context behind those of tokens."""

    def __init__(self, statistics, b):
        self.chain, self.first = Chain(statistics.structure, b), 2 * statistics.contexts

    def column(self, context, n):
        return [self.chain.next(self.first + context) for _ in range(n)]


def read_runs(runs, structure):
    n = len(runs)
    columns = [structure.column(c, n) for c in range(3)]
    for run, tokens, phases, residuals in zip(runs, *columns):
        content(tokens <= run.count and phases <= run.count and residuals <= run.count, "more tokens, phases or residuals than events")
        run.phases, run.lattice, run.residuals = [0] * phases, phases > 0, [0] * residuals
    return columns[0]


def read_heads(runs, structure):
    phases = sum(len(run.phases) for run in runs)
    counts = iter(structure.column(3, phases - sum(run.lattice for run in runs)))
    shifts, halves = iter(structure.column(4, phases)), iter(structure.column(5, phases))
    for run in runs:
        left = run.count
        for j in range(len(run.phases)):
            last = j + 1 == len(run.phases)
            n = left if last else next(counts) + 1
            shift, half = next(shifts), next(halves)
            content(n > 0 and (last or n < left) and shift <= 40 and (half & 1 or shift == 40) and half << shift < 1 << 63, "a bad phase")
            run.phases[j] = n, half << shift
            left -= n
    gaps = iter(structure.column(9, sum(len(run.residuals) for run in runs)))
    for run in runs:
        at = -1
        for j in range(len(run.residuals)):
            at += 1 + next(gaps)
            content(at < run.count, "a residual of an event that is not there")
            run.residuals[j] = at


def read_tokens(runs, tokens, dictionary, statistics, structure):
    next_value, events_of = structure.chain.next, dictionary.sizes()
    for run, n in zip(runs, tokens):
        context, edges = 1, []
        for _ in range(n):
            shape = next_value(context)
            content(shape < len(dictionary.shapes), "a token of no shape")
            context = statistics.successors.get(shape, 0)
            edges.append((shape, next_value(statistics.contexts + context) + 1))
        content(sum(dictionary.events(events_of, e) for e in edges) == run.count, "another number of events than the roster has")
        for shape, count in edges:
            dictionary.expand(shape, count, run.leaves)


def check_predictions(predictions, dictionary):
    for column, p in predictions.items():
        content(column in dictionary.predicted, "a prediction of a column that has none")
        if p.other is not None:
            group, other = dictionary.group(column), dictionary.group(p.other)
            content(p.other in dictionary.predicted - {0}, "a prediction from a column that has none")
            content(other <= group and (p.source == 3 or other == group), "a prediction from a later group")
            clock = predictions.get(p.other)
            content(p.source != 3 or not clock or clock.memory == p.other, "a clock without a memory of its own")
        host = predictions.get(p.memory)
        content(p.memory == column or not host or host.source == 0 and host.memory == p.memory and not host.period,
                "a memory that is not shared")


def decode_values(runs, dictionary, statistics, r):
    """The values by context, as iterators; and of each run the contexts of its times."""
    sizes = [0] * len(statistics.values.table_of)
    content(dictionary.next_column >= statistics.columns, "a model of more columns than the dictionary has")
    check_predictions(statistics.predictions, dictionary)

    def context(column, before):
        c = statistics.pairs.get((column, before), column)
        content(c == statistics.pairs.get((column, before)) or column < statistics.columns, "a column that the model does not have")
        sizes[c] += 1
        return c

    for run in runs:
        run.contexts, before = [], 0
        for leaf in run.leaves:
            contexts = [context(leaf.time + run.lattice, before)]
            contexts += [context(column, before) for _, _, column in leaf.slots]
            run.contexts.append(contexts)
            before = leaf.number
        sizes[0] += len(run.residuals)
    columns = {context: column for (column, _), context in statistics.pairs.items()}
    lengths, values = [r.uvarint(), r.uvarint(), r.uvarint()], {}
    for group, b in enumerate([r.take(n) for n in lengths] + [r.rest()]):
        of = [n if dictionary.group(columns.get(c, c)) == group else 0 for c, n in enumerate(sizes)]
        if not any(of):
            content(len(b) == 0, "bytes of no values")
            continue
        for c, column in enumerate(statistics.values.decode(b, of)):
            if of[c]:
                values[c] = iter(column)
    return values


def times(run, start, end, statistics, values):
    out, t, k, i = [], start, 0, 0
    if run.lattice:
        period = statistics.periods.get(run.location)
        content(period is not None, "a lattice without a period")
    for n, phase in run.phases or [(run.count, 0)]:
        for _ in range(n):
            v = next(values[run.contexts[i][0]])
            if run.lattice:
                k += v
                new = start + (k * period + phase >> 40)
            else:
                new = t + v
            content(t <= new < end, "an event outside of its slice, or before the one before")
            t = new
            out.append(t)
            i += 1
    return out


class Memory:
    def __init__(self):
        self.value = self.clock = self.first_value = self.first_clock = 0
        self.run, self.phase = None, lattice.ANY


class Memories:
    def __init__(self, statistics):
        self.predictions, self.memories = statistics.predictions, {}

    def of(self, column):
        p = self.predictions.get(column)
        return self.memories.setdefault(p.memory if p else column, Memory())

    def value(self, column, code, run, t):
        """The value of a code."""
        p = self.predictions.get(column)
        m = self.of(column)
        if m.run != run:
            m.value, m.clock = m.first_value, m.first_clock
        source = p.source if p else 0
        clock = 0 if source < 2 else t & M64 if source == 2 else self.of(p.other).value
        if p and p.period:
            return self.on_lattice(p, m, code, run, clock)
        expected = m.value if source != 1 else 0
        if source >= 2 and m.run is not None:
            growth = signed(clock - m.clock & M64) * p.rate >> 32
            if p.unit:
                growth += p.unit // 2
                growth -= growth % p.unit
            expected += growth
        v = expected + departure(p, code) & M64
        m.value, m.clock = v, clock
        if m.run != run:
            m.first_value, m.first_clock, m.run = v, clock, run
        if not p or not p.divisor:
            return v
        n = signed(v)
        content(-(1 << 51) < n < 1 << 51, "a double out of range")
        return struct.unpack("<Q", struct.pack("<d", n / p.divisor))[0]

    @staticmethod
    def on_lattice(p, m, code, run, clock):
        begins = m.run != run
        if begins:
            m.phase = lattice.ANY
        v, m.phase = lattice.value(p, m, code, clock)
        m.value, m.clock = v, clock
        if begins:
            m.first_value, m.first_clock, m.run, m.phase = v, clock, run, lattice.ANY
        return v


def departure(p, code):
    if not p or not p.unit:
        return code if p and p.unsigned else unzigzag(code)
    if code >> 63:
        d = unzigzag(M64 - code)
        content(d % p.unit or p.unsigned and d < 0 or not -(1 << 63) <= d < 1 << 63, "a departure that has another code")
        return d
    d = (code if p.unsigned else unzigzag(code)) * p.unit
    content(-(1 << 63) <= d < 1 << 63, "a departure that does not fit")
    return d


def events(run, number, values, memory, dictionary, text):
    out = []
    for i, leaf in enumerate(run.leaves):
        words, attributes, texts, t = list(leaf.words), [a + (0,) for a in leaf.attributes], [], run.times[i]
        if leaf.relative:
            entry = dictionary.ranks.get((run.location, words[1]))
            content(entry is not None, "a relative rank without an own one")
            rank, size = entry
            distance = unzigzag(words[0])
            content(-size < 2 * distance <= size, "a distance that does not fit")
            words[0] = (rank + distance) % size
        for (place, mode, column), context in zip(leaf.slots, run.contexts[i][1:]):
            v = next(values[context])
            if mode == "text":
                texts.append(text.take(v))
                v = 0
            elif mode == "time":
                v = t + unzigzag(v) & M64
            else:
                v = memory.value(column, v, number, t)
            if place < len(words):
                words[place] = v
            else:
                a = place - len(words)
                attributes[a] = attributes[a][:2] + (v,)
        out.append([leaf.kind, t, 0, words, [list(a) for a in attributes], [x.hex() for x in texts]])
    for at in run.residuals:
        e = out[at]
        e[2] = signed(memory.value(0, next(values[0]), number, e[1]))
    return out
