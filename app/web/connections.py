"""Connections that end when the client sends, or takes, nothing: Uvicorn's own timeout is for idle ones alone."""

import asyncio
import socket

from uvicorn.protocols.http.h11_impl import H11Protocol

LONGEST_REQUEST = 20.0  # seconds until the header and body of a request are complete
LONGEST_RESPONSE = 90.0  # seconds from then until the client has taken the response; more than its computation takes


class LimitedProtocol(H11Protocol):
    """HTTP with a deadline for each request, and one for its response; a connection that misses one is cut."""

    _deadline: asyncio.TimerHandle | None = None
    _answering = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begins to wait for a request; sends at once, as a body waits 40 ms for its header's acknowledgement else.

        asyncio sees to it by itself only for sockets that were made with the number of the protocol.
        """
        super().connection_made(transport)
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._wait(LONGEST_REQUEST)

    def data_received(self, data: bytes) -> None:
        """Passes data on; further data of the same request do not move its deadline."""
        super().data_received(data)
        before, self._answering = self._answering, self._is_answering()
        if self._answering:
            self._wait(LONGEST_RESPONSE)
        elif before:
            self._wait(LONGEST_REQUEST)

    def send_400_response(self, msg: str) -> None:
        """Answers what is no HTTP; an answer that is on its way is dropped."""
        if self.cycle is not None:
            self.cycle.disconnected = True
        super().send_400_response(msg)

    def connection_lost(self, exc: Exception | None) -> None:
        """Ends the waiting."""
        super().connection_lost(exc)
        self._stop()

    def _is_answering(self) -> bool:
        return self.cycle is not None and not self.cycle.more_body and not self.cycle.response_complete

    def _wait(self, seconds: float) -> None:
        self._stop()
        self._deadline = self.loop.call_later(seconds, self._cut)

    def _stop(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()

    def _cut(self) -> None:
        idle = self._answering and self.cycle.response_complete and not self.transport.get_write_buffer_size()
        if not idle:  # Uvicorn closes an idle one
            self.transport.abort()
