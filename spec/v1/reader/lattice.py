"""Section 6.4 of format.md: values on a lattice."""

from bits import M64, content, signed, unzigzag

UNIT = 1 << 40
ANY = (0, UNIT)


def lead(p, n):
    """Where n ticks lead: whole steps and a part of one; None if they are too many."""
    whole, part = divmod(n * p.period, UNIT)
    return (whole, part) if abs(n) < 1 << 60 and -(1 << 63) <= whole < 1 << 63 else None


def narrow(bounds, part, more):
    """The bounds of the phase after a part of a step, or None if they do not allow one step more, or none more."""
    low, high = bounds[0] + part, bounds[1] + part
    low, high = (max(low, UNIT) - UNIT, max(high, UNIT) - UNIT) if more else (low, min(high, UNIT))
    return (low, high) if low < high else None


def on_lattice(p, bounds, step):
    n = -(-(step - 1) * UNIT // p.period)  # the least that leads to a step less
    t = lead(p, n)
    return t is not None and step - t[0] in (0, 1) and narrow(bounds, t[1], step > t[0]) is not None


def value(p, m, code, clock):
    """The value of a code, and the bounds of the phase after it."""
    expected = 0
    if p.source >= 2 and m.run is not None:
        expected = signed((signed(clock - m.clock & M64) * p.rate + (1 << 31) >> 32) & M64)
    if code >> 63:
        t = lead(p, expected)
        step = signed((t[0] if t else 0) + unzigzag(M64 - code) & M64)
        content(not on_lattice(p, m.phase, step), "a value on the lattice, coded as if it were not")
        return m.value + step & M64, ANY
    t = lead(p, signed(expected + unzigzag(code & (1 << 62) - 1) & M64))
    content(t is not None, "too many ticks")
    middle = m.phase[0] + m.phase[1] + 2 * t[1] >= 2 * UNIT
    more = middle != (code >> 62 == 1)
    after = narrow(m.phase, t[1], more)
    content(after is not None, "a value that the phase does not allow")
    return m.value + t[0] + more & M64, after
