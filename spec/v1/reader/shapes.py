"""Section 6 of format.md: dictionaries of shapes, ranks, and the columns of values."""

from bits import Adaptive, Bytes, M64, content, dense

END = ((1 << 32) - 1, 0)
TIME, COUNT, CODE, VALUE, TEXT, BYTES = 9, 10, 11, 12, 13, 14
METRIC = 31  # a kind


class Leaf:
    def __init__(self, kind, relative, attributes, words):
        self.kind, self.relative, self.attributes, self.words = kind, relative, attributes, words
        self.slots = []  # (place among words and attributes, mode, column)


class Dictionary:
    def __init__(self, kinds):
        self.kinds, self.chances, self.lists = kinds, {}, {}
        self.shapes, self.leaves, self.known = [], [], set()
        self.demoted, self.ranks, self.rank = None, {}, (0, 0, 0, 0)
        self.columns, self.next_column, self.pair_numbers, self.groups, self.predicted = {}, 1, {}, {}, {0}
        self.last, self.after_two, self.after_one, self.closing, self.form = (END, END), {}, {}, {}, 0

    def page(self, b):
        r = Bytes(b)
        content(r.uvarint() == len(self.shapes), "a page of other shapes")
        head, self.things, self.room = r.at, 0, 8 * len(b)
        a = self.a = Adaptive(r.rest(), self.chances)
        before = len(self.shapes), len(self.ranks)
        if self.demoted is None:
            self.read_demotions(a)
        for _ in range(self.count(a.number("ranks"))):
            location, communicator, above, rank = self.rank
            location = location + a.signed("location") & M64
            communicator = communicator + a.signed("communicator") & M64
            above = above + a.signed("above") & M64
            rank = rank + a.signed("rank") & M64
            content(location < 1 << 32 and rank < 1 << 40 and above < 1 << 40 and (location, communicator) not in self.ranks, "a bad rank")
            self.rank = location, communicator, above, rank
            self.ranks[location, communicator] = rank, rank + 1 + above
        for _ in range(self.count(a.number("shapes"))):
            self.shape(a)
        a.end(dense(self.things) - head)
        content(before != (len(self.shapes), len(self.ranks)), "an empty page")

    def count(self, n):
        """Notes that so many more things stand in the page."""
        self.things += n
        content(self.things <= self.room, "more things than the bytes of a page can stand for")
        return n

    def read_demotions(self, a):
        self.demoted = set()
        kind = field = 0
        for _ in range(self.count(a.number("demotions"))):
            step = a.number("demoted kind")
            if step:
                kind, field = kind + step, 0
            field += a.number("demoted field")
            content(kind in self.kinds and field < len(self.kinds[kind].fields), "a demoted field that there is not")
            f = self.kinds[kind].fields[field]
            content(not f.value and not f.key and f.type not in (COUNT, CODE, TEXT, BYTES) and not (self.kinds[kind].peer and field == 1),
                    "a field that cannot be demoted")
            self.demoted.add((kind, field))
            field += 1

    def shape(self, a):
        number = len(self.shapes)
        if a.bit(("leaf", self.form)):
            self.form, s = 0, self.leaf(a)
            key = ("leaf", s.kind, s.relative, tuple(s.attributes), tuple(s.words))
            self.leaves.append(number)
        elif a.bit(("composite", self.form)):
            self.form, s = 1, self.composite(a, number)
            key = ("composite", tuple(s))
        else:
            level, hole = a.number("level"), a.number("hole")
            content(0 < level <= number, "a level that there is not")
            edges = self.shapes[number - level]
            content(isinstance(edges, list) and 0 < hole < len(edges) - 1 and edges[hole][1] == 1, "a recursion that cannot be")
            self.form, s = 2, (edges, hole)
            key = ("recursion", number - level, hole)
        content(key not in self.known, "a shape that stands twice")
        self.known.add(key)
        self.shapes.append(s)

    def leaf(self, a):
        kind = a.number("kind")
        content(kind in self.kinds, "a leaf of an unknown kind")
        relative = self.kinds[kind].peer and (kind, 0) not in self.demoted and a.bit("relative")
        attributes = [(a.number("attribute"), a.number("type")) for _ in range(self.count(a.number("attributes")))]
        n = self.count(self.word(a, 16 * kind % 251))
        words = [self.word(a, (16 * kind + min(w, 15)) % 251) for w in range(1, 1 + n)]
        s = Leaf(kind, relative, attributes, words)
        spec = self.kinds[kind]
        fields = spec.layout(words)
        content(fields is not None, "words that do not fit the kind")
        key = 0
        for i, f in enumerate(spec.fields):
            if f.repeat or f.key:
                key = words[i] if f.key and not f.repeat else 0
                break
        self.number_columns(s, fields, key)
        return s

    def word(self, a, k):
        words = self.lists.setdefault(k, [])
        if a.bit(("known", k)):
            place = a.number(("place", k))
            content(place < len(words), "a word that is not in the list")
            v = words.pop(place)
        else:
            v = (words[0] if words else 0) + a.signed(("step", k)) & M64
            content(v not in words, "a word that is in the list")
        words.insert(0, v)
        del words[16:]
        return v

    def number_columns(self, s, fields, key):
        pair = self.column(("times", s.kind, key), 2)
        s.time, s.number = pair, self.pair_numbers.get(pair, 0)
        self.groups[pair] = self.groups[pair + 1] = 0
        for i, (f, number, repetition) in enumerate(fields):
            if not (f.value or f.type in (TEXT, BYTES) or (s.kind, number) in self.demoted):
                continue
            content(s.words[i] == 0, "a leaf with a value")
            name = ("value", s.kind, number, repetition, key)
            if f.type == VALUE and number > 0 and self.kinds[s.kind].fields[number - 1].type == CODE:
                name += (s.words[i - 1],)
            mode = "time" if f.type == TIME else "text" if f.type in (TEXT, BYTES) else "predicted"
            column = self.column(name, 1)
            s.slots.append((i, mode, column))
            if column < 65533 and mode != "text":
                self.groups[column] = 2 if s.kind == METRIC else 1 if self.kinds[s.kind].pairs else 3
            if mode == "predicted":
                self.predicted.add(column)
        for i, attribute in enumerate(s.attributes):
            s.slots.append((len(s.words) + i, "predicted", self.column(("attribute",) + attribute, 1)))
            self.predicted.add(s.slots[-1][2])

    def group(self, column):
        """The group that a column's values stand in. Those without an entry are of attributes, texts, residuals, or shared."""
        return self.groups.get(column, 3)

    def column(self, name, n):
        if name not in self.columns:
            if self.next_column + n > 65533:
                self.next_column = 65536
                return 65533 if n == 2 else 65535
            self.columns[name] = self.next_column
            if n == 2:
                self.pair_numbers[self.next_column] = len(self.pair_numbers) + 1
            self.next_column += n
        return self.columns[name]

    def composite(self, a, number):
        edges, h = [], 0
        while True:
            e, guessed = self.edge(a, edges, number, h)
            two = self.hash()
            self.after_two[two] = self.after_one[self.last[1][0]] = e
            self.last = self.last[1], e
            h = (2 * h) % 4 + guessed
            if e == END:
                break
            edges.append(e)
            self.count(1)
        content(edges and (len(edges) > 1 or edges[0][1] > 1), "a composite that is nothing but another shape")
        if isinstance(self.shapes[edges[-1][0]], Leaf):
            self.closing[edges[0][0]] = edges[-1]
        return edges

    def hash(self):
        (s1, n1), (s2, n2) = self.last
        return (2654435761 * s1 + 2246822519 * n1 + 3266489917 * s2 + 668265263 * n2 & 0xFFFFFFFF) >> 18

    def edge(self, a, edges, number, h):
        two, one = self.after_two.get(self.hash()), self.after_one.get(self.last[1][0])
        if two is not None and a.bit(("two", h)):
            return two, 1
        if one is not None and one != two and a.bit(("one", h)):
            return one, 1
        i = len(edges)
        e = self.new_edge(a, edges, number, i)
        content(e not in (two, one), "an edge that could be guessed")
        return e, 0

    def new_edge(self, a, edges, number, i):
        if a.bit(("end", min(i, 3))):
            return END
        if a.bit(("to a leaf", min(i, 2))):
            closing = self.closing.get(edges[0][0]) if edges else None
            if closing is not None and a.bit("closing"):
                return closing
            place, count = a.number("place"), a.number("count of leaves") + 1
            content(place < len(self.leaves) and count < 1 << 32, "an edge to no leaf")
            e = self.leaves[place], count
            content(e != closing, "an edge that could be guessed")
            return e
        distance, count = a.number("distance"), a.number("count") + 1
        content(0 < distance <= number and count < 1 << 32 and not isinstance(self.shapes[number - distance], Leaf), "an edge to no such shape")
        return number - distance, count

    def sizes(self):
        """The number of events of each shape, and of a recursion those of a level without the hole's, and the hole's."""
        sizes = []
        for s in self.shapes:
            if isinstance(s, Leaf):
                sizes.append((1, 0))
            elif isinstance(s, tuple):
                edges, hole = s
                sizes.append((sum(self.events(sizes, e) for i, e in enumerate(edges) if i != hole), self.events(sizes, edges[hole])))
            else:
                sizes.append((sum(self.events(sizes, e) for e in s), 0))
        return sizes

    @staticmethod
    def events(sizes, edge):
        each, once = sizes[edge[0]]
        return each * edge[1] + once

    def expand(self, shape, count, out):
        """Appends the leaves that an edge stands for."""
        work = [(shape, count)]
        while work:
            shape, count = work.pop()
            s = self.shapes[shape]
            if isinstance(s, Leaf):
                out += [s] * count
            elif isinstance(s, tuple):
                edges, hole = s
                inside = []
                for _ in range(count):
                    inside += edges[:hole]
                inside.append(edges[hole])
                for _ in range(count):
                    inside += edges[hole + 1:]
                work += reversed(inside)
            else:
                work += list(reversed(s)) * count
