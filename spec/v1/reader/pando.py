"""An independent reader of Pando files, version 1, written from format.md alone. Python 3, standard library only.

    python3 pando.py FILE      prints what the file holds as JSON, or {"error": class}

It reads through the directory, all that the file has: meta data, kinds, definitions, totals, auxiliary records, the events of all
slices; and what follows from these: calls, messages and unmatched ends, postings, summaries, bins and hashes. What is stored of calls
must be what the events say, and so must hashes. vectors/README.md tells the JSON and the classes."""

import json
import sys

import annotations
import follow
import pairs
import places
import registry
from bits import Bytes, M64, Refused, checksum, content, pass_extensions, refuse_unless, signed
from definitions import log as definition_log
from hashes import Hashes, Symbols, expected
from items import Calls, Messages, read_unmatched, strictly
from shapes import BYTES, COUNT, Dictionary, TEXT
from slices import Statistics, group_head, read_marks, read_slice
from sums import Bins, read_postings, read_summary
from texts import text_of

MAGIC = b"\x89PND\r\n\x1a\n"


class Field:
    def __init__(self, typ, space, flags):
        self.type, self.space = typ, space
        self.value, self.key, self.repeat, self.peer = flags & 1 > 0, flags & 2 > 0, flags & 4 > 0, flags & 8 > 0


class Spec:
    """The specification of a kind."""

    def __init__(self, fields):
        self.fields, self.peer = fields, any(f.peer for f in fields)
        self.pairs = False  # of calls, messages, requests or collective operations
        self.roles = []  # of pairs: family, closes, rule, numbers of the fields that are keys
        plain = [f for f in fields if not f.value and not f.repeat]
        for f in fields:
            content(not f.peer or fields[:2] == plain[:2] and f is plain[0] and f.type == 8 and (plain[1].type, plain[1].space) == (6, 7),
                    "a peer that is none")

    def layout(self, words):
        """Of each word its field, the number of that, and the repetition; None if the words do not fit."""
        out, i = [], 0
        group = [i for i, f in enumerate(self.fields) if f.repeat]
        while i < len(self.fields):
            f = self.fields[i]
            if not f.repeat:
                out.append((f, i, 0))
                i += 1
                continue
            at = next((j for j, g in enumerate(self.fields) if g.type == COUNT), None)
            if at is None or at >= len(words) or words[at] * len(group) > len(words):
                return None
            for n in range(words[at]):
                out += [(self.fields[g], g, n) for g in group]
            i = group[-1] + 1
        return out if len(out) == len(words) else None


def read_field(r):
    name = r.bytes()
    typ, bits, space, flags = r.byte(), r.byte(), r.byte(), r.byte()
    if flags & 16:
        pass_extensions(Bytes(r.bytes()), least=1)
    content(flags < 32 and bits <= 64, "a field with bad flags")
    return name, Field(typ, space, flags)


def read_kinds(r):
    kinds, before = {}, -1
    for _ in range(r.count(4)):
        kind = r.uvarint()
        content(before < kind < 1 << 16, "kinds out of order")
        r.bytes()
        fields = [read_field(r) for _ in range(r.count(5))]
        spec = kinds[kind] = Spec([f for _, f in fields])
        names = [None if f.repeat else name for name, f in fields]
        for _ in range(r.count(3)):
            family, rule = r.byte(), r.byte()
            spec.pairs |= 0 < family % 128 <= 6
            keys = [r.bytes() for _ in range(r.count())]
            if all(k in names for k in keys):
                spec.roles.append((family % 128, family > 127, rule, [names.index(k) for k in keys]))
        before = kind
    return kinds


