"""Reads the recordings of one run as layout.md says, in a simple way: all calls in memory, sorted.

    python3 reader.py ../v1/registry.md vectors/ranks/*.gz

prints communicators, events and profiles by location: what the vectors expect. The first file is the registry of kinds.
"""
import gzip
import math
import re
import struct
import sys

HEAD, BIN_HEAD, PROTECTED, NEVER, MARKER = 4096, 32, 64, 1 << 64, 646


class Refused(Exception):
    pass


def u32(b, at): return struct.unpack_from("<I", b, at)[0]
def u64(b, at): return struct.unpack_from("<Q", b, at)[0]
def string(b): return b.split(b"\0")[0].decode()


def varint(b, at):
    value = shift = 0
    while True:
        byte = b[at]
        value, shift, at = value | (byte & 0x7F) << shift, shift + 7, at + 1
        if byte < 0x80:
            return value, at


class Recording:
    def __init__(self, b):
        if b[:8] != b"PANDOREC" or u32(b, 8) != 2 or u32(b, 12) != HEAD:
            raise Refused()
        self.size, self.clock = u32(b, 16), u32(b, 44)
        self.reduction, self.classes = u32(b, 52), u32(b, 144)
        self.order = self.reduction, string(b[1408:1920])
        if self.reduction > 3 or self.classes > 16 or self.reduction == 2 and self.classes == 0:
            raise Refused()
        if not 1 << 14 <= self.size <= 1 << 20 or self.size & (self.size - 1) or self.clock not in (1, 2):
            raise Refused()
        self.rank, self.floor, self.horizon = u32(b, 36), u32(b, 60), u64(b, 64)
        stop, end = u64(b, 72), u64(b, 152)
        self.last = min(stop - 1 if stop else NEVER - 1, end or NEVER - 1)
        self.no_metrics = u32(b, 148) != 0
        self.began, newer = (u64(b, 80), u64(b, 88)), 104 + 16 * (u32(b, 96) % 2)
        self.newest = u64(b, newer), u64(b, newer + 8)
        self.host, self.lost, self.closed, self.mode = string(b[256:384]), False, u32(b, 56) == 1, u32(b, 48)
        whole = range(HEAD, len(b) - self.size + 1, self.size)
        self.bins = [b[at:at + self.size] for at in whole][:u32(b, 20)]
        self.bins.sort(key=lambda x: u64(x, 16))
        self.regions, self.metrics, self.names, self.comms, self.objects = {}, {}, {}, {}, []
        self.changed, self.fixes = u32(b, 2008) != 0, {}
        self.moments, self.line, self.markers, self.texts = [], None, {}, {}
        self.windows, self.groups, self.grids, self.opened, self.paths = {}, {}, {}, {}, {}
        for x in self.of(3):
            self.define(x)
        self.lost |= any(u32(x, 0) > 6 or u32(x, 0) == 4 and u32(x, 8) >= 128 for x in self.bins)

    def of(self, kind, location=None):
        return [x for x in self.bins if u32(x, 0) == kind and location in (None, u32(x, 4))]

    def define(self, x):
        at = BIN_HEAD
        while at + 8 < len(x) and x[at] == 1:
            kind, n = x[at + 1], u32(x, at + 4)
            if n > len(x) - at - 8:
                self.lost = True
                return
            self.definition(kind, x[at + 8:at + 8 + n])
            at += 8 + n

    def definition(self, kind, b):
        number, at = varint(b, 0)

        def following():
            nonlocal at
            value, at = varint(b, at)
            return value

        def text():
            nonlocal at
            n, at = varint(b, at)
            at += n
            return b[at - n:at].decode()
        if kind == 1:
            _, at = varint(b, at + 2)  # role, paradigm, line
            address, at = varint(b, at)
            self.regions[number] = text() or self.function(address)
        elif kind in (2, 10):
            self.metrics[number] = text()
        elif kind == 3:
            self.comms[number] = (text(), [])
        elif kind == 4:
            n, at = varint(b, at)
            for _ in range(n):
                member, at = varint(b, at)
                self.comms[number][1].append(member)
        elif kind == 5:
            self.names[number] = text()
        elif kind == 6:
            size, at = varint(b, at)
            bias, at = varint(b, at)
            self.objects.append((number, size, bias, text()))
        elif kind == 7:
            self.windows[number] = following(), text()
        elif kind == 8:
            self.groups.setdefault(number, []).extend([following() for _ in range(following())])
        elif kind == 9:
            first, second = self.groups.get(following(), []), self.groups.get(following(), [])
            self.comms[number] = text(), first + ["|"] + second
        elif kind == 11:
            self.grids[number] = [(following(), following()) for _ in range(following())]
        elif kind == 12:
            self.opened[number] = following(), text()
        elif kind == 13:
            self.paths[number] = text()
        elif kind == 14:
            self.moments.append((number, following(), following()))
        elif kind == 15:
            severity, at = b[at], at + 1
            self.markers[number] = f"{severity} {text()}, {text()}"
        elif kind == 16:
            self.texts[number] = text()

    def function(self, address):
        """The name of a function without one: this reader does not look into executables."""
        for begin, size, bias, path in reversed(self.objects):
            if begin <= address < begin + size:
                return f"{path.rsplit('/')[-1]}+{address - bias:#x}"
        return f"{address:#x}" if address else ""

    def locations(self):
        return sorted({u32(x, 4) for x in self.bins if u32(x, 0) in (1, 2, 4, 5, 6) and not (u32(x, 0) == 4 and u32(x, 8) >= 128)})

    def calls(self, location, floor):
        """All calls that are kept, (begin, end, region): those that are open, last."""
        found, ends = [], {}
        for x in self.of(4, location):
            octave, time, at, region = u32(x, 8), u64(x, 16), BIN_HEAD, None
            if octave >= 128 or octave < min(floor, PROTECTED):
                continue
            if time < ends.get(octave, 0):
                self.lost = True
                continue
            while x[at] & 0x80:
                n, m, after = (x[at] & 7) + 1, (x[at] >> 3 & 7) + 1, at + 1
                if x[at] & 0x40:
                    region, after = varint(x, after)
                since = int.from_bytes(x[after:after + n], "little")
                ticks = int.from_bytes(x[after + n:after + n + m], "little")
                durations = self.reduction == 0 or octave >= PROTECTED
                if region is None or region >= 1 << 32 or ticks == 0 or time + since >= 1 << 63 or durations and ticks.bit_length() - 1 != octave & 63:
                    break
                time, at = time + since, after + n + m
                if time >= self.horizon:
                    found.append((time - ticks, time if time <= self.last else NEVER, region))
            self.lost |= x[at] != 0
            ends[octave] = time
        return found + [(begin, NEVER, region) for begin, region in self.open(location) if begin not in [c[0] for c in found]]

    def open(self, location):
        for x in self.of(1, location):
            b = x[BIN_HEAD:]
            stopped, depth = u32(b, 40), u32(b, 4)
            at, size, n = (6208, 16, stopped) if stopped else (64, 24, depth)
            filtered = [not stopped and u32(b, at + size * i + 12) & 2 for i in range(min(n, 256))]
            return [(u64(b, at + size * i), u32(b, at + size * i + 8)) for i in range(min(n, 256)) if not filtered[i]]
        return []

    def happened(self, location, kinds, bins, old=False):
        """Events with their kinds and words, also those that are too old if it is asked for, and records of kind 0."""
        for x in self.of(bins, location):
            time, at, whole, wholes = u64(x, 16), BIN_HEAD, {}, 0
            while x[at]:
                if x[at] & 0x80:
                    place = x[at] & 0x7F
                    if place not in whole:
                        self.lost = True
                        break
                    since, at = varint(x, at + 1)
                    number, words = whole[place]
                    if has_request(number, words):
                        by, at = varint(x, at)
                        words = words[:-1] + [(words[-1] + (by >> 1 ^ -(by & 1))) & (1 << 64) - 1]
                        whole[place] = number, words
                else:
                    n, number, words = x[at] - 1, struct.unpack_from("<H", x, at + 1)[0], []
                    since, at = varint(x, at + 3)
                    for _ in range(n):
                        word, at = varint(x, at)
                        words.append(word)
                    if n <= 5:
                        whole[wholes % 128] = number, words
                        wholes += 1
                n, words, time = len(words), list(words), time + since
                if time >= 1 << 63:
                    self.lost = True
                    break
                if number == 0 and n in (0, 5, 6) or number == MARKER and n == 2:
                    yield time, number, words
                elif kinds.get(number, ("", -1))[1] not in (n, None):
                    self.lost = True
                elif (old or self.horizon <= time) and time <= self.last:
                    yield time, number, words

    def events(self, location, kinds):
        count = 0
        for bins in (5, 6):
            if bins == 6 and self.no_metrics:
                continue
            for time, number, words in self.happened(location, kinds, bins):
                if number in (0, MARKER):
                    continue
                count += bins == 5
                number, n = self.fixes.get((location, count), (number, len(words))) if bins == 5 else (number, len(words))
                words = words[:n]
                if number == 0:
                    continue
                if number == 31:
                    words[0] = self.metrics.get(words[0], words[0])
                if number == 39:
                    words[2] = "{" + " ".join(map(str, self.groups.get(words[2], []))) + "}"
                if number == 74:
                    words[1] = self.paths.get(words[1], "unknown")
                yield time, f"{kinds[number][0]} {' '.join(map(str, words))}".strip()

    def marks(self, location, kinds):
        for time, number, (marker, text) in [x for x in self.happened(location, kinds, 5) if x[1] == MARKER]:
            if marker not in self.markers or text not in self.texts:
                self.lost = True
            elif self.horizon <= time <= self.last:
                yield time, f"{self.markers[marker]}: {self.texts[text]}"

    def sums(self, location):
        per = 1 << (((self.size - BIN_HEAD) // 24).bit_length() - 1)
        for x in self.of(2, location):
            for i in range(per):
                count, inclusive, exclusive = struct.unpack_from("<3Q", x, BIN_HEAD + 24 * i)
                if count:
                    region = u32(x, 8) * per + i
                    yield f"profile {self.regions.get(region, region)} {count} {inclusive} {exclusive}"


def has_request(number, words):
    """Whether the last word of an event is a request, which repeats of it have anew."""
    return 15 <= number <= 21 and number != 18 and bool(words)


def leaves(f):
    """Whether a process has left something out in a pause or a phase."""
    return f.changed or any(u64(x, BIN_HEAD + 48) for x in f.of(1))


def pair(files, comms, kinds):
    """Finds the events whose messages or requests lost their other end, and says what becomes of them."""
    if not any(leaves(f) or f.horizon for f in files) or any(f.rank == 0xFFFFFFFF for f in files):
        return
    ranks, sides, listed = {f.rank: f for f in files}, {}, []

    def side(f, receives, peer, comm, tag):
        members = comms.get(comm, ("", []))[1] if comm else None
        if members is not None:
            if "|" in members:
                at = members.index("|")
                members = members[at + 1:] if f.rank in members[:at] else members[:at]
            if peer >= len(members):
                return None, None
            peer = members[peer]
        own, other = (comm, f.rank, peer, tag), (comm, peer, f.rank, tag)
        return (own, 0) if not receives else (other, 1), peer

    for f in files:
        for location in f.locations():
            count, lost = 0, False
            for time, number, words in f.happened(location, kinds, 5, old=True):
                here = time >= f.horizon
                if number == MARKER:
                    continue
                count += number != 0 and here
                message = None
                lost |= number == 0 and not words
                if number in (14, 15, 18, 19) or number == 0 and words:
                    receives, first = (number in (18, 19), words) if number else (min(words[0], 1), words[1:])
                    key, peer = side(f, receives, *first[:3])
                    if key:
                        s = sides.setdefault(key, {"next": 0 if f.mode != 2 else None, "has": set(), "where": set(), "lost": False})
                        s["where"].add((f.rank, location))
                        s["lost"] |= lost
                        if number == 0:
                            if len(words) == 6:
                                s["next"] = min(words[5], 1 << 48)
                            elif s["next"] is not None:
                                s["next"] += min(words[4], 1 << 32)
                        elif s["next"] is None:
                            s["next"], s["lost"] = 1, True
                        else:
                            if here:
                                s["has"].add(s["next"])
                            message = key, peer, s["next"]
                            s["next"] += 1
                if number and here:
                    listed.append((f, location, count, number, words, message, time))
    begun, empty = {}, {"next": 0, "has": set(), "where": set(), "lost": False}
    for f, location, count, number, words, message, time in listed:
        fixes, alone = f.fixes, False
        if message:
            (channel, receives), peer, n = message
            own, other, process = sides[channel, receives], sides.get((channel, 1 - receives), empty), ranks.get(peer)
            counted = not own["lost"] and not other["lost"] and len(own["where"]) == 1 and len(other["where"]) <= 1
            if process and counted and n not in other["has"]:
                if n < (other["next"] or 0):
                    alone = leaves(process) or process.horizon > 0
                else:
                    alone = leaves(process) and process.closed
                    if process.horizon and not other["where"]:
                        alone |= receives == 1 or shift(f, files[0], time) < shift(process, files[0], process.horizon)
        if alone:
            fixes[location, count] = 0, 0
        if number in (15, 17, 85):
            begun[f.rank, location, words[4 if number == 15 else 0]] = count, number, alone
        elif number in (16, 19, 21, 86):
            begin, kind, dropped = begun.pop((f.rank, location, words[{19: 4, 86: 5}.get(number, 0)]), (0, 0, False))
            if dropped:
                fixes[location, count] = 0, 0
            elif begin and alone:
                fixes[location, begin] = 0, 0
            elif not begin and not alone and (leaves(f) or f.horizon):
                fixes[location, count] = (18, 4) if number == 19 else (0, 0)
    for (rank, location, _), (count, kind, dropped) in begun.items():
        if leaves(ranks[rank]) and not dropped:
            ranks[rank].fixes[location, count] = (14, 4) if kind == 15 else (0, 0)


def registry(path):
    """Names and numbers of words of kinds; None if a field says how many follow."""
    kinds, events = {}, False
    for line in open(path, encoding="utf-8"):
        if line.startswith("#"):
            events = line.startswith("### Events")
        m = re.match(r"\| (\d+) \| (\w+) \| ?([^|]*)\|", line)
        if events and m and 11 <= int(m[1]) <= 88:
            fields = m[3].split(";") if m[3].strip() else []
            kinds[int(m[1])] = m[2], None if any("Count/" in f for f in fields) else len(fields)
    return kinds


def resolution(files):
    best = 0, 1_000_000_000
    for f in files:
        ticks, real = f.newest[0] - f.began[0], f.newest[1] - f.began[1]
        if f.clock == 2 and ticks > 0 and real > best[0]:
            best = real, ticks * 1_000_000_000 // real
    return best[1]


def shown(f, files, location, floor, kinds):
    name = f.names.get(location) or f"location {location}"
    yield f"location {name} of rank {f.rank}"
    lines, first = [], files[0]
    for begin, end, region in f.calls(location, floor):
        if begin <= f.last:
            lines.append((begin, f"Enter {f.regions.get(region, region)}"))
        if end < NEVER:
            lines.append((end, f"Leave {f.regions.get(region, region)}"))
    lines += f.events(location, kinds)
    for time, line in sorted(lines, key=lambda x: x[0]):
        yield f"{shift(f, first, time)} {line}"
    yield from f.sums(location)
    for time, mark in f.marks(location, kinds):
        yield f"marker {shift(f, first, time)} {mark}"


def relate(files, resolution):
    """Gives the files of other hosts, whose clocks were compared with that of the first file, the line through these moments."""
    lines = {}
    for f in files:
        moments = [m[1:] for m in files[0].moments if m[0] in [x.rank for x in files if x.host == f.host]]
        if f.host == files[0].host or not moments or f.host in lines:
            continue
        (there, here), last = moments[0], moments[-1]
        if len(moments) == 1:
            ticks, real = f.newest[0] - f.began[0], f.newest[1] - f.began[1]
            rate = resolution / 1e9 * real / ticks if ticks > 0 and real > 0 else 1
            span = min(ticks, (1 << 63) // 8 - 1) if ticks > 0 else 1_000_000_000
            last = there + span, here + int(min(rate, 4) * span)
        a, b = last[0] - there, last[1] - here
        if a > 0 and b > 0 and b // 4 <= a and a // 4 <= b:
            lines[f.host] = there, here - there, (b - a) / a
        else:
            f.lost = True
    for f in files:
        f.line = lines.get(f.host)


def shift(f, first, time):
    """A time by the clock of the first file. Other hosts whose clocks were not compared have clocks of one rate, by the times of day."""
    if f.host == first.host:
        return time
    if f.line:
        there, offset, slope = f.line
        return time + offset + round(slope * (time - there))
    return time - f.began[0] + f.began[1] - first.began[1] + first.began[0]


def place(dimensions, rank):
    at = []
    for size, _ in reversed(dimensions):
        rank, last = divmod(rank, size)
        at.insert(0, last)
    return at


def read(paths, kinds):
    try:
        files = [Recording(gzip.open(p).read()) for p in paths]
        if len({f.order for f in files}) > 1:
            raise Refused()
    except Refused:
        return ["refused"]
    files.sort(key=lambda f: f.rank)
    floor, lines, comms, windows, grids, opened = max(f.floor for f in files), [f"resolution {resolution(files)}"], {}, {}, {}, {}
    for f in files:
        comms.update(f.comms)
        windows.update(f.windows)
        grids.update(f.grids)
        opened.update(f.opened)
    for number, (name, members) in sorted(comms.items()):
        lines.append(f"communicator {number} {name}: {' '.join(map(str, members))}".rstrip())
    for number, (comm, name) in sorted(windows.items()):
        lines.append(f"window {number} {name} of communicator {comm}")
    for number, dimensions in sorted(grids.items()):
        members = comms.get(number, ("", []))[1]
        if math.prod(size for size, _ in dimensions) == len(members):
            lines.append(f"topology {number}: {' x '.join(str(size) + ' periodic' * periodic for size, periodic in dimensions)}")
            lines += [f"rank {rank} at {' '.join(map(str, place(dimensions, rank)))}" for rank in range(len(members))]
        else:
            files[0].lost = True
    for number, (comm, path) in sorted(opened.items()):
        lines.append(f"file {number} {path} of communicator {comm}")
    relate(files, resolution(files))
    pair(files, comms, kinds)
    for f in files:
        for location in f.locations():
            lines += shown(f, files, location, floor, kinds)
    return lines + ["lost"] * any(f.lost for f in files)


if __name__ == "__main__":
    print("\n".join(read(sys.argv[2:], registry(sys.argv[1]))))
