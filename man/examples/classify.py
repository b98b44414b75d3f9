# Classifies many addresses from Python with one process. Addresses must not contain line breaks.
# Use: copy the function into your program, or run: python3 classify.py

import json
import subprocess


def classify(addresses):
    lines = "".join(f"{address}\n" for address in addresses)
    completed = subprocess.run(
        ["addrsift", "detect", "--quiet"], input=lines, capture_output=True, encoding="utf-8", check=True
    )
    return [json.loads(line) for line in completed.stdout.splitlines()]


for row in classify(["jane@gmail.com", "joe@mailinator.com"]):
    print(row["email"], row.get("disposable"))
