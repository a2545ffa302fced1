"""The gRPC server of a host: its options, its port, and errors that say what to do."""

from __future__ import annotations

import errno
import ipaddress
import logging
import socket
from typing import Final

import grpc

from genial.services.announce import address_text, is_wildcard
from genial.services.certificate import HostCertificate
from genial.services.connections import server_options
from genial.services.doorstep import CALLS_TO_SPARE
from genial.services.limits import Limits
from genial.services.settings import HostError
from genial.wire.metadata import CERTIFICATE_NAME

log = logging.getLogger(__name__)

_LONGEST_ANSWER: Final = 16 * 1024 * 1024
_V6_ALL: Final = "::"
_V4_ALL: Final = "0.0.0.0"


def make_server(limits: Limits) -> grpc.aio.Server:
    """A server with the options that a host needs; it listens nowhere yet."""
    return grpc.aio.server(
        options=[
            *server_options(limits),
            ("grpc.max_send_message_length", _LONGEST_ANSWER),
        ],
        maximum_concurrent_rpcs=limits.calls_at_once + CALLS_TO_SPARE,
    )


def channel_to_peer(address: str, certificate: HostCertificate | None) -> grpc.aio.Channel:
    """A channel to another service of the same host.

    Args:
        address: ``HOST:PORT``.
        certificate: The host's, which all of its services share; None: plaintext.
    """
    options = (
        ("grpc.enable_http_proxy", 0),
        ("grpc.keepalive_time_ms", 5_000),
        ("grpc.keepalive_timeout_ms", 3_000),
        ("grpc.http2.ping_timeout_ms", 3_000),
        ("grpc.http2.max_pings_without_data", 0),
        ("grpc.initial_reconnect_backoff_ms", 100),
        ("grpc.max_reconnect_backoff_ms", 1_500),
        ("grpc.max_receive_message_length", _LONGEST_ANSWER),
    )
    if certificate is None:
        return grpc.aio.insecure_channel(address, options=options)
    return grpc.aio.secure_channel(
        address,
        grpc.ssl_channel_credentials(certificate.chain),
        options=(*options, ("grpc.ssl_target_name_override", CERTIFICATE_NAME)),
    )


def listen(
    server: grpc.aio.Server, bind: str, port: int, certificate: HostCertificate | None
) -> tuple[str, int]:
    """Binds the server's port.

    Args:
        server: Not started yet.
        bind: A numerical address or a name of this machine; empty: all addresses.
        port: 0 takes a free one.
        certificate: None: plaintext.

    Returns:
        The numerical address and the port that it listens on.

    Raises:
        HostError: The port is in use or not allowed, or the address is not this machine's.
    """
    host = _try_bind(bind, port)
    target = address_text(host, port)
    try:
        if certificate is None:
            bound = server.add_insecure_port(target)
        else:
            bound = server.add_secure_port(
                target,
                grpc.ssl_server_credentials([(certificate.key, certificate.chain)]),
            )
    except RuntimeError as fault:
        # Somebody took it between the trial and now.
        raise _in_use(port) from fault
    if bound == 0:
        raise _in_use(port)
    return host, bound


def _try_bind(bind: str, port: int) -> str:
    """The address to listen on, tried with a socket of our own, whose errors can be told apart."""
    if bind and not is_wildcard(bind):
        host = resolve_bind(bind)
        _trial(host, port)
        return host
    if bind != _V4_ALL:
        try:
            _trial(_V6_ALL, port)
        except _NoSuchFamilyError:
            log.info("this machine has no IPv6; listening on IPv4 alone")
        else:
            return _V6_ALL
    _trial(_V4_ALL, port)
    return _V4_ALL


class _NoSuchFamilyError(Exception):
    """The machine does not speak IPv6."""


def resolve_bind(bind: str) -> str:
    """The numerical address that a name of this machine stands for; numbers stay.

    Raises:
        HostError: There is no such address.
    """
    try:
        found = socket.getaddrinfo(bind, None, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError) as fault:
        raise HostError(f"{bind!r} is no address of this machine: {fault}.") from fault
    return str(found[0][4][0])


def _trial(host: str, port: int) -> None:
    version = ipaddress.ip_address(host).version
    family = socket.AF_INET6 if version == 6 else socket.AF_INET
    try:
        with socket.socket(family, socket.SOCK_STREAM) as trial:
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if family == socket.AF_INET6:
                trial.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, host != _V6_ALL)
            trial.bind(_sockaddr(host, port))
            trial.listen(1)
    except OSError as fault:
        if fault.errno == errno.EADDRINUSE:
            raise _in_use(port) from fault
        if fault.errno == errno.EACCES:
            raise HostError(
                f"Port {port} is reserved for the system; choose one above 1023."
            ) from fault
        if host == _V6_ALL:
            raise _NoSuchFamilyError from fault
        raise HostError(
            f"This host cannot listen on {address_text(host, port)}: {fault.strerror}; choose"
            " another address or port."
        ) from fault


def _sockaddr(host: str, port: int) -> tuple[object, ...]:
    found = socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST | socket.AI_NUMERICSERV
    )
    return found[0][4]


def _in_use(port: int) -> HostError:
    return HostError(
        f"Port {port} is in use, perhaps by another host on this machine; stop that one, or"
        " choose another with --port."
    )
