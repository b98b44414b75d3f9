# A webhook receiver for addrsift's events, without packages. It refuses requests whose signature is wrong or older than
# five minutes (Standard Webhooks), takes each event once, and prints it.
# Use: WEBHOOK_SECRET=whsec_… PORT=9000 python3 receiver.py
# `addrsift channels create` shows the secret once. The receiver listens on 127.0.0.1; put a proxy that ends TLS in
# front.

import base64
import hashlib
import hmac
import json
import os
import time
from http.server import BaseHTTPRequestHandler, HTTPServer

KEY = base64.b64decode(os.environ["WEBHOOK_SECRET"].replace("whsec_", ""))
seen = set()


def is_genuine(headers, body):
    event, sent_at = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not sent_at.isdigit() or abs(time.time() - int(sent_at)) > 300:
        return False
    digest = hmac.new(KEY, f"{event}.{sent_at}.".encode() + body, hashlib.sha256).digest()
    wanted = b"v1," + base64.b64encode(digest)
    given = headers.get("webhook-signature", "").encode("latin-1", "replace").split()
    return any(hmac.compare_digest(wanted, one) for one in given)


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        genuine = is_genuine(self.headers, body)
        self.send_response(204 if genuine else 401)
        self.end_headers()
        # An event may come twice, with the same id.
        if genuine and self.headers["webhook-id"] not in seen:
            seen.add(self.headers["webhook-id"])
            event = json.loads(body)
            print(event["type"], json.dumps(event["data"]), flush=True)


HTTPServer(("127.0.0.1", int(os.environ.get("PORT", "9000"))), Receiver).serve_forever()
