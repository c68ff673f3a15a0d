"""Names of the played network, for Salt's own Python: nothing of this machine is changed for them."""

import os
import socket

_addresses = dict(pair.split("=") for pair in os.environ.get("MUSTER_REAL_NAMES", "").split(",") if pair)
_getaddrinfo = socket.getaddrinfo


def _named(host, *args, **kwargs):
    return _getaddrinfo(_addresses.get(host, host), *args, **kwargs)


socket.getaddrinfo = _named
