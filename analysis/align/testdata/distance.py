"""Reads pairs of trees as JSON, a line each, and prints their edit distance (Zhang and Shasha 1989): a call that is lacking costs 4, one of
another name 6. A tree is [name, [children]]."""

import json
import sys

import zss


def node(tree):
    n = zss.Node(tree[0])
    for child in tree[1]:
        n.addkid(node(child))
    return n


for line in sys.stdin:
    a, b = json.loads(line)
    distance = zss.distance(
        node(a), node(b), zss.Node.get_children,
        insert_cost=lambda n: 4, remove_cost=lambda n: 4,
        update_cost=lambda x, y: 0 if x.label == y.label else 6,
    )
    print(int(distance))
