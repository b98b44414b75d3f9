# A webhook receiver for addrsift's events, without dependencies. It rejects requests whose signature is invalid or older
# than five minutes (Standard Webhooks), and prints each event once.
# Use: WEBHOOK_SECRET=whsec_… PORT=9000 python3 receiver.py
# `addrsift channels create` shows the secret once. The receiver listens on 127.0.0.1; put a proxy that terminates TLS
# in front of it.

import base64
import hashlib
import hmac
import json
import os
import time
from http.server import BaseHTTPRequestHandler, HTTPServer

KEY = base64.b64decode(os.environ["WEBHOOK_SECRET"].replace("whsec_", ""))
seen_ids = set()


def is_genuine(headers, body):
    event_id, sent_at = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not sent_at.isdigit() or abs(time.time() - int(sent_at)) > 300:
        return False
    digest = hmac.new(KEY, f"{event_id}.{sent_at}.".encode() + body, hashlib.sha256).digest()
    expected = b"v1," + base64.b64encode(digest)
    signatures = headers.get("webhook-signature", "").encode("latin-1", "replace").split()
    return any(hmac.compare_digest(expected, signature) for signature in signatures)


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        genuine = is_genuine(self.headers, body)
        self.send_response(204 if genuine else 401)
        self.end_headers()
        # An event may be sent twice, with the same id.
        if genuine and self.headers["webhook-id"] not in seen_ids:
            seen_ids.add(self.headers["webhook-id"])
            event = json.loads(body)
            print(event["type"], json.dumps(event["data"]), flush=True)


HTTPServer(("127.0.0.1", int(os.environ.get("PORT", "9000"))), Receiver).serve_forever()
