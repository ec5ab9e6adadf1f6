"""Takes a table in Pipit's layout (CSV) as docs/tables.md says, and does with it what Pipit does with its events.

Usage: pipit.py FILE. Prints how many enters and leaves know each other; fails if one is wrong.
"""

import sys

import numpy as np
import pandas as pd

events = pd.read_csv(sys.argv[1])

# As docs/tables.md says: the index of Pipit's events is their place in order of time.
place = pd.Series(np.arange(len(events)), index=events["event"])
for column in ["_matching_event", "_parent"]:
    events[column] = events[column].map(place)
events = events.drop(columns="event")
events = events.astype({c: "category" for c in ["Event Type", "Name", "Process", "Thread"]})

assert events["Timestamp (ns)"].is_monotonic_increasing
assert list(events.columns[:6]) == ["Timestamp (ns)", "Event Type", "Name", "Process", "Thread", "Attributes"], events.columns

# What Pipit finds out itself where a table does not have it: by process and thread, with a stack.
columns = ["Event Type", "Name", "Timestamp (ns)", "_matching_event", "_matching_timestamp", "_depth", "_parent", "time.inc", "time.exc"]
pairs = 0
for _, rows in events.groupby(["Process", "Thread"], observed=True):
    stack = []
    for at, kind, name, time, other, other_time, depth, parent, inclusive, exclusive in rows[columns].itertuples():
        if kind == "Enter":
            assert depth == len(stack) and (np.isnan(parent) if not stack else parent == stack[-1][0]), (at, depth, parent)
            if stack:
                stack[-1][6] += inclusive
            stack.append([at, name, time, other, other_time, inclusive, 0, exclusive])
        elif kind == "Leave":
            enter, called, began, end, end_time, duration, below, own = stack.pop()
            assert (enter, at) == (other, end) and (began, time) == (other_time, end_time), (enter, at, other, end)
            assert called == name and duration == time - began and own == duration - below, (at, name, called, duration)
            pairs += 1
    assert not stack, stack
print(pairs)
