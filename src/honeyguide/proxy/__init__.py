"""An HTTP proxy on this machine that serves any web: generated, recorded, or written for a test."""

from honeyguide.proxy.answer import Answer, Behaviour
from honeyguide.proxy.server import ProxyRequest, ProxyServer, RequestLog, ServedRequest

__all__ = ["Answer", "Behaviour", "ProxyRequest", "ProxyServer", "RequestLog", "ServedRequest"]
