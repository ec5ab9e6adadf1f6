"""The kinds of records that registry.md lists: what a file says of these does not count (section 4.2 of format.md)."""

import os
import re

ROW = re.compile(r"^\| (\d+) \| \w+ \| (.*?) \| (.*)\|$")
FIELD = re.compile(r"`\w+` (\w+)(?: (\w+))?/\d+((?: \*\w+\*)*)$")
PAIR = re.compile(r"(?:opens|closes) (\w+) ")
ROLE = re.compile(r"(opens|closes) (\w+) (\w+)(?:: ([^;]*))?")
NUMBER = re.compile(r"^\| (\d+) \| (\w+) \|")


def tables():
    """Lines of the registry by the name of their table."""
    out, name = {}, None
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "registry.md"), encoding="utf-8") as f:
        for line in f:
            if line.startswith("<!-- "):
                name = line.split()[2] if "table:" in line else None
            elif name:
                out.setdefault(name, []).append(line.strip())
    return out


def kinds(field, spec):
    """Specifications of all registered kinds, made by field(type, space, flags) and spec(fields)."""
    all_tables, out = tables(), {}
    numbers = lambda name: {m[2]: int(m[1]) for m in map(NUMBER.match, all_tables[name]) if m}
    types, spaces, families = numbers("types"), numbers("spaces"), numbers("families")
    for name in ("events", "definitions", "locals", "snapshots", "markers", "statistics"):
        for m in map(ROW.match, all_tables[name]):
            if not m:
                continue
            fields = []
            for text in m[2].split("; ") if m[2] else []:
                typ, about, marks = FIELD.match(text).groups()
                space = spaces.get(about, 0) if typ in ("Ref", "Self") else 0
                fields.append(field(types[typ], space, sum(bit for word, bit in FLAGS.items() if "*" + word + "*" in marks)))
            out[int(m[1])] = spec(fields)
            out[int(m[1])].pairs = any(0 < families[family] <= 6 for family in PAIR.findall(m[3]))
            names = re.findall(r"`(\w+)` ", m[2])
            for verb, family, rule, keys in ROLE.findall(m[3]):
                keys = re.findall(r"`(\w+)`", keys)
                out[int(m[1])].roles.append((families[family], verb == "closes", 1 if rule == "InOrder" else 2, [names.index(k) for k in keys]))
    return out


FLAGS = {"value": 1, "key": 2, "each": 4, "peer": 8}
