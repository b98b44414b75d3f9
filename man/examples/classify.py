# Classifies many addresses from Python with one process. An address must not contain a line break.
# Use: copy the function into your program, or run: python3 classify.py

import json
import subprocess


def classify(addresses):
    lines = "".join(f"{address}\n" for address in addresses)
    done = subprocess.run(
        ["addrsift", "detect", "--quiet"], input=lines, capture_output=True, encoding="utf-8", check=True
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


for row in classify(["jane@gmail.com", "joe@mailinator.com"]):
    print(row["email"], row.get("disposable"))
