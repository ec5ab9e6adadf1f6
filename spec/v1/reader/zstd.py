"""One zstd frame, as RFC 8878 describes it, with or without bytes that stand before what it holds. (Python has zstd itself from 3.14 on.)"""

from bits import Refused

LITERALS = [(n, 0) for n in range(16)] + [
    (16, 1), (18, 1), (20, 1), (22, 1), (24, 2), (28, 2), (32, 3), (40, 3), (48, 4), (64, 6)] + [(1 << n, n) for n in range(7, 17)]
MATCHES = [(n + 3, 0) for n in range(32)] + [
    (35, 1), (37, 1), (39, 1), (41, 1), (43, 2), (47, 2), (51, 3), (59, 3), (67, 4), (83, 4), (99, 5)] + [(3 + (1 << n), n) for n in range(7, 17)]
DEFAULTS = (
    (6, [4, 3] + [2] * 11 + [1] * 3 + [2] * 9 + [3, 2] + [1] * 5 + [-1] * 4),
    (5, [1] * 6 + [2] * 3 + [1] * 15 + [-1] * 5),
    (6, [1, 4, 3] + [2] * 6 + [1] * 37 + [-1] * 7),
)


def check(ok, why="zstd"):
    if not ok:
        raise Refused("codec", why)


class Forward:
    """Bits from the begin, low ones first."""

    def __init__(self, b):
        self.v, self.at, self.n = int.from_bytes(b, "little"), 0, 8 * len(b)

    def peek(self, n):
        return self.v >> self.at & ((1 << n) - 1)

    def bits(self, n):
        v = self.peek(n)
        self.at += n
        check(self.at <= self.n)
        return v


class Backward:
    """Bits from the end, behind the highest bit that is set. Bits before the begin are 0."""

    def __init__(self, b):
        check(b and b[-1])
        self.v = int.from_bytes(b, "little")
        self.left = self.v.bit_length() - 1

    def bits(self, n):
        self.left -= n
        if self.left >= 0:
            return self.v >> self.left & ((1 << n) - 1)
        return (self.v << -self.left) & ((1 << n) - 1)


class States:
    """A table of finite state entropy: of each state the symbol, the number of bits, and the base of the next state."""

    def __init__(self, log, counts):
        size = 1 << log
        symbols, high = [0] * size, size
        for s, n in enumerate(counts):
            if n == -1:
                high -= 1
                symbols[high] = s
        at = 0
        for s, n in enumerate(counts):
            for _ in range(max(n, 0)):
                symbols[at] = s
                at = at + (size >> 1) + (size >> 3) + 3 & size - 1
                while at >= high:
                    at = at + (size >> 1) + (size >> 3) + 3 & size - 1
        following = [abs(n) for n in counts]
        self.log, self.rows = log, []
        for s in symbols:
            n = following[s]
            following[s] += 1
            bits = log - (n.bit_length() - 1)
            self.rows.append((s, bits, (n << bits) - size))


def read_states(b, most):
    """A table and the number of bytes that describe it."""
    r = Forward(b)
    log = r.bits(4) + 5
    check(log <= most)
    left, counts = 1 << log, []
    while left > 0:
        n = (left + 1).bit_length()
        v = r.peek(n)
        low = (1 << n - 1) - 1
        spare = (1 << n) - 1 - (left + 1)
        if v & low < spare:
            r.bits(n - 1)
            v &= low
        else:
            r.bits(n)
            if v > low:
                v -= spare
        counts.append(v - 1)
        left -= abs(v - 1)
        while v == 1:
            zeros = r.bits(2)
            counts += [0] * zeros
            if zeros < 3:
                break
        check(len(counts) < 256)
    check(left == 0)
    return States(log, counts), (r.at + 7) // 8


class Huffman:
    def __init__(self, weights):
        total = sum(1 << w - 1 for w in weights if w)
        check(total > 0)
        self.log = total.bit_length()
        rest = (1 << self.log) - total
        check(self.log <= 11 and rest & rest - 1 == 0)
        weights = weights + [rest.bit_length()]
        self.rows = []
        for w in range(1, self.log + 1):
            for s, v in enumerate(weights):
                if v == w:
                    self.rows += [(s, self.log + 1 - w)] * (1 << w - 1)

    def decode(self, b, n):
        r, out = Backward(b), bytearray()
        v, left = r.v, r.left
        while left > 0:
            peek = v >> left - self.log if left >= self.log else v << self.log - left
            s, bits = self.rows[peek & (1 << self.log) - 1]
            out.append(s)
            left -= bits
        check(left == 0 and len(out) == n)
        return bytes(out)