def read_loss(r):
    """The bounds within which values are those of the original: class, metric, member, bound, cell, offset."""
    bounds = []
    for _ in range(r.count(6)):
        column = r.byte(), r.uvarint(), r.uvarint()
        bound, cell, offset = r.uvarint(), r.uvarint(), r.uvarint()
        content(column[0] < 3 and (column[0] > 0 or column == (0, 0, 0)), "a bound of what has none")
        if column[0] == 2:
            content(column[1] < 7 and column[2] == 0 and cell in (0, bound) and offset == 0, "calls left out for no reason")
        content(0 < bound <= 1 << 60 and cell <= 1 << 60 and (offset < cell or cell == offset == 0), "a bound or cell out of range")
        content(not bounds or bounds[-1][:3] < column, "bounds out of order")
        bounds.append((*column, bound, cell, offset))
    content(bounds and len(r.bytes()) in (0, 32) and not r.left(), "loss without bounds, or of no original")
    return bounds


def read_deviations(r):
    """By region: how much more inclusive, exclusive and busy time, in ticks, and how many more calls the original has."""
    of, before = {}, -1
    for _ in range(r.count(4)):
        region, inclusive = r.uvarint(), r.varint()
        content(region > before, "deviations out of order")
        of[region], before = (inclusive, inclusive - r.varint(), inclusive - r.varint(), 0), region
    if r.left():
        of = {region: (*d[:3], r.uvarint()) for region, d in of.items()}
    content(not r.left(), "bytes behind deviations")
    return of


