"""What Schemathesis finds in the API and is as it should be, each with its reason. Whatever is not named here fails the check."""

import atexit
import json
import os
import re
from collections import Counter

import schemathesis

TOGETHER = "which fields go together is said in words: schemas that say it are read by few generators"
SHAPE = "an address, a network, a range of names, an endpoint: no pattern of a line says what one is"
SHOWN = "characters that cannot be shown: few generators know the properties of Unicode"
BEYOND = "whole numbers are exact up to 2^53 - 1, which the document does not say of each"

# Which check found it, which problem the answer is (an expression; "" where it is none), where (a part of the operation's label, as an expression),
# which of its fields the problem may point at (an expression), and the reason.
NAMED = [
    ("RejectedPositiveData", "bad-cursor", "", "/cursor", "a cursor is opaque: one that Muster did not make is not taken"),
    ("RejectedPositiveData", "idempotency-mismatch", "", "", "the same key is sent with different calls, which is what it must not be"),
    ("RejectedPositiveData", "version-conflict", "", "", "If-Match names a version that there never was"),
    ("RejectedPositiveData", "too-large", "", "", "each field of a body is within its bounds, and all together are beyond 64 KiB"),
    ("RejectedPositiveData", "malformed-json", "metadata", "", "any key is taken in metadata but __proto__"),
    ("RejectedPositiveData", "invalid", "/reports$", r"/\d+/(incarnation|seq|.*/(cpus|memoryMib|memoryUsedMib|systems|until|exit))", BEYOND),
    ("RejectedPositiveData", "invalid", "dead-letters/(drop|redrive)$", "", TOGETHER),
    ("RejectedPositiveData", "invalid", "keys$", "/expires", TOGETHER),
    ("RejectedPositiveData", "invalid", "systems/edit$", "/where|/(tags|groups)/remove|/query|/expect", TOGETHER),
    ("RejectedPositiveData", "invalid", "systems/(act|pin|unpin|accept|unregister|settle|ban)$", "/query|/expect", TOGETHER),
    ("RejectedPositiveData", "invalid", "webhooks/{id}/replay$", "/since|/fromNumber", TOGETHER),
    ("RejectedPositiveData", "invalid", "stations/power$", "/command", TOGETHER),
    ("RejectedPositiveData", "invalid", "tokens$|/leave$", "/expiresAt|/until", "a moment that has passed, or is too far"),
    ("RejectedPositiveData", "invalid", "tokens$|admission-rules$", "/cidr|/nodes", SHAPE),
    ("RejectedPositiveData", "invalid", "nodes/join$", "/watch", SHAPE),
    ("RejectedPositiveData", "invalid", "nodes/{id}/enter$", "/path", SHAPE),
    ("RejectedPositiveData", "invalid", "webhooks$", "/url", SHAPE),
    ("RejectedPositiveData", "invalid", "PATCH /api/v1/(nodes/{id}|zones/{zone})$", "/page", SHAPE),
    ("RejectedPositiveData", "invalid", "loads/{load}/(layout|servers)", "/(page|servers)/.*", SHAPE),
    ("RejectedPositiveData", "invalid", "service-types/{type}$", "/.*", "a schema within a type of services is judged by the schema of schemas"),
    ("RejectedPositiveData", "invalid", "PATCH /api/v1/nodes/{id}$", "/labels/.*", SHOWN),
    ("RejectedPositiveData", "invalid", "keys$", "/name", SHOWN),
    ("RejectedPositiveData", "invalid", "subjects/(un)?lock$", "/subject", SHOWN),
    ("RejectedPositiveData", "invalid", "mero/processes/{fid}", "/fid", "a fid, and not of a process"),
    ("RejectedPositiveData", "invalid", "mero/vars$", "/vars/.*", "which variables there are"),
    ("RejectedPositiveData", "invalid", "roles/{role}$", "/.*", SHAPE),
    ("RejectedPositiveData", "invalid", "GET /api/v1/systems/{fp}$", "/fp", "a cluster id has 31 bits: no pattern of a line says so well"),
    ("RejectedPositiveData", "invalid", "actions/{number}(/take|/systems|/cancel)?$", "/number", "a number of an action has 31 bits: no pattern of a line says so well"),
    ("RejectedPositiveData", "bad-query", "GET /api/v1/(systems/)?find$", "/q", "a query that cannot be read is refused with its column"),
    ("RejectedPositiveData", "bad-query", "POST /api/v1/systems/", "/query", "a query that cannot be read is refused with its column"),
    ("RejectedPositiveData", "matches-changed", "POST /api/v1/systems/", "/expect", "generated digests are of no client systems"),
    ("RejectedPositiveData", "invalid", "GET /api/v1/changes$", "/since", TOGETHER),
    ("RejectedPositiveData", "invalid", "zones/{zone}/preview$", "(/.*)?", TOGETHER),
    ("RejectedPositiveData", "invalid", "zones/{zone}/storage/preview$", "(/.*)?", TOGETHER),
    ("RejectedPositiveData", "unsupported-key|weak-key|proof-invalid", "", ".*", "not all that is as long as a key is one"),
    ("AcceptedNegativeData", "", "GET /system/status$", "", "a client system is answered its byte, whatever headers it sends besides"),
]

seen = Counter()


def problem_of(response):
    """The slug and the pointers of a problem; none of either where an answer is no problem."""
    if "problem+json" not in " ".join(response.headers.get("content-type") or []):
        return "", []
    body = json.loads(response.content)
    return body["type"].rpartition(":")[2], [error["pointer"] for error in body.get("errors", [])]


def place_of(failure, case, response):
    """Which entry names a failure, by its place in the list."""
    slug, pointers = problem_of(response)
    for place, (check, named, where, fields, _why) in enumerate(NAMED):
        fits = check == type(failure).__name__ and re.fullmatch(named, slug) and re.search(where, case.operation.label)
        if fits and all(re.fullmatch(fields, pointer) for pointer in pointers):
            return place
    return None


@schemathesis.hook
def filter_failure(context, failure, case, response):
    place = place_of(failure, case, response)
    if place is None:
        return True
    seen[place] += 1
    return False


@atexit.register
def tell():
    with open(os.environ["NAMED_SEEN"], "w", encoding="utf-8") as file:
        json.dump([{"why": entry[-1], "seen": seen[place]} for place, entry in enumerate(NAMED)], file)
