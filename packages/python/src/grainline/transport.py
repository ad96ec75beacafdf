"""Requests by urllib: JSON and forms out, JSON in, retries of passing failures, no redirects."""

from __future__ import annotations

import http.client
import json
import time
import urllib.error
import urllib.request
import uuid
from email.utils import parsedate_to_datetime
from typing import Any, Callable, Dict, Mapping, Optional, Tuple

from .errors import GrainlineError
from .offers import Upload, escape_filename

_PASSING = {408, 425, 429, 502, 503, 504}
_FIRST_WAIT, _LONGEST_WAIT = 0.5, 15.0

#: The content type and the bytes of a request.
Body = Tuple[str, bytes]


def json_body(members: Mapping[str, Any]) -> Body:
    return 'application/json', json.dumps(members, ensure_ascii=False).encode()


def form_body(fields: Mapping[str, str], upload: Upload, content_type: Optional[str]) -> Body:
    """A form with its options before the file, so that the service names a price before it reads the file."""
    boundary = uuid.uuid4().hex
    part = '--{}\r\nContent-Disposition: form-data; name="{}"{}\r\n\r\n'
    name = f'; filename="{escape_filename(upload.filename)}"'
    name += '' if content_type is None else f'\r\nContent-Type: {content_type}'
    head = ''.join(part.format(boundary, key, '') + value + '\r\n' for key, value in fields.items())
    head += part.format(boundary, 'file', name)
    return (
        f'multipart/form-data; boundary={boundary}',
        b''.join([head.encode(), upload.content, f'\r\n--{boundary}--\r\n'.encode()]),
    )


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirect would take the document to a host of the service's choice."""

    def redirect_request(self, *_: Any) -> None:
        return None


class Transport:
    """Sends the requests of one client."""

    def __init__(
        self,
        url: str,
        *,
        headers: Mapping[str, str],
        timeout: float,
        tries: int,
        max_wait: float,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.base = url.rstrip('/') + '/'
        self._headers, self._timeout, self._tries, self._max_wait = headers, timeout, tries, max_wait
        self.sleep = sleep
        self._opener = urllib.request.build_opener(_NoRedirects)

    def send(
        self, path: str, *, method: str = 'GET', body: Optional[Body] = None, payment: Optional[str] = None
    ) -> Dict[str, Any]:
        """Sends a request, repeats passing failures, and returns the members of the answer."""
        tried = 0
        while True:
            tried += 1
            try:
                return self._send_once(path, method, body, payment)
            except GrainlineError as error:
                wait = error.retry_after or min(_LONGEST_WAIT, _FIRST_WAIT * 2 ** (tried - 1))
                # A repetition after a defect would meet it again.
                is_over = tried >= self._tries or wait > self._max_wait or error.status == 500
                if is_over or not error.retryable:
                    raise
                self.sleep(wait)

    def _send_once(
        self, path: str, method: str, body: Optional[Body], payment: Optional[str]
    ) -> Dict[str, Any]:
        headers = {'Accept': 'application/json', **self._headers}
        if body is not None:
            headers['Content-Type'] = body[0]
        if payment is not None:
            headers['X-PAYMENT'] = payment
        data = None if body is None else body[1]
        request = urllib.request.Request(self.base + path, data, headers, method=method)
        try:
            with self._opener.open(request, timeout=self._timeout) as response:
                content = response.read()
        except urllib.error.HTTPError as refusal:
            with refusal:
                raise _refusal(refusal, payment) from None
        except (urllib.error.URLError, http.client.HTTPException, OSError) as cause:
            message = f'No answer came from {self.base}: {getattr(cause, "reason", cause)}.'
            raise GrainlineError('unreachable', message, retryable=True, payment=payment) from cause
        return {} if content == b'' else _members(content, payment)


def _members(content: bytes, payment: Optional[str]) -> Dict[str, Any]:
    try:
        members = json.loads(content)
    except ValueError:
        members = None
    if not isinstance(members, dict):
        raise GrainlineError('bad_answer', 'The service gives an answer that is no JSON object.', payment=payment)
    return members


def _refusal(answer: urllib.error.HTTPError, payment: Optional[str]) -> GrainlineError:
    status = answer.code
    if 300 <= status < 400:
        where = answer.headers.get('Location', 'elsewhere')
        return GrainlineError('redirected', f'The service points to {where}.', status=status, payment=payment)
    try:
        members = json.loads(answer.read())
        code, message = str(members['code']), str(members['message'])
    except (ValueError, KeyError, TypeError, OSError, http.client.HTTPException):
        members, code, message = {}, 'bad_answer', f'The service answers with status {status}.'
    return GrainlineError(
        code,
        message,
        status=status,
        retryable=members.get('retryable', status in _PASSING) is True,
        retry_after=_seconds(answer.headers.get('Retry-After')),
        payment=payment,
        details=members,
    )


def _seconds(text: Optional[str]) -> Optional[float]:
    if text is None:
        return None
    if text.isdigit():
        return float(text)
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - time.time())
    except (TypeError, ValueError):
        return None
