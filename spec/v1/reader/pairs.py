"""Section 10.8 of format.md: spanning pairs."""

import follow
from bits import content, signed
from items import Messages


def check(contents, definitions):
    """All pairs of events of the families that are listed; those that reach over slices must be the items that the file has."""
    f, told, sent, stored = contents.f, set(), set(), {}
    for (level, lane, node), b in f.of_kind(21):
        block = Messages(b, f.fanout, True)
        content((block.level, block.lane, block.node) == (level, lane, node), "another node")
        told |= {(level, node, lane, to) for to in block.receivers}
        for x in block.all():
            content(x.tag == 0 and x.communicator in follow.LISTED, "a pair of no family")
            ends = [(location, ordinal, signed(t), kind) for location, ordinal, t, kind in x.ends]
            for (location, _, t, _), slice in zip(ends, x.slices):
                contents.id(location)
                contents.in_slice(t, slice)
            contents.id(ends[1][0], lane)
            source = f.locations[ends[0][0]]["lane"]
            if source != lane:
                sent.add((level, node, source, lane))
            stored[x.communicator, ends[0][0], ends[0][1]] = (*ends, x.slices)
    content(told == sent, "receivers that are not those of the pairs")
    found, out, behind = follow.pairs(f, definitions, contents.last), [], {}
    for family, opened, closed, slices in found:
        if closed[3] == 0 and slices[0] < slices[1]:
            n = behind[closed[0]] = behind.get(closed[0], closed[1] - 1) + 1
            closed = closed[0], n, closed[2], 0
        item = stored.pop((family, *opened[:2]), None)
        content(item == ((opened, closed, slices) if slices[0] < slices[1] else None), "a spanning pair that is not what the events say")
        end = closed if closed[3] else (closed[0], 0, closed[2], 0)
        out.append([family, contents.id(opened[0]), *opened[1:3], contents.id(end[0]), *end[1:]])
    content(not stored, "a spanning pair that is none")
    return {"pairs": sorted(out)} if out else {}
