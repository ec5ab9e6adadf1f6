"""What was said of a trace afterwards (format, 4.6)."""

from bits import Bytes, M64, content, pass_extensions

MOST = 1 << 16


def read(f):
    """The annotations of a file: kind, name, class, from, to, communicator, fingerprint, text."""
    out, before = [], b""
    for payload in [f.only(65)] if any(e[0] == 65 for e in f.listed) else []:
        r = Bytes(payload)
        for _ in range(r.count(8)):
            kind, name, of, begin = r.byte(), r.bytes(), r.bytes(), r.varint()
            end, communicator = begin + r.uvarint(), r.uvarint() - 1 & M64
            fingerprint, text = r.bytes(), r.bytes()
            content(before < name and max(len(name), len(of), len(text)) <= MOST, "annotations out of order, without a name, or too long")
            content(end < 1 << 63 and len(fingerprint) <= 64, "an annotation that ends before it begins, or with a fingerprint that is none")
            out.append([kind, name.hex(), of.hex(), begin, end, communicator, fingerprint.hex(), text.hex()])
            before = name
        pass_extensions(r)
        content(len(out) <= MOST, "too many annotations")
    return {"annotations": out} if out else {}
