"""Sections 10.1 to 10.4 of format.md: spanning calls, spanning messages, and unmatched ends."""

from bits import Bytes, M64, checksum, content, dense, read_model, signed, unzigzag
from definitions import numbers

MOST = 1 << 20  # items of a block


class Columns:
    """Values of contexts, taken one by one."""

    def __init__(self, columns):
        self.columns = [iter(c) for c in columns]

    def next(self, context):
        return next(self.columns[context])

    def signed(self, context):
        return unzigzag(self.next(context))


class Block:
    """What blocks of calls and of messages have in common; both have three counts."""

    def __init__(self, b, fanout, sizes, grouped):
        r = Bytes(b)
        self.fanout, head = fanout, r.uvarint()
        self.level, self.node, self.lane, self.period = r.uvarint(), r.uvarint(), r.uvarint(), r.uvarint()
        content(self.level > 0 and (self.period == 0 or 1 << 40 < self.period <= 1 << 60), "a head out of range")
        self.counts = [r.uvarint() for _ in range(3)]
        content(all(n <= min(MOST, 8 * len(b)) for n in self.counts), "too many items")
        self.read_parts(r, min(MOST, 8 * len(b)), grouped)
        model = Bytes(r.bytes())
        self.model = read_model(model)
        model.end()
        self.structure = Columns(self.values(r.bytes(), sizes(*self.counts)))
        if len(self.parts) > 1:
            content(checksum(b[:len(b) - r.left()]) == r.fixed(4), "the head has another checksum")
        content(head == len(b) - r.left(), "a head of another length")
        self.grouped, self.rest = grouped, r

    def read_parts(self, r, most, grouped):
        """Reads the list of parts: first cell, entries, items, length and checksum of each."""
        self.parts, cell, several = [], 0, r.uvarint()
        content(several <= most, "too many parts")
        for _ in range(several):
            step, entries = r.uvarint(), r.uvarint()
            items = entries + (r.uvarint() if grouped else 0)
            cell += step
            content(step > 0 and entries > 0 and cell < self.fanout + (1 << 20), "a part out of range")
            self.parts.append((cell, entries, items, r.uvarint(), r.fixed(4) if several > 1 else None))
        content(sum(p[2] for p in self.parts) <= most, "too many items")

    def values(self, b, sizes):
        content(len(sizes) <= len(self.model.table_of), "a model of other contexts")
        return self.model.decode(b, sizes + [0] * (len(self.model.table_of) - len(sizes)))

    def bounds(self, cell):
        """The slices that a cell has, from low on and before high, its middle, and whether it is of far items that cross that."""
        child, node = self.fanout ** (self.level - 1), self.node * self.fanout
        if 0 < cell < self.fanout:
            m = (node + cell) * child
            return m - 1, m, m + 1, False
        place = cell - self.fanout
        content(0 < place < 1 << 20, "a cell that there is not")
        low, high = 0, self.fanout
        for digit in bin(place)[3:]:
            content(high - low > 1, "a cell that there is not")
            low, high = ((low + high) // 2, high) if digit == "1" else (low, (low + high) // 2)
        return (node + low) * child, (node + (low + high) // 2) * child, (node + high) * child, high - low > 1

    def middle(self, cell):
        return self.bounds(cell)[1]

    def check_cell(self, cell, *slices):
        low, m, high, far = self.bounds(cell)
        first, last = sorted(slices)
        content(low <= first and last < high, "an item in a cell that it does not lie in")
        content(low == m or first < m <= last, "an item that is not in its smallest place")
        content(not far or last != first + 1, "a near item among far ones")

    def ticks(self, d):
        if not self.period:
            return d
        d = signed(d)
        k = ((abs(d) << 40) + self.period // 2) // self.period
        return (k if d >= 0 else -k) & M64

    def time(self, k, columns):
        """The time of k ticks, with its remainder."""
        if not self.period:
            return k
        k = signed(k & M64)
        d = abs(k) * self.period + (1 << 39) >> 40
        d = (d if k >= 0 else -d) + columns.signed(13) & M64
        content(self.ticks(d) == k & M64, "a remainder that makes another number of ticks")
        return d

    def split(self, structure, read, sizes):
        """Yields for each part its entries and their values. What read(columns, n) makes of the structure is n entries, of a cell and items each."""
        for i, (cell, n, items, length, told) in enumerate(self.parts):
            b = self.rest.take(length)
            content(told in (None, checksum(b)), "a part has another checksum")
            r, end = Bytes(b), self.parts[i + 1][0] if i + 1 < len(self.parts) else self.fanout + (1 << 20)
            entries = read(Columns(self.values(r.bytes(), structure(n))), n)
            cells = [e.cell for e in entries]
            content(cells == sorted(cells) and cells[0] == cell and cells[-1] < end, "a part of other cells")
            content(sum(e.items for e in entries) == items, "a part of another number of items")
            for c in set(cells):
                self.bounds(c)
            yield entries, Columns(self.values(r.take(r.left()), sizes(entries)))
        least = dense(sum(self.counts) + sum(p[2] + (p[1] if self.grouped else 0) for p in self.parts))
        content(least <= len(self.rest.b), "more things than the bytes of a block can stand for")
        self.rest.end_filled(least)


class Item:
    """A call or message: what the file says of it."""


class Run:
    def __init__(self, cell, location, stack, chain):
        self.cell, self.location, self.stack, self.chain, self.items = cell, location, stack, chain, len(chain)


def strictly(numbers):
    return all(a < b for a, b in zip(numbers, numbers[1:]))


class Calls(Block):
    def __init__(self, b, fanout):
        super().__init__(b, fanout, lambda regions, contexts, stacks: [regions + contexts] + [stacks] * 3, True)
        self.read_structure(*self.counts)
        self.number_contexts()

    def read_structure(self, regions, contexts, stacks):
        q, self.keys = self.structure, []
        for what, n in enumerate((regions, contexts)):
            following = 0
            for _ in range(n):
                self.keys.append((what, following + q.next(0)))
                following = self.keys[-1][1] + 1
        content(all(k <= M64 for _, k in self.keys), "a key out of range")
        self.stacks, self.chains, self.own = [(0, -1, 0)], [[]], [False]
        for i in range(1, stacks + 1):
            outer, key, what = self.stacks[-1][0] + q.next(1), q.next(2), q.next(3)
            if outer == self.stacks[-1][0] and i > 1:
                key += self.stacks[-1][1]
            content(outer < i and key < len(self.keys) and what < 512, "a stack out of range")
            self.stacks.append((outer, key, what // 2))
            self.own.append(what % 2 == 1)
            self.chains.append([(key, what // 2)] + self.chains[outer])
        content(strictly(self.stacks[1:]), "stacks out of order")
        outer = {s[0] for s in self.stacks[1:]}
        content(all(own or i in outer for i, own in enumerate(self.own) if i > 0), "a stack that no call has")
        content({k for _, k, _ in self.stacks[1:]} == set(range(len(self.keys))), "a key that no call has")

    def read_runs(self, q, n):
        runs = []
        for _ in range(n):
            before = runs[-1] if runs else None
            cell, location, stack = q.next(4) + (before.cell if before else 0), q.next(5), q.next(6) + 1
            if before and cell == before.cell:
                location += before.location + 1
            content(location < 1 << 32 and stack < len(self.stacks) and self.own[stack], "a run out of range")
            runs.append(Run(cell, location, stack, self.chains[stack]))
        return runs

    def number_contexts(self):
        """Each field has a context for each key that calls of its class have: the innermost ones, the others, all."""
        innermost = {min(chain[0][0], 4095) for chain, own in zip(self.chains, self.own) if own}
        others = {min(k, 4095) for chain in self.chains for k, _ in chain[1:]}
        self.fields, self.contexts = [], 14
        for keys in [innermost] * 3 + [others] * 4 + [innermost | others] * 2:
            self.fields.append({k: self.contexts + i for i, k in enumerate(sorted(keys))})
            self.contexts += len(keys)
        content(len(self.model.table_of) == self.contexts, "a model of other contexts")

    def context(self, field, key):
        return self.fields[field][min(key, 4095)]

    def sizes(self, runs):
        n, cell = [0] * self.contexts, 0
        for r in runs:
            n[7] += r.cell != cell
            cell = r.cell
            for i, (key, _) in enumerate(r.chain):
                for c in (8, 9, 10) if i == 0 else (11, 12):
                    n[c] += 1
                for field in (0, 1, 2, 7, 8) if i == 0 else (3, 4, 5, 6, 7, 8):
                    n[self.context(field, key)] += 1
                n[13] += (2 if i else 1) if self.period else 0
        return n

    def all(self):
        calls, used = [], set()
        for runs, q in self.split(lambda n: [0] * 4 + [n] * 3, self.read_runs, self.sizes):
            base = ordinal = cell = 0
            latest = None
            for r in runs:
                used.add(r.stack)
                if r.cell != cell:
                    content(latest in (None, base), "a base that is not the latest start")
                    base, latest, cell = base + q.signed(7), None, r.cell
                run = self.run(r, q, base, ordinal)
                ordinal, start = run[0].ordinal, signed(run[0].start)
                latest = start if latest is None else max(latest, start)
                calls += reversed(run)
            content(latest == base, "a base that is not the latest start")
        content(used == {i for i, own in enumerate(self.own) if own}, "a stack that no run has")
        return calls

    def run(self, r, q, base, ordinal):
        run, middle = [], self.middle(r.cell)
        for key, flags in r.chain:
            c, inside = Item(), run[-1] if run else None
            c.location, c.what, c.flags = r.location, self.keys[key], flags
            field = lambda f: q.next(self.context(f, key))
            if inside is None:
                c.ordinal = ordinal + q.signed(8) & M64
                c.slices = middle - 1 - q.signed(9), middle + q.signed(10)
                before = field(0)
                c.start = base - before & M64
                c.end = c.start + self.time(field(1) + self.ticks(before), q) & M64
                c.last = c.ordinal + field(2) & M64
            else:
                c.slices = inside.slices[0] - q.next(11), inside.slices[1] + q.next(12)
                c.start = inside.start - self.time(field(3), q) & M64
                c.end = inside.end + self.time(field(4), q) & M64
                c.ordinal, c.last = inside.ordinal - field(5) & M64, inside.last + field(6) & M64
                content(c.ordinal < inside.ordinal, "calls out of order")
            self.check_cell(r.cell, *c.slices)
            c.children, rest = field(7), field(8)
            c.exclusive = rest
            if c.children == 0:
                c.exclusive = c.end - c.start - rest & M64
            elif c.children == 1 and inside is not None:
                c.exclusive = (c.end - c.start) - (inside.end - inside.start) - rest & M64
            run.append(c)
        return run

class Message:
    items = 1

    def __init__(self, cell, receiver, sender, envelope):
        self.cell, self.receiver, self.sender, self.envelope = cell, receiver, sender, envelope


class Messages(Block):
    """Messages, or pairs of events, which are laid out alike."""

    def __init__(self, b, fanout, pairs=False):
        self.pairs = pairs
        super().__init__(b, fanout, lambda receivers, roster, envelopes: [receivers, roster] + [envelopes] * 4, False)
        content(len(self.model.table_of) == 24, "a model of other contexts")
        self.read_structure(*self.counts)

    def read_structure(self, receivers, roster, envelopes):
        q = self.structure
        self.receivers, self.roster = self.ascending(receivers, 0), self.ascending(roster, 1)
        self.envelopes, before = [], (None,) * 4
        for _ in range(envelopes):
            communicator, tag, sent = q.next(2) + (before[0] or 0), q.next(3), q.next(4)
            if communicator == before[0]:
                tag += before[1]
                if tag == before[1]:
                    sent += before[2]
            before = communicator, tag, sent, sent + q.signed(5) & M64
            content(all(0 <= v <= M64 for v in before), "an envelope out of range")
            self.envelopes.append(before)
        content(strictly(self.envelopes), "envelopes out of order")

    def read_entries(self, q, n):
        messages, before = [], Message(0, 0, 0, 0)
        for _ in range(n):
            m = Message(before.cell + q.next(6), q.next(7), q.signed(8), q.next(9))
            if m.cell == before.cell:
                m.receiver += before.receiver
            m.sender += m.receiver
            content(0 <= m.sender < len(self.roster) and m.receiver < len(self.roster) and m.envelope < len(self.envelopes), "a message out of range")
            messages.append(m)
            before = m
        return messages

    def ascending(self, n, context):
        out, following = [], 0
        for _ in range(n):
            out.append(following + self.structure.next(context))
            following = out[-1] + 1
        content(following <= 1 << 32, "a number out of range")
        return out

    def ends(self, messages, cell, end):
        """Goes through all ends: side is 0 for sends; of is 0 for a first end, 1 for a new one, 2 for others."""
        before = 0
        for m in messages:
            if m.cell != before:
                latest, before = {}, m.cell
                cell()
            for side, number in (1, m.receiver), (0, m.sender):
                known = latest.setdefault(number, {})
                end(m, side, 0 if not known else 2 if side in known else 1, known)

    def sizes(self, messages):
        n = [0] * 24
        n[11] = n[12] = len(messages)

        def cell():
            n[10] += 1

        def end(m, side, of, known):
            n[14 + 5 * side + of] += 1
            n[17 + 5 * side + (of == 2)] += 1
            n[13] += of == 2 and self.period > 0
            known[side] = True

        self.ends(messages, cell, end)
        return n

    def all(self):
        out, used, met = [], set(), set()
        for messages, q in self.split(lambda n: [0] * 6 + [n] * 4, self.read_entries, self.sizes):
            out += self.part(messages, q)
            used |= {m.envelope for m in messages}
            met |= {n for m in messages for n in (m.sender, m.receiver)}
        content(used == set(range(len(self.envelopes))), "an envelope that no message has")
        content(met == set(range(len(self.roster))), "a location that no message has")
        content(strictly([(x.cell, x.ends[1][0], x.ends[1][1], x.communicator if self.pairs else 0) for x in out]), "messages out of order")
        return out

    def part(self, messages, q):
        base, first = 0, 0

        def cell():
            nonlocal base
            base += q.signed(10)
            bases.append(base)

        def end(m, side, of, known):
            nonlocal first
            c = 14 + 5 * side
            if of == 0:
                first = known["ordinal"] = first + q.signed(c) & M64
            else:
                known["ordinal"] = known["ordinal"] + (q.next(c + 2) if of == 2 and side else q.signed(c + of)) & M64
            if of < 2:
                t = q.next(c + 3)
                known[side] = (base + t if side else base - t) & M64
            else:
                k = q.next(c + 4)
                known[side] = known[side] + self.time(k if side else unzigzag(k) & M64, q) & M64
            times[side] = known["ordinal"], known[side]
            if side == 0:
                ends.append([times[0], times[1]])

        times, ends, out, bases = {}, [], [], []
        self.ends(messages, cell, end)
        early = {}
        for m, (send, receive) in zip(messages, ends):
            x = Item()
            communicator, tag, sent, received = self.envelopes[m.envelope]
            x.cell, x.communicator, x.tag = m.cell, communicator, tag
            x.ends = [(self.roster[m.sender], *send, sent), (self.roster[m.receiver], *receive, received)]
            middle = self.middle(m.cell)
            x.slices = middle - 1 - q.signed(11), middle + q.signed(12)
            self.check_cell(m.cell, *x.slices)
            early.setdefault(m.cell, []).append(min(signed(send[1]), signed(receive[1])))
            out.append(x)
        content([max(times) for times in early.values()] == bases, "a base that is not the latest of the earlier times")
        return out


def read_unmatched(b, before):
    """Ends as (location, ordinal, is a send, slice, length, communicator, tag)."""
    r = Bytes(b)
    channels, n = r.count(6), r.count(4)
    content(n <= 16384, "too many ends")
    what, own, communicator, tag, peer, more = (numbers(r, channels) for _ in range(6))
    ends = list(zip(*(numbers(r, n) for _ in range(4))))
    r.end()
    out, keys = [], []
    for i in range(channels):
        kind = what[i] >> 2
        content(kind < 3 and (kind > 0 or peer[i] == 0), "a channel of an unknown kind")
        keys.append((what[i] >> 1 & 1, own[i], what[i] & 1, communicator[i], tag[i], kind, peer[i]))
        content(more[i] < len(ends) - len(out), "a channel of more ends than there are")
        for location, ordinal, slice, length in ends[len(out):len(out) + more[i] + 1]:
            out.append((location, ordinal, what[i] & 1, slice, length, communicator[i], tag[i]))
    content(len(out) == n, "ends of no channel")
    content(strictly(keys) and (not keys or not before or before[-1] <= keys[0]), "channels out of order")
    before += keys[-1:]
    return out
