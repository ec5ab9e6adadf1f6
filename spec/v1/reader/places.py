"""Locations and their pages (sections 4.3 and 4.5), and where the directory lists blocks (section 9.1)."""

import follow
from bits import Bytes, M64, content, pass_extensions, signed
from definitions import numbers

MOST_SPAN = (1 << 62) + 1  # ticks: times lie in [-2^61, 2^61]


def check_span(first, length):
    content(length <= MOST_SPAN and signed(first) + length < 1 << 63, "a time of too many ticks")


def range_of_page(r, lanes):
    """The least and the greatest id and lane of a page of locations."""
    first = r.uvarint()
    last, lane = first + r.uvarint(), r.uvarint()
    end = lane + r.uvarint()
    content(last <= M64 and end < lanes, "a page of locations out of range")
    return first, last, lane, end


def few(r, count):
    """What the totals say of locations: how many a page has, and their rows if they have no pages."""
    each = r.uvarint()
    content(each <= 4096 and count <= 1 << 24, "locations out of range")
    content(each > 0 or count <= 4096, "too many locations without pages")
    return each, rows([numbers(r, count) for _ in range(2)], [numbers(r, count) for _ in range(5)]) if each == 0 else []


def read(file, count, each, few_rows):
    """All locations: from the totals, or from the pages that the root lists."""
    content(file.lanes <= count, "locations out of range")
    all_of_them = few_rows if each == 0 else [row for page in pages(file, count, each) for row in page]
    content(all(x["lane"] < file.lanes for x in all_of_them), "a location in a lane that there is not")
    return all_of_them


def pages(file, count, each):
    ids, totals = [[e[4] for e in file.listed if e[0] == kind] for kind in (18, 19)]
    content(len(ids) == len(totals) == -(-count // each), "pages of other locations")
    end = 0
    for i, (offset, length, _) in enumerate(ids):
        n = min(each, count - i * each)
        content(offset >= end and length >= 28 + -(-2 * n // 128), "pages of locations out of order")
        end = offset + length
    for i, refs in enumerate(zip(ids, totals)):
        n, columns = min(each, count - i * each), []
        for kind, ref, width in zip((18, 19), refs, (2, 5)):
            r = Bytes(file.block(kind, ref))
            content((r.uvarint(), r.uvarint()) == (i * each, n), "a page of other locations")
            columns.append([numbers(r, n) for _ in range(width)])
            pass_extensions(r)
        names, sums = columns
        content(tuple(f(column) for column in names for f in (min, max)) == file.ranges[i], "other ids or lanes than the root says")
        yield rows(names, sums)


def rows(names, sums):
    out = []
    for number, lane, events, _, _, first, length in zip(*names, *sums):
        check_span(first, length)
        out.append({"id": number, "lane": lane, "count": events, "events": [], "slices": []})
    return out


def check(file, definitions):
    """Holds ids and lanes against the definitions."""
    processes, ids = follow.Processes(definitions), [x["id"] for x in file.locations]
    content(len(set(ids)) == len(ids), "an id that stands twice")
    content([i for i in ids if i in processes.of] == list(processes.of), "other locations than are defined")
    lanes, last = {}, -1
    for location in file.locations:
        process = processes.process(location["id"])
        if process in lanes:
            content(location["lane"] == lanes[process], "a process of two lanes")
        else:
            content(location["lane"] in (last, last + 1), "a lane out of order")
            lanes[process] = last = location["lane"]
    content(file.lanes == len(set(lanes.values())), "lanes without locations")


def division(r):
    """The number of children of a node, and of slices of a group."""
    fanout, group = r.uvarint(), r.uvarint()
    content(2 <= fanout < 1 << 16, "a fanout out of range")
    content(0 < group < 1 << 16 and fanout ** 2 % group == 0, "groups that do not divide nodes")
    return fanout, group


def check_division(r, *said):
    content(division(r) == said and not r.left(), "another division than the root says")


def with_slice(file, entry, other):
    """The slice in whose page a block is listed, one behind the last for the root; `other` for blocks of no slice."""
    kind, level, _, number, _ = entry
    if kind in (4, 5, 6, 12, 20):
        content(level == 0, "a block of a level that has none")
        return number * (file.group if kind in (4, 5, 20) else 1)
    if kind in (7, 8, 11, 16, 17, 21):
        content(level > 0 and number * file.fanout ** level < file.slices, "a block of a node that there is not")
        return min((number + 1) * file.fanout ** level, file.slices) - 1 if level <= 2 else file.slices
    return other
