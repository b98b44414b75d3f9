# Asks the daemon for the classes of an address, with a timeout and one retry. A sign-up must not fail if the daemon does.
# Use: copy classify into your program, or run DAEMON_KEY=adsf_… python3 client.py jane@gmial.com

import json
import os
import sys
import time
import urllib.error
import urllib.request

DAEMON_URL = os.environ.get("DAEMON_URL", "http://127.0.0.1:8025")
DAEMON_KEY = os.environ.get("DAEMON_KEY")
# The daemon waits up to 2 s for DNS.
TIMEOUT_S = 3
MAX_WAIT_S = 2


def classify(email, is_retry=False):
    """Returns the classes, or None if there is no answer: then accept the address, and check it again later."""
    headers = {"Content-Type": "application/json", **({"Authorization": f"Bearer {DAEMON_KEY}"} if DAEMON_KEY else {})}
    body = json.dumps({"emails": [email], "classes": True}).encode()
    request = urllib.request.Request(f"{DAEMON_URL}/api/v1/emails/detect", body, headers)
    try:
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT_S) as response:
                return json.load(response)["data"][0]["classes"]
        except urllib.error.HTTPError as error:
            # For example a wrong key, which the operator must correct.
            if is_retry or error.code not in (429, 503):
                raise RuntimeError(error.read().decode()) from error
            seconds = error.headers.get("Retry-After", "")
            # A proxy may omit it or send a date.
            time.sleep(min(MAX_WAIT_S, int(seconds)) if seconds.isdecimal() else MAX_WAIT_S)
    except Exception as error:
        print(f"addrsift: {error}", file=sys.stderr)
        return None
    return classify(email, True)


if __name__ == "__main__":
    for address in sys.argv[1:]:
        classes = classify(address)
        print(address, "no answer" if classes is None else ",".join(classes))
