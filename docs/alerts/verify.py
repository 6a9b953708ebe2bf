"""Verifies the signature of an alert: verify.py SECRET SIGNATURE < BODY. Exit code 0: it is Portolan's, and at most 5 minutes old."""
import hashlib, hmac, sys, time

secret, signature = sys.argv[1:]
body = sys.stdin.buffer.read()
parts = dict(part.split("=", 1) for part in signature.split(","))
expected = hmac.new(secret.encode(), parts["t"].encode() + b"." + body, hashlib.sha256).hexdigest()
genuine = hmac.compare_digest(expected, parts["v1"])
sys.exit(0 if genuine and abs(time.time() - int(parts["t"])) < 300 else 1)
