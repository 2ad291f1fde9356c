"""Access control: only pages of this server may send requests."""

from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

POLICY = (
    "default-src 'self'; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class OnlyThisSite:
    """Refuses requests for other hosts (DNS rebinding) and from pages of other sites (cross-site requests).

    Args:
        app: The application that answers all other requests.
        hosts: Allowed values of the Host header, such as ``127.0.0.1:8000``; None for any.
    """

    def __init__(self, app: ASGIApp, hosts: frozenset[str] | None) -> None:
        self.app, self.hosts = app, hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes the request on, or refuses it."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        host, origin = headers.get("host", ""), headers.get("origin")
        refused = ""
        if self.hosts is not None and host not in self.hosts:
            refused = f"this server is not {host!r}"
        elif origin is not None and origin.partition("://")[2] != host:
            refused = f"pages of {origin!r} may not ask this server"
        if refused:
            await JSONResponse({"error": refused}, 403)(scope, receive, send)
            return

        async def with_headers(message: dict[str, object]) -> None:
            if message["type"] == "http.response.start":
                added = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]
                message["headers"] = [*message["headers"], *added]  # type: ignore[misc]
            await send(message)

        await self.app(scope, receive, with_headers)  # type: ignore[arg-type]
