"""What was said of a trace afterwards (format, 4.6)."""

from bits import Bytes, M64, content, pass_extensions

MOST = 1 << 16


def read(f):
    """The annotations of a file: kind, name, class, from, to, communicator, fingerprint, text, routine."""
    out, before = [], b""
    for payload in [f.only(65)] if any(e[0] == 65 for e in f.listed) else []:
        r = Bytes(payload)
        for _ in range(r.count(9)):
            kind, name, of, begin = r.byte(), r.bytes(), r.bytes(), r.varint()
            end, communicator = begin + r.uvarint(), r.uvarint() - 1 & M64
            fingerprint, text = r.bytes(), r.bytes()
            content(before < name and max(len(name), len(of), len(text)) <= MOST, "annotations out of order, without a name, or too long")
            content(end < 1 << 63 and len(fingerprint) <= 64, "an annotation that ends before it begins, or with a fingerprint that is none")
            out.append([kind, name.hex(), of.hex(), begin, end, communicator, fingerprint.hex(), text.hex(), routine(r)])
            before = name
        pass_extensions(r)
        content(len(out) <= MOST, "too many annotations")
    return {"annotations": out} if out else {}


def routine(r):
    """What a pattern of calls consists of: steps, least and most repetitions, share, and spans of locations; empty for none."""
    steps = [[r.bytes(), r.uvarint()] for _ in range(r.count(2))]
    if not steps:
        return []
    content(len(steps) <= 1 << 12 and all(len(name) <= MOST for name, _ in steps), "steps of a routine that are too many, or have names that are too long")
    least = r.uvarint()
    most, share = least + r.uvarint(), r.uvarint()
    content(0 < least and most <= M64 and share <= 10**6, "a routine that is never repeated, or takes more than all of the time")
    spans, last = [], -2
    for _ in range(r.count(2)):
        first = r.uvarint() + max(last, 0)
        content(first > last + 1, "locations of a routine are out of order")
        last = first + r.uvarint()
        content(last <= M64, "locations of a routine are out of order")
        spans.append([first, last])
    return [[[name.hex(), n] for name, n in steps], least, most, share, spans]
