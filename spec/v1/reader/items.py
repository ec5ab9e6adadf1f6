"""Sections 10.1 to 10.4 of format.md: spanning calls, spanning messages, and unmatched ends."""

from bits import Bytes, M64, content, dense, read_model, signed, unzigzag
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
    """What blocks of calls and of messages have in common; both have four counts."""

    def __init__(self, b, fanout, sizes):
        r = Bytes(b)
        self.fanout = fanout
        self.level, self.node, self.lane, self.period = r.uvarint(), r.uvarint(), r.uvarint(), r.uvarint()
        content(self.level > 0 and (self.period == 0 or 1 << 40 < self.period <= 1 << 60), "a head out of range")
        self.counts = [r.uvarint() for _ in range(4)]
        content(all(n <= min(MOST, 8 * len(b)) for n in self.counts), "too many items")
        model = Bytes(r.bytes())
        self.model = read_model(model)
        model.end()
        self.structure = Columns(self.values(r.bytes(), sizes(*self.counts)))
        self.parts = r

    def values(self, b, sizes):
        content(len(sizes) <= len(self.model.table_of), "a model of other contexts")
        return self.model.decode(b, sizes + [0] * (len(self.model.table_of) - len(sizes)))

    def bounds(self, place):
        """The children of a place, and the middle one."""
        content(0 < place < 2 * self.fanout * self.fanout, "a place that there is not")
        low, high = 0, self.fanout
        for digit in bin(place)[3:]:
            content(high - low > 1, "a place that there is not")
            low, high = ((low + high) // 2, high) if digit == "1" else (low, (low + high) // 2)
        return low, high, (low + high) // 2

    def middle(self, place):
        low, high, m = self.bounds(place)
        return (self.node * self.fanout + m) * self.fanout ** (self.level - 1)

    def check_place(self, place, *slices):
        low, high, m = self.bounds(place)
        width = self.fanout ** (self.level - 1)
        children = sorted(s // width - self.node * self.fanout for s in slices)
        content(low <= children[0] and children[-1] < high, "an item in a place that it does not lie in")
        content(high - low == 1 or children[0] < m <= children[-1], "an item that is not in its smallest place")

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

    def split(self, entries, sizes):
        """Yields for each part its entries and values; entries are of a place and so many items each."""
        at = 0
        while at < len(entries):
            n, items = at, 0
            while n < len(entries) and (items < 128 or entries[n].place == entries[n - 1].place):
                items += entries[n].items
                n += 1
            yield entries[at:n], Columns(self.values(self.parts.bytes(), sizes(entries[at:n])))
            at = n
        least = dense(self.things + sum(e.items for e in entries))
        content(least <= len(self.parts.b), "more things than the bytes of a block can stand for")
        self.parts.end_filled(least)


class Item:
    """A call or message: what the file says of it."""


class Run:
    def __init__(self, place, location, chain):
        self.place, self.location, self.chain, self.items = place, location, chain, len(chain)


def strictly(numbers):
    return all(a < b for a, b in zip(numbers, numbers[1:]))


class Calls(Block):
    def __init__(self, b, fanout):
        super().__init__(b, fanout, lambda regions, contexts, stacks, runs: [regions + contexts] + [stacks] * 3 + [runs] * 3)
        self.things = sum(self.counts)
        self.read_structure(*self.counts)
        self.number_contexts()

    def read_structure(self, regions, contexts, stacks, runs):
        q, self.keys = self.structure, []
        for what, n in enumerate((regions, contexts)):
            following = 0
            for _ in range(n):
                self.keys.append((what, following + q.next(0)))
                following = self.keys[-1][1] + 1
        content(all(k <= M64 for _, k in self.keys), "a key out of range")
        self.stacks, chains = [(0, -1, 0)], [[]]
        for i in range(1, stacks + 1):
            outer, key, flags = self.stacks[-1][0] + q.next(1), q.next(2), q.next(3)
            if outer == self.stacks[-1][0] and i > 1:
                key += self.stacks[-1][1]
            content(outer < i and key < len(self.keys) and flags < 256, "a stack out of range")
            self.stacks.append((outer, key, flags))
            chains.append([(key, flags)] + chains[outer])
        content(strictly(self.stacks[1:]), "stacks out of order")
        self.runs, used, items = [], set(), 0
        for _ in range(runs):
            before = self.runs[-1] if self.runs else None
            place, location, stack = q.next(4) + (before.place if before else 0), q.next(5), q.next(6) + 1
            if before and place == before.place:
                location += before.location + 1
            content(place > 0 and location < 1 << 32 and stack <= stacks, "a run out of range")
            self.runs.append(Run(place, location, chains[stack]))
            items += len(chains[stack])
            content(items <= MOST, "too many items")
            while stack and stack not in used:
                used.add(stack)
                stack = self.stacks[stack][0]
        content(len(used) == stacks and {k for _, k, _ in self.stacks[1:]} == set(range(len(self.keys))), "a stack or key that no call has")

    def number_contexts(self):
        """Each field has a context for each key that calls of its class have: the innermost ones, the others, all."""
        innermost = {min(r.chain[0][0], 4095) for r in self.runs}
        others = {min(k, 4095) for r in self.runs for k, _ in r.chain[1:]}
        self.fields, self.contexts = [], 14
        for keys in [innermost] * 3 + [others] * 4 + [innermost | others] * 2:
            self.fields.append({k: self.contexts + i for i, k in enumerate(sorted(keys))})
            self.contexts += len(keys)
        content(len(self.model.table_of) == self.contexts, "a model of other contexts")

    def context(self, field, key):
        return self.fields[field][min(key, 4095)]

    def sizes(self, runs):
        n, place = [0] * self.contexts, 0
        for r in runs:
            n[7] += r.place != place
            place = r.place
            for i, (key, _) in enumerate(r.chain):
                for c in (8, 9, 10) if i == 0 else (11, 12):
                    n[c] += 1
                for field in (0, 1, 2, 7, 8) if i == 0 else (3, 4, 5, 6, 7, 8):
                    n[self.context(field, key)] += 1
                n[13] += (2 if i else 1) if self.period else 0
        return n

    def all(self):
        calls = []
        for runs, q in self.split(self.runs, self.sizes):
            base = ordinal = place = 0
            latest = None
            for r in runs:
                if r.place != place:
                    content(latest in (None, base), "a base that is not the latest start")
                    base, latest, place = base + q.signed(7), None, r.place
                run = self.run(r, q, base, ordinal)
                ordinal, start = run[0].ordinal, signed(run[0].start)
                latest = start if latest is None else max(latest, start)
                calls += reversed(run)
            content(latest == base, "a base that is not the latest start")
        return calls

    def run(self, r, q, base, ordinal):
        run, middle = [], self.middle(r.place)
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
            self.check_place(r.place, *c.slices)
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

    def __init__(self, place, receiver, sender, envelope):
        self.place, self.receiver, self.sender, self.envelope = place, receiver, sender, envelope


class Messages(Block):
    """Messages, or pairs of events, which are laid out alike."""

    def __init__(self, b, fanout, pairs=False):
        self.pairs = pairs
        super().__init__(b, fanout, lambda receivers, roster, envelopes, messages:
                         [receivers, roster] + [envelopes] * 4 + [messages] * 4)
        content(len(self.model.table_of) == 24, "a model of other contexts")
        self.things = sum(self.counts[:3])  # messages are counted where they stand
        self.read_structure(*self.counts)

    def read_structure(self, receivers, roster, envelopes, messages):
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
        self.messages, before = [], Message(0, 0, 0, 0)
        for _ in range(messages):
            m = Message(before.place + q.next(6), q.next(7), q.signed(8), q.next(9))
            if m.place == before.place:
                m.receiver += before.receiver
            m.sender += m.receiver
            content(m.place > 0 and 0 <= m.sender < roster and m.receiver < roster and m.envelope < envelopes, "a message out of range")
            self.messages.append(m)
            before = m
        content({m.envelope for m in self.messages} == set(range(envelopes)), "an envelope that no message has")
        content({n for m in self.messages for n in (m.sender, m.receiver)} == set(range(roster)), "a location that no message has")

    def ascending(self, n, context):
        out, following = [], 0
        for _ in range(n):
            out.append(following + self.structure.next(context))
            following = out[-1] + 1
        content(following <= 1 << 32, "a number out of range")
        return out

    def ends(self, messages, place, end):
        """Goes through all ends: side is 0 for sends; of is 0 for a first end, 1 for a new one, 2 for others."""
        before = 0
        for m in messages:
            if m.place != before:
                latest, before = {}, m.place
                place()
            for side, number in (1, m.receiver), (0, m.sender):
                known = latest.setdefault(number, {})
                end(m, side, 0 if not known else 2 if side in known else 1, known)

    def sizes(self, messages):
        n = [0] * 24
        n[11] = n[12] = len(messages)

        def place():
            n[10] += 1

        def end(m, side, of, known):
            n[14 + 5 * side + of] += 1
            n[17 + 5 * side + (of == 2)] += 1
            n[13] += of == 2 and self.period > 0
            known[side] = True

        self.ends(messages, place, end)
        return n

    def all(self):
        out = []
        for messages, q in self.split(self.messages, self.sizes):
            out += self.part(messages, q)
        content(strictly([(x.place, x.ends[1][0], x.ends[1][1], x.communicator if self.pairs else 0) for x in out]), "messages out of order")
        return out

    def part(self, messages, q):
        base, first = 0, 0

        def place():
            nonlocal base
            base += q.signed(10)

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

        times, ends, out = {}, [], []
        self.ends(messages, place, end)
        early = {}
        for m, (send, receive) in zip(messages, ends):
            x = Item()
            communicator, tag, sent, received = self.envelopes[m.envelope]
            x.place, x.communicator, x.tag = m.place, communicator, tag
            x.ends = [(self.roster[m.sender], *send, sent), (self.roster[m.receiver], *receive, received)]
            middle = self.middle(m.place)
            x.slices = middle - 1 - q.signed(11), middle + q.signed(12)
            self.check_place(m.place, *x.slices)
            early.setdefault(m.place, []).append(min(signed(send[1]), signed(receive[1])))
            out.append(x)
        content(not out or max(early[out[-1].place]) == base, "a base that is not the latest of the earlier times")
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
