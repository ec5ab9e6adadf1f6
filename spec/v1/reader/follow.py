"""What follows from events: call stacks (section 10.2), messages inside a slice (7.4), and processes (7.4)."""

from bits import content

ENTER, LEAVE, CONTEXT_ENTER, CONTEXT_LEAVE = 12, 13, 66, 67
MPI_SEND, MPI_ISEND, MPI_RECV, MPI_IRECV = 14, 15, 18, 19
LOCATION, GROUP, COMM, INTER_COMM = 270, 274, 278, 299
COMM_LOCATIONS, COMM_SELF, GLOBAL_MEMBERS = 4, 6, 1
OPEN, CUT = 1, 2
LISTED = {7: "location", 8: "process", 9: "process", 12: "location", 13: "location", 14: "all", 15: "all"}


class Call:
    def __init__(self, key, t, ordinal, outer):
        self.key, self.start, self.ordinal, self.outer = key, t, ordinal, outer
        self.depth = outer.depth + 1 if outer else 0
        self.children = self.inside = 0

    def close(self, t, ordinal, flags):
        self.end, self.last, self.flags = t, ordinal, flags
        self.exclusive = t - self.start - self.inside
        if self.outer:
            self.outer.children += 1
            self.outer.inside += t - self.start

    def dump(self):
        parent = self.outer.ordinal if self.outer else None
        return [self.ordinal, self.last, *self.key, self.start, self.end, self.exclusive, self.children, self.depth, parent, self.flags]


def calls(events, last):
    """The calls of a location, in the order of their enters; last is the time of the trace's last event."""
    stack, all_calls = [], []
    for ordinal, e in enumerate(events):
        kind, t, words = e[0], e[1], e[3]
        if kind in (ENTER, CONTEXT_ENTER):
            stack.append(Call((int(kind == CONTEXT_ENTER), words[0]), t, ordinal, stack[-1] if stack else None))
            all_calls.append(stack[-1])
        elif kind in (LEAVE, CONTEXT_LEAVE):
            key = int(kind == CONTEXT_LEAVE), words[0]
            if any(c.key == key for c in stack):
                while stack[-1].key != key:
                    stack.pop().close(t, ordinal, CUT)
                stack.pop().close(t, ordinal, 0)
    while stack:
        stack.pop().close(last, len(events), OPEN)
    return all_calls


class Processes:
    """Which process a location or a rank is; a location that is not defined is a process of its own."""

    def __init__(self, definitions):
        self.groups, self.communicators, self.of, self.members = {}, {}, {}, {}
        for kind, words, _ in definitions:
            if kind == LOCATION:
                self.of.setdefault(words[0], ("group", words[4]))
            elif kind == GROUP:
                n = words[2]
                typ, paradigm, flags = words[3 + n:6 + n]
                self.groups.setdefault(words[0], (words[3:3 + n], typ, paradigm, flags))
                if typ == COMM_LOCATIONS:
                    self.members.setdefault(paradigm, words[3:3 + n])
            elif kind == COMM:
                self.communicators.setdefault(words[0], words[2:3])
            elif kind == INTER_COMM:
                self.communicators.setdefault(words[0], words[2:4])

    def process(self, location):
        return self.of.get(location, ("location", location))

    def location(self, group, rank):
        """The location of a rank of a group, None if there is none."""
        members, typ, paradigm, flags = group
        all_members = members if typ == COMM_LOCATIONS else self.members.get(paradigm, [])
        if typ != COMM_LOCATIONS and not flags & GLOBAL_MEMBERS:
            if rank >= len(members):
                return None
            rank = members[rank]
        return all_members[rank] if rank < len(all_members) else None

    def of_rank(self, communicator, rank, asking):
        groups = [self.groups.get(g) for g in self.communicators.get(communicator, [])]
        if len(groups) == 2 and self.process(asking) in self.of_group(groups[0]):
            groups = groups[1:]
        if not groups or groups[0] is None:
            return None
        location = asking if rank == 0 else None
        if groups[0][1] != COMM_SELF:
            location = self.location(groups[0], rank)
        return None if location is None else self.process(location)

    def of_group(self, group):
        if group is None:
            return set()
        members, typ, _, flags = group
        ranks = members if flags & GLOBAL_MEMBERS else range(len(members))
        locations = [self.location(group, r) for r in ranks]
        return {self.process(x) for x in locations if x is not None}


def pairs(f, definitions, last):
    """The pairs of events of the families that files list: family, opening and closing end, their slices, in the order of open ones by location."""
    processes, events, waiting, out = Processes(definitions), [], {}, []
    for i, location in enumerate(f.locations):
        for ordinal, (e, slice) in enumerate(zip(location["events"], location["slices"])):
            for role in f.kinds[e[0]].roles:
                if role[0] in LISTED and role[2] in (1, 2) and len(role[3]) <= 4:
                    events.append((slice, e[1], i, ordinal, role[0], role, e))
    for slice, t, i, ordinal, family, (_, closes, rule, keys), e in sorted(events, key=lambda x: x[:5]):
        scope = {"location": i, "process": processes.process(f.locations[i]["id"]), "all": None}[LISTED[family]]
        of = waiting.setdefault((family, scope, *(e[3][k] for k in keys)), [])
        end = i, ordinal, t, e[0]
        if not closes:
            of.append((end, slice))
        elif of:
            opened, begun = of.pop(0 if rule == 1 else -1)
            out.append((family, opened, end, (begun, slice)))
    left = sorted((opened[0], opened[1], key[0], opened, begun) for key, of in waiting.items() for opened, begun in of)
    for i, _, family, opened, begun in left:
        out.append((family, opened, (i, len(f.locations[i]["events"]), last, 0), (begun, f.slices - 1)))
    return out


def ends_of(run, location, marks, before):
    """The ends of a run: number in the block, is a send, (location, ordinal, time, length), peer, communicator, tag, mark."""
    out = []
    for i, e in enumerate(run.events):
        if e[0] in (MPI_SEND, MPI_ISEND, MPI_RECV, MPI_IRECV):
            peer, communicator, tag, length = e[3][:4]
            mark = marks.get(before + len(out))
            out.append((e[0] in (MPI_SEND, MPI_ISEND), (location, run.first + i, e[1], length), peer, communicator, tag, mark))
    return out


def pair(ends, processes):
    """The messages of a slice, as (send, receive, communicator, tag)."""
    free, messages = {}, []
    receives = []
    for is_send, end, peer, communicator, tag, mark in ends:
        if mark == 0:
            continue
        own, other = processes.process(end[0]), processes.of_rank(communicator, peer, end[0])
        content(other is not None, "a paired end of no channel")
        if is_send:
            content(mark is None, "a send that skips others")
            free.setdefault((own, other, communicator, tag), []).append(end)
        else:
            receives.append((end, (other, own, communicator, tag), mark or 0))
    for end, channel, skip in receives:
        sends = free.get(channel, [])
        content(skip < len(sends), "a receive without a send")
        messages.append((sends.pop(skip), end, *channel[2:]))
    content(not any(free.values()), "a send without a receive")
    return messages
