#!/usr/bin/env python3
"""What filling a new index takes, added up item by item by the rule alone: one unit for each started KB of an entry.

usage: backfill_units.py ITEMS.jsonl KEYS [ATTRIBUTES]
KEYS are the names of the table's and the index's key attributes, with commas: an item that lacks one has no entry.
ATTRIBUTES are what the entry carries besides; without it, everything.
"""
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import sizing

keys = sys.argv[2].split(",")
carried = set(keys + sys.argv[3].split(",")) if len(sys.argv) > 3 else None
units = 0
for line in open(sys.argv[1], encoding="utf-8"):
    item = json.loads(line)
    if all(key in item for key in keys):
        entry = {name: value for name, value in item.items() if carried is None or name in carried}
        units += max(1, -(-sizing.item(entry) // 1024))
print(units)
