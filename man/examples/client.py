# Asks the daemon about an address, with a timeout and one retry. A sign-up must not fail or hang if the daemon does.
# Use: copy classify into your program, or run DAEMON_KEY=adsf_… python3 client.py jane@gmial.com

import json
import os
import sys
import time
import urllib.error
import urllib.request

DAEMON_URL = os.environ.get("DAEMON_URL", "http://127.0.0.1:8025")
DAEMON_KEY = os.environ.get("DAEMON_KEY")
# The daemon waits up to 2 s for DNS. With the retry, classify takes at most 8 s, and usually milliseconds.
TIMEOUT_S = 3
RETRY_DELAY_S = 2
# 502 and 504 are from a proxy that can't reach the daemon, for example while it restarts.
RETRIED_STATUSES = (429, 502, 503, 504)


def classify(email, is_retry=False):
    """Returns the classes, and the suggested address or None.

    Returns None if the daemon does not answer: then accept the address, and check it again later.
    """
    headers = {"Content-Type": "application/json", **({"Authorization": f"Bearer {DAEMON_KEY}"} if DAEMON_KEY else {})}
    body = json.dumps({"emails": [email], "classes": True, "explain": True}).encode()
    request = urllib.request.Request(f"{DAEMON_URL}/api/v1/emails/detect", body, headers)
    try:
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT_S) as response:
                detection = json.load(response)["data"][0]
                return detection["classes"], detection["explain"].get("suggestion")
        except urllib.error.HTTPError as error:
            # For example a wrong key, which the operator must correct.
            if is_retry or error.code not in RETRIED_STATUSES:
                raise RuntimeError(error.read().decode()) from error
        except (urllib.error.URLError, ConnectionError) as error:
            # A failed connection. A timeout is not retried.
            if is_retry or isinstance(getattr(error, "reason", error), TimeoutError):
                raise
    except Exception as error:
        print(f"addrsift: {error}", file=sys.stderr)
        return None
    time.sleep(RETRY_DELAY_S)
    return classify(email, True)


if __name__ == "__main__":
    for address in sys.argv[1:]:
        classes, suggestion = classify(address) or (["no answer"], None)
        print(address, ",".join(classes), *([f"did you mean {suggestion}?"] if suggestion else []))
