"""Definitions: pages of columns, and the order of the log (section 5.1)."""

from bits import M64, Bytes, content, dense, unzigzag

COUNT, TEXTS, SELF = 10, (13, 14), 7


def numbers(r, n):
    """A column of numbers."""
    if n == 0:
        return []
    form, out, last, step = r.byte(), [], 0, 0
    content(form < 3 and n <= r.left(), "a column of an unknown form")
    for _ in range(n):
        v = r.uvarint()
        if form == 1:
            v = last + unzigzag(v) & M64
        elif form == 2:
            step = step + unzigzag(v) & M64
            v = last + step & M64
        last = v
        out.append(v)
    return out


def texts(r, n, room):
    """A column of texts, of at most room bytes in all."""
    shared = r.take(n)
    content(n <= r.left(), "a column of texts that is cut off")
    rests, out, before = [r.uvarint() for _ in range(n)], [], b""
    content(sum(rests) <= r.left() and sum(rests) + sum(shared) <= room, "longer texts than the page can have")
    for i in range(n):
        content(shared[i] <= len(before), "a text that shares more than there is")
        before = before[:shared[i]] + r.take(rests[i])
        out.append(before)
    return out


def columns(r, spec, n, room):
    """The words and texts of n records of a kind, and the number of bytes of all texts."""
    columns, members, counts, length = [], None, None, 0
    for i, f in enumerate(spec.fields):
        rows = n
        if f.repeat:
            content(members is not None, "a group without a count")
            rows = members
        if f.type in TEXTS:
            columns.append(texts(r, rows, room - length))
            length += sum(map(len, columns[-1]))
        else:
            columns.append(numbers(r, rows))
        if members is None and f.type == COUNT and not any(g.repeat for g in spec.fields[:i]):
            counts, members = columns[-1], sum(columns[-1])
            content(members <= r.left() or not any(g.repeat for g in spec.fields), "a count that cannot be")
    return rows_of(spec, columns, counts, n), length


def rows_of(spec, columns, counts, n):
    at, out = [0] * len(columns), []
    for record in range(n):
        words, found, f = [], [], 0
        while f < len(columns):
            group = [f]
            while spec.fields[f].repeat and group[-1] + 1 < len(columns) and spec.fields[group[-1] + 1].repeat:
                group.append(group[-1] + 1)
            for _ in range(counts[record] if spec.fields[f].repeat else 1):
                for g in group:
                    v = columns[g][at[g]]
                    at[g] += 1
                    words.append(0 if isinstance(v, bytes) else v)
                    if isinstance(v, bytes):
                        found.append(v.hex())
            f = group[-1] + 1
        out.append([words, found])
    return out


def page(b, kinds, listed):
    """The records of a page, each with its place in the log; listed are the kinds and ids that the root says."""
    r = Bytes(b)
    n = r.count()
    content(0 < n <= 1 << 16, "a page of too many records")
    places, end = [], 0
    while len(places) < n:
        first, length = end + r.uvarint(), r.uvarint() + 1
        content(len(places) + length <= n and first <= 1 << 62 and not (places and first == end), "records out of place")
        places += range(first, first + length)
        end = first + length
    own, kind = [], 0
    for i in range(r.count()):
        d = r.uvarint()
        kind += d
        content(kind in kinds and (i == 0 or d > 0), "an unknown kind of definitions")
        own.append(kind)
    order = []
    while len(order) < n:
        k, length = r.uvarint(), r.uvarint() + 1
        content(k < len(own) and len(order) + length <= n and not (order and order[-1] == k), "a bad run of a kind")
        order += [k] * length
    content(len(set(order)) == len(own), "a kind without records")
    rows, length = [], 0
    for k, kind in enumerate(own):
        found, more = columns(r, kinds[kind], order.count(k), 32 * len(b) - length)
        rows.append(iter(found))
        length += more
    r.end_filled(dense(8 * n + -(-length // 4)))
    records = [[own[k], *next(rows[k])] for k in order]
    content(listed == (own, ids(kinds[own[0]], records) if len(own) == 1 else None), "other kinds or ids than the root says")
    return zip(places, records)


def ids(spec, records):
    """The least and the greatest id of records of one kind."""
    if not spec.fields or spec.fields[0].type != SELF:
        return 0, 0
    return min(r[1][0] for r in records), max(r[1][0] for r in records)


def log(pages, kinds):
    """All definitions, in the order of the log; pages are the blocks of the root with what it says of them."""
    at = {}
    for b, listed in pages:
        for place, record in page(b, kinds, listed):
            content(place not in at, "two records in a place of the log")
            at[place] = record
    content(all(i in at for i in range(len(at))), "a place of the log without a record")
    return [at[i] for i in range(len(at))]