def read_huffman(b):
    head = b[0]
    if head >= 128:
        n = head - 127
        weights = [b[1 + i // 2] >> (0 if i % 2 else 4) & 15 for i in range(n)]
        return Huffman(weights), 1 + (n + 1) // 2
    table, used = read_states(b[1:1 + head], 6)
    r, weights = Backward(b[1 + used:1 + head]), []
    states = [r.bits(table.log), r.bits(table.log)]
    check(r.left >= 0)
    while True:
        s, bits, base = table.rows[states[0]]
        weights.append(s)
        if r.left < bits:
            weights.append(table.rows[states[1]][0])
            break
        states = [states[1], base + r.bits(bits)]
        check(len(weights) < 256)
    return Huffman(weights), 1 + head


class Frame:
    def __init__(self, before):
        self.out, self.repeat, self.huffman, self.tables = bytearray(before), [1, 4, 8], None, [None] * 3

    def literals(self, b):
        kind, form = b[0] & 3, b[0] >> 2 & 3
        if kind < 2:
            head = (1, 2, 1, 3)[form]
            n = int.from_bytes(b[:head], "little") >> (3 if head == 1 else 4)
            if kind == 0:
                return b[head:head + n], head + n
            return b[head:head + 1] * n, head + 1
        head, bits = ((3, 10), (3, 10), (4, 14), (5, 18))[form]
        v = int.from_bytes(b[:head], "little") >> 4
        n, size = v & (1 << bits) - 1, v >> bits
        b, end = b[head:head + size], head + size
        if kind == 2:
            self.huffman, used = read_huffman(b)
            b = b[used:]
        check(self.huffman)
        if form == 0:
            return self.huffman.decode(b, n), end
        sizes = [int.from_bytes(b[2 * i:2 * i + 2], "little") for i in range(3)]
        out, at, each = b"", 6, (n + 3) // 4
        for i, size in enumerate(sizes + [len(b) - 6 - sum(sizes)]):
            out += self.huffman.decode(b[at:at + size], each if i < 3 else n - 3 * each)
            at += size
        return out, end

    def block(self, b):
        literals, at = self.literals(b)
        b = b[at:]
        n, head = b[0], 1
        if n == 255:
            n, head = int.from_bytes(b[1:3], "little") + 0x7F00, 3
        elif n >= 128:
            n, head = (n - 128 << 8) + b[1], 2
        if n == 0:
            self.out += literals
            return
        modes, at = b[head], head + 1
        for i in range(3):
            mode = modes >> 6 - 2 * i & 3
            if mode == 0:
                self.tables[i] = States(*DEFAULTS[i])
            elif mode == 1:
                self.tables[i] = States(0, [0] * b[at] + [1])
                at += 1
            elif mode == 2:
                self.tables[i], used = read_states(b[at:], 9)
                at += used
        self.sequences(Backward(b[at:]), n, literals)

    def sequences(self, r, n, literals):
        check(all(self.tables))  # one that is repeated must have been there
        states, used = [r.bits(t.log) for t in self.tables], 0
        for i in range(n):
            codes = [t.rows[s] for t, s in zip(self.tables, states)]
            offset = (1 << codes[1][0]) + r.bits(codes[1][0])
            base, bits = MATCHES[codes[2][0]]
            match = base + r.bits(bits)
            base, bits = LITERALS[codes[0][0]]
            count = base + r.bits(bits)
            if i + 1 < n:
                for k in (0, 2, 1):
                    states[k] = codes[k][2] + r.bits(codes[k][1])
            self.out += literals[used:used + count]
            used += count
            self.copy(self.offset(offset, count), match)
        check(r.left == 0 and used <= len(literals))
        self.out += literals[used:]

    def offset(self, v, count):
        a, b, c = self.repeat
        if v > 3:
            self.repeat = [v - 3, a, b]
        else:
            which = v - 1 + (count == 0)
            self.repeat = ([a, b, c], [b, a, c], [c, a, b], [a - 1, a, b])[which]
        return self.repeat[0]

    def copy(self, offset, n):
        check(0 < offset <= len(self.out))
        at = len(self.out) - offset
        while n > 0:
            part = self.out[at:at + n]
            self.out += part
            at, n = at + len(part), n - len(part)


def decompress(b, size, before=b""):
    """What a frame holds, which are so many bytes; `before` is the content of a dictionary."""
    try:
        return frame(b, size, before)
    except (IndexError, ValueError) as e:
        raise Refused("codec", str(e))


def frame(b, size, before):
    check(b[:4] == b"\x28\xb5\x2f\xfd")
    head = b[4]
    single = head >> 5 & 1
    check(head & 11 == 0)
    at = 5 + (not single) + (single, 2, 4, 8)[head >> 6]
    f = Frame(before)
    while True:
        v = int.from_bytes(b[at:at + 3], "little")
        check(at + 3 <= len(b))
        last, kind, n = v & 1, v >> 1 & 3, v >> 3
        at += 3
        if kind == 0:
            f.out += b[at:at + n]
        elif kind == 1:
            f.out += b[at:at + 1] * n
            n = 1
        else:
            check(kind == 2)
            f.block(b[at:at + n])
        at += n
        check(len(f.out) - len(before) <= size and at <= len(b))
        if last:
            break
    at += 4 * (head >> 2 & 1)
    if at < len(b):
        check(b[at:at + 4] == b"\x50\x2a\x4d\x18" and at + 8 + int.from_bytes(b[at + 4:at + 8], "little") == len(b))
        at = len(b)
    check(at == len(b) and len(f.out) - len(before) == size)
    return bytes(f.out[len(before):])