class File:
    def __init__(self, b):
        self.b = b
        self.header(b)
        self.id = b[32:48]
        self.models, self.marks, self.dictionaries = {}, {}, {}
        root = self.footer(b)
        self.root(Bytes(self.block(14, root)))
        self.read_pages()
        self.read_meta(Bytes(self.only(1)))
        r = Bytes(self.only(15))
        self.kinds = {**read_kinds(r), **self.kinds}
        pass_extensions(r)
        self.totals(Bytes(self.only(10)))
        self.annotations = annotations.read(self)

    def header(self, b):
        refuse_unless(b[:8] == MAGIC, "magic", "no Pando file")
        refuse_unless(len(b) >= 64 and checksum(b[:60]) == int.from_bytes(b[60:64], "little"), "header", "checksum")
        r = Bytes(b[8:64])
        refuse_unless(r.fixed(2) == 1, "version", "another major version")
        r.fixed(2)
        reserved = r.fixed(4)
        self.optional = r.fixed(8)
        required = r.fixed(8)
        refuse_unless(reserved == 0 and not any(b[48:60]), "header", "reserved bytes")
        refuse_unless(required == 0, "feature", "required features")

    def footer(self, b):
        refuse_unless(len(b) >= 136 and b[-8:] == b"\x1aPND-end", "footer", "missing")
        f = b[-72:]
        refuse_unless(checksum(f[:60]) == int.from_bytes(f[60:64], "little"), "footer", "checksum")
        r = Bytes(f)
        offset, optional, required = r.fixed(8), r.fixed(8), r.fixed(8)
        file_id, length = r.take(16), r.fixed(8)
        root = offset, r.fixed(4), r.fixed(4)
        refuse_unless(length == len(b), "footer", "of another file")
        refuse_unless(required == 0, "feature", "required features")
        refuse_unless(file_id == self.id and not self.optional & ~optional, "footer", "of another file")
        refuse_unless(root[0] + root[1] <= len(b) - 72, "footer", "the directory lies outside")
        return root

    def block(self, kind, ref):
        offset, length, crc = ref
        refuse_unless(28 <= length and offset + length <= len(self.b), "block", "outside of the file")
        b = self.b[offset:offset + length]
        r = Bytes(b)
        refuse_unless(r.take(4) == b"\xb7PBk" and checksum(b[:20]) == int.from_bytes(b[20:24], "little"), "block", "frame header")
        found, codec, reserved, stored, raw = r.byte(), r.byte(), r.fixed(2), r.fixed(4), r.fixed(4)
        r.take(8)
        refuse_unless(reserved == 0 and found == kind and r.fixed(4) == crc and stored == length - 28, "block", "another block")
        refuse_unless(checksum(b[:20], b[28:], self.id) == crc, "block", "checksum")
        refuse_unless(codec <= 2, "codec", "unknown")
        payload = r.rest()
        if codec:
            refuse_unless(raw <= 128 * stored, "codec", "more than the bytes can stand for")
            payload = text_of(1 if codec == 1 else 3, raw, payload, b"")
        refuse_unless(len(payload) == raw, "codec", "another length")
        return payload

    def only(self, kind):
        refs = [e[4] for e in self.listed if e[0] == kind]
        content(refs, "a block that the root does not list")
        return self.block(kind, refs[0])

    def root(self, r):
        self.fanout, self.group = places.division(r)
        self.all_events, self.slices, self.lanes = r.uvarint(), r.uvarint(), r.uvarint()
        content(self.slices < 1 << 48, "a root out of range")
        self.epochs, pages, self.end, time = [], [], 0, 0
        for i in range(r.count(0)):
            content(i == 0 or r.left(), "epochs are missing")
            self.epochs.append(self.epochs[-1] + 1 + r.uvarint() if i else 0)
        for _ in range(r.count(10)):
            n = r.uvarint()
            start = time + r.varint()
            time = start + r.uvarint()
            parts, first = [(0, self.place(r))], 0
            for i in range(r.count(7)):
                step = r.uvarint()
                first += step
                content(first < self.lanes and (i == 0 or step > 0), "pages of lanes out of order")
                parts.append((first, self.place(r)))
            pages.append((n, (start, time), parts))
        self.listed = self.entries(r)
        self.defines = [self.kinds_of_page(r) for e in self.listed if e[0] == 2]
        self.ranges = [places.range_of_page(r, self.lanes) for e in self.listed if e[0] == 18]
        pass_extensions(r)
        content(sum(n for n, _, _ in pages) == self.slices and (not self.epochs) == (self.slices == 0), "pages of other slices")
        self.pages = pages

    def kinds_of_page(self, r):
        kinds, kind = [], 0
        for i in range(r.count()):
            d = r.uvarint()
            kind += d
            content(kind < 1 << 16 and (i == 0 or d > 0), "kinds of definitions out of order")
            kinds.append(kind)
        content(kinds, "a block of definitions without kinds")
        if len(kinds) > 1:
            return kinds, None
        first = r.uvarint()
        last = first + r.uvarint()
        content(last <= M64, "ids out of range")
        return kinds, (first, last)

    def place(self, r):
        """The place of a page."""
        offset = self.end + r.varint() & M64
        length = r.uvarint()
        self.end = offset + length
        return offset, length, r.fixed(4)

    def entries(self, r):
        out, number, end = [], 0, 0
        for _ in range(r.count(10)):
            kind, level, lane = r.byte(), r.byte(), r.uvarint()
            number = number + r.varint() & M64
            offset = end + r.varint() & M64
            length = r.uvarint()
            out.append((kind, level & 127, lane, number, (offset, length, r.fixed(4))))
            if level & 128:
                pass_extensions(Bytes(r.bytes()), least=1)
            end = offset + length
        return out

    def read_meta(self, r):
        self.meta = {"format": r.bytes().hex(), "resolution": r.uvarint(), "epoch": r.uvarint()}
        self.meta["properties"] = [[r.bytes().hex(), r.bytes().hex()] for _ in range(r.count(2))]
        private = read_kinds(r)
        content(all(kind >= 1 << 15 for kind in private), "a registered kind among the private ones")
        self.kinds = {**registry.kinds(Field, Spec), **private}
        for _ in range(r.count(4)):
            for _ in range(3):
                r.bytes()
            for _ in range(r.count(5)):
                r.bytes()
                r.uvarint(), r.uvarint(), r.varint(), r.uvarint()
        extensions = pass_extensions(r)
        self.loss = read_loss(Bytes(extensions[2])) if 2 in extensions else None
        if 4 in extensions:
            places.check_division(Bytes(extensions[4]), self.fanout, self.group)

    def totals(self, r):
        counted = [r.uvarint() for _ in range(15)]
        self.counts, count = counted[:11], counted[14]
        places.check_span(r.varint(), r.uvarint())
        kinds = [[r.uvarint(), r.uvarint()] for _ in range(r.count(2))]
        self.streams = [[r.byte(), r.uvarint(), r.uvarint()] for _ in range(r.count(3))]
        content(all(s[0] for s in self.streams) and all(k < 1 << 16 for k, _ in kinds), "an auxiliary stream of events, or a kind over 16 bits")
        self.sha256 = r.take(32).hex()
        few, extensions = places.few(r, count), pass_extensions(r)
        doubts, self.deviations = extensions.get(2), read_deviations(Bytes(extensions.get(4, b"\0")))
        self.locations = places.read(self, count, *few)
        if doubts is not None:
            d = Bytes(doubts)
            self.doubts = [d.uvarint() for _ in range(3) if d.left()]
            content(not d.left(), "bytes behind what is doubtful")
        content(sum(x["count"] for x in self.locations) == self.all_events, "another number of events than the root says")

    def record(self, kind, words, text):
        """Words with 0 for texts, and these."""
        content(kind in self.kinds, "a record of an unknown kind")
        fields = self.kinds[kind].layout(words)
        content(fields is not None, "words that do not fit the kind")
        texts = []
        for i, (f, _, _) in enumerate(fields):
            if f.type in (TEXT, BYTES):
                at, n = words[i] >> 32, words[i] & 0xFFFFFFFF
                content(at + n <= len(text), "a text outside of the record's")
                texts.append(text[at:at + n].hex())
                words[i] = 0
        return words, texts

    def definitions(self):
        blocks = [self.block(2, e[4]) for e in self.listed if e[0] == 2]
        return definition_log(zip(blocks, self.defines), self.kinds)

    def auxiliary(self):
        streams = {(c, n): [] for c, n, _ in self.streams}
        for e in self.listed:
            if e[0] != 3:
                continue
            r = Bytes(self.block(3, e[4]))
            while r.left():
                stream = r.byte(), r.uvarint()
                content(stream[0] != 0, "events in an auxiliary block")
                batch, t = [], 0
                for _ in range(r.count(5)):
                    kind = r.uvarint()
                    t = signed(t + r.varint() & M64)
                    residual = r.varint()
                    words = [r.uvarint() for _ in range(r.count())]
                    batch.append([kind, t, residual, words, [[r.uvarint(), r.byte(), r.uvarint()] for _ in range(r.count(3))]])
                text = r.bytes()
                for b in batch:
                    b[3], texts = self.record(b[0], b[3], text)
                    b.append(texts)
                streams.setdefault(stream, []).extend(batch)
        return [{"class": c, "number": n, "records": records} for (c, n), records in streams.items()]

    def read_pages(self):
        """Bounds of the slices, and the entries of all pages."""
        self.bounds, self.events_of, self.entries_of = [], [], []
        for n, times, parts in self.pages:
            first, listed = len(self.bounds), []
            for i, (lane, ref) in enumerate(parts):
                r = Bytes(self.block(13, ref))
                content((r.uvarint(), r.uvarint(), r.uvarint()) == (first, lane, 0 if i else n), "a page of other slices or lanes")
                if i == 0:
                    self.read_bounds(r, n, times)
                listed.append((n, first, lane, self.entries(r)))
                pass_extensions(r)
            self.check_entries(listed, first + n)
            self.entries_of += listed
        content(all(places.with_slice(self, e, self.slices) == self.slices for e in self.listed), "a block in the root that a page should list")
        self.blocks = {}  # by kind, level, lane and number: places of blocks, in order
        for entries in [e for _, _, _, e in self.entries_of] + [self.listed]:
            for kind, level, lane, number, ref in entries:
                self.blocks.setdefault((kind, level, lane, number), []).append(ref)
        single = [refs for (kind, *_), refs in self.blocks.items() if kind in (4, 5, 6, 11, 12, 16, 17, 20)]
        content(all(len(refs) == 1 for refs in single), "two blocks of the same")

    def read_bounds(self, r, n, times):
        end = None
        for _ in range(n):
            start = (end or 0) + r.varint()
            content(end is None or start >= end or (start, start + 1) == self.bounds[-1], "slices that overlap")
            end = start + r.uvarint()
            self.events_of.append(r.uvarint())
            self.bounds.append((start, end))
        content(n == 0 or times == (self.bounds[-n][0], end), "a page of another time than the root says")

    def check_entries(self, listed, after):
        """Each page lists blocks of its lanes, up to those of the next one, and of its slices."""
        for i, (_, first, lane, entries) in enumerate(listed):
            end = listed[i + 1][2] if i + 1 < len(listed) else 1 << 32
            content(all(lane <= e[2] < end for e in entries), "a block in the page of other lanes")
            content(all(first <= places.with_slice(self, e, first) < after for e in entries), "a block in the page of other slices")

    def of_kind(self, kind):
        """What blocks of a kind belong to, and their payloads, in the order of the directory."""
        for key, refs in self.blocks.items():
            for ref in refs if key[0] == kind else []:
                yield key[1:], self.block(kind, ref)

    def events(self, definitions):
        """Reads all slices, and pairs the messages in each."""
        processes, self.messages = follow.Processes(definitions), []
        for number in range(self.slices):
            ends, before = [], sum(len(x["events"]) for x in self.locations)
            for lane in range(self.lanes):
                for ref in self.blocks.get((6, 0, lane, number), []):
                    ends += self.slice(number, lane, ref)
            count = sum(len(x["events"]) for x in self.locations) - before
            content(0 < count == self.events_of[number], "a slice of another number of events than the directory says")
            for send, receive, communicator, tag in follow.pair(ends, processes):
                self.messages.append((send, receive, communicator, tag))
        for location in self.locations:
            content(location["count"] == len(location["events"]), "another number of events than the totals say")

    def slice(self, number, lane, ref):
        """Reads a lane's part of a slice, and returns its ends of messages."""
        group = number // self.group
        epoch = max((i for i, g in enumerate(self.epochs) if g <= group), default=0)
        if (lane, group) not in self.models:
            content((5, 0, lane, group) in self.blocks, "a slice without a model")
            r = Bytes(self.block(5, self.blocks[5, 0, lane, group][0]))
            needed = sum((4, 0, lane, g) in self.blocks for g in range(self.epochs[epoch], group + 1))
            content(group_head(r) == (group, lane, epoch, needed), "another model")
            self.models[lane, group] = Statistics(r)
        found = read_slice(self.block(6, ref), self.dictionary(lane, epoch), self.models[lane, group])
        content(found[:5] == (number, lane, epoch, *self.bounds[number]), "another slice")
        stretches = self.marks_of(group, lane).get(number, [])
        ends, marks = [], {end: mark for first, n, mark in stretches for end in range(first, first + n)}
        for run in found[5]:
            content(run.location < len(self.locations) and self.locations[run.location]["lane"] == lane, "a location of another lane")
            location = self.locations[run.location]
            content(run.first == len(location["events"]), "other ordinals")
            location["events"] += run.events
            location["slices"] += [number] * len(run.events)
            ends += follow.ends_of(run, location["id"], marks, len(ends))
        content(all(mark < len(ends) for mark in marks), "a mark of no end")
        return ends

    def marks_of(self, group, lane):
        """Marks of ends of a lane in a group, by slice."""
        if (lane, group) not in self.marks:
            refs, of = self.blocks.get((20, 0, lane, group), []), {}
            for ref in refs:
                *name, of = read_marks(self.block(20, ref))
                content(name == [group, lane], "marks of another group")
            for number in of:
                content(number // self.group == group and (6, 0, lane, number) in self.blocks, "marks of another group, or of no slice")
            self.marks[lane, group] = of
        return self.marks[lane, group]

    def dictionary(self, lane, epoch):
        if (lane, epoch) in self.dictionaries:
            return self.dictionaries[lane, epoch]
        d, pages = Dictionary(self.kinds), 0
        first = self.epochs[epoch]
        groups = -(-self.slices // self.group)
        end = self.epochs[epoch + 1] if epoch + 1 < len(self.epochs) else groups
        for group in range(first, end):
            if (4, 0, lane, group) not in self.blocks:
                continue
            pages += 1
            r = Bytes(self.block(4, self.blocks[4, 0, lane, group][0]))
            content(group_head(r) == (group, lane, epoch, pages), "another page")
            d.page(r.rest())
        self.dictionaries[lane, epoch] = d
        return d


class Contents:
    """What a file holds besides records, as vectors/README.md tells it. The events have been read."""

    def __init__(self, f):
        self.f = f
        self.last = max((x["events"][-1][1] for x in f.locations if x["events"]), default=0)

    def id(self, location, lane=None):
        content(0 <= location < len(self.f.locations) and lane in (None, self.f.locations[location]["lane"]), "a location of another lane")
        return self.f.locations[location]["id"]

    def in_slice(self, t, slice, open=False):
        content(0 <= slice < self.f.slices, "a slice that there is not")
        start, end = self.f.bounds[slice]
        content(start <= signed(t) < end, "a time outside of its slice")

    def calls(self):
        """All calls, by location; the spanning ones must be those that the file has."""
        stored = {}
        for (level, lane, node), b in self.f.of_kind(7):
            block = Calls(b, self.f.fanout)
            content((block.level, block.lane, block.node) == (level, lane, node), "another node")
            for c in block.all():
                self.id(c.location, lane)
                stored[c.location, c.ordinal] = (c.last, *c.what, signed(c.start), signed(c.end), signed(c.exclusive), c.children, c.flags, c.slices)
                self.in_slice(c.start, c.slices[0])
                self.in_slice(c.end, c.slices[1])
        out = []
        for i, location in enumerate(self.f.locations):
            calls = follow.calls(location["events"], self.last)
            out.append([c.dump() for c in calls])
            for c in calls:
                is_open = c.flags & follow.OPEN
                slices = location["slices"][c.ordinal], self.f.slices - 1 if is_open else location["slices"][c.last]
                item = stored.pop((i, c.ordinal), None)
                content(item is not None or slices[0] == slices[1] and not is_open, "a spanning call is missing")
                same = (c.last, *c.key, c.start, c.end, c.exclusive, c.children, c.flags, slices)
                content(item in (None, same), "a spanning call that is not what the events say")
        content(not stored, "a spanning call that is none")
        return out

    def messages(self):
        messages, told, sent = [(s, r, c, t) for s, r, c, t in self.f.messages], set(), set()
        for (level, lane, node), b in self.f.of_kind(8):
            block = Messages(b, self.f.fanout)
            content((block.level, block.lane, block.node) == (level, lane, node), "another node")
            told |= {(level, node, lane, to) for to in block.receivers}
            for x in block.all():
                ends = []
                for (location, ordinal, t, length), slice in zip(x.ends, x.slices):
                    ends.append((self.id(location), ordinal, signed(t), length))
                    self.in_slice(t, slice)
                self.id(x.ends[1][0], lane)
                source = self.f.locations[x.ends[0][0]]["lane"]
                if source != lane:
                    sent.add((level, node, source, lane))
                messages.append((*ends, x.communicator, x.tag))
        content(told == sent, "receivers that are not those of the messages")
        return sorted([*send, *receive, communicator, tag] for send, receive, communicator, tag in messages)

    def unmatched(self):
        ends, last = [], []
        for _, b in self.f.of_kind(9):
            ends += read_unmatched(b, last)
        ends.sort()
        content(strictly([e[:2] for e in ends]), "an end that is listed twice")
        out = []
        for location, ordinal, is_send, slice, length, communicator, tag in ends:
            self.id(location)
            content(slice < self.f.slices, "an end of no slice")
            events = self.f.locations[location]["events"]
            content(ordinal < len(events) and events[ordinal][0] in ((14, 15) if is_send else (18, 19))
                    and events[ordinal][3][1:4] == [communicator, tag, length]
                    and self.f.locations[location]["slices"][ordinal] == slice, "an end that is none of the events")
            out.append([self.id(location), ordinal, is_send, events[ordinal][1]])
        return out

    def summaries(self):
        out = []
        for key, b in self.f.of_kind(11):
            level, node, lane, tables = read_summary(b, self.f.fanout, self.f.slices)
            content((level, lane, node) == key, "another node")
            for part, table in enumerate(tables):
                for k in table.keys if table and table.vectors and hasattr(table, "keys") else []:
                    ids = k[:2] if part == 1 else k[:1]
                    content(any([self.id(i) is not None and self.f.locations[i]["lane"] == lane for i in ids]), "a location of another lane")
            out.append([level, node, lane, [t and {"step": t.step, "vectors": t.vectors} for t in tables]])
        return sorted(out, key=lambda x: x[:3])

    def bins(self):
        out = []
        for key, b in self.f.of_kind(16):
            x = Bins(b)
            content((x.level, x.lane, x.node) == key, "another node")
            width = self.f.fanout ** x.level
            content(x.node * width < self.f.slices, "a node that there is not")
            following = (x.node + 1) * width
            end = self.f.bounds[following][0] if following < self.f.slices else self.last
            content((x.start, x.end) == (self.f.bounds[x.node * width][0], end), "bins of another time")
            for location, _ in x.keys:
                self.id(location, x.lane)
            out.append([x.level, x.node, x.lane, x.start, x.end, x.shift, [[*k, t] for k, t in zip(x.keys, x.ticks)]])
        return sorted(out, key=lambda x: x[:3])

    def hashes(self, definitions):
        out, symbols = [], Symbols(definitions)
        for key, b in self.f.of_kind(17):
            x = Hashes(b)
            content((x.level, x.lane, x.node) == key, "another node")
            content(x.level > 0 and x.node * self.f.fanout ** x.level < self.f.slices, "a node that there is not")
            content(x.list == expected(x.level, x.node, x.lane, self.f.fanout, self.f.locations, symbols), "hashes that are not those of the events")
            out.append([x.level, x.node, x.lane, x.list])
        return {"hashes": sorted(out)} if out else {}

    def postings(self):
        out = []
        for (n, first, lane, entries), after in zip(self.f.entries_of, self.f.entries_of[1:] + [None]):
            end = after[2] if after and after[1] == first else self.f.lanes
            for kind, _, of, number, ref in entries:
                if kind == 12:
                    *page, lists = read_postings(self.f.block(12, ref), n)
                    content(page == [first, lane] == [number, of], "postings of another page")
                    content(lists == self.postings_of(first, n, lane, end), "postings that are not those of the events")
                    out.append([first, lane, lists])
        return out

    def postings_of(self, first, n, lane, end):
        """What the lists of a page's slices must be."""
        found = {}
        for i, location in enumerate(self.f.locations):
            for e, slice in zip(location["events"], location["slices"]):
                if first <= slice < first + n and lane <= location["lane"] < end:
                    about = [(0, i), (2, e[0])]
                    if e[0] in (follow.ENTER, follow.CONTEXT_ENTER):
                        about.append((1 if e[0] == follow.ENTER else 3, e[3][0]))
                    for x in about:
                        found.setdefault(x, set()).add(slice - first)
        return [[*x, sorted(slices)] for x, slices in sorted(found.items())]

    def dump(self, definitions):
        return {"calls": self.calls(), "messages": self.messages(), "unmatched": self.unmatched(), "postings": self.postings(),
                "summaries": self.summaries(), "bins": self.bins(), **self.hashes(definitions), **pairs.check(self, definitions)}


def dump(b):
    try:
        f = File(b)
        definitions, auxiliary = f.definitions(), f.auxiliary()
        places.check(f, definitions)
        f.events(definitions)
        locations = [{"id": x["id"], "events": x["events"]} for x in f.locations]
        return {"meta": f.meta, "sha256": f.sha256, "definitions": definitions, "locations": locations, "auxiliary": auxiliary, **f.annotations,
                **Contents(f).dump(definitions)}
    except Refused as e:
        if "-v" in sys.argv:
            raise
        return {"error": e.kind}


if __name__ == "__main__":
    for path in [a for a in sys.argv[1:] if a != "-v"]:
        with open(path, "rb") as f:
            print(json.dumps(dump(f.read()), separators=(",", ":")))
