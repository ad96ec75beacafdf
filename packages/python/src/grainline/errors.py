"""The one error of this package."""

from __future__ import annotations

from typing import Any, Mapping, Optional


class GrainlineError(Exception):
    """A refusal of the service in its own words, or a missing answer.

    ``code`` is stable. A refusal has the service's own code (``invalid_fields``, ``payment_required``, ...), a failed job
    the code of its failure. The codes of this package are ``unreachable``, ``bad_answer``, ``redirected``,
    ``still_processing``, ``price_too_high``, ``malformed_offer``, ``invalid_receipt``.
    """

    def __init__(
        self,
        code: str,
        message: str,
        *,
        status: Optional[int] = None,
        retryable: bool = False,
        retry_after: Optional[float] = None,
        payment: Optional[str] = None,
        details: Optional[Mapping[str, Any]] = None,
    ) -> None:
        super().__init__(f'{code}: {message}')
        self.code = code
        self.message = message
        #: HTTP status; None without an answer.
        self.status = status
        #: True when the same call can succeed later.
        self.retryable = retryable
        #: The wait that the service requires, in seconds.
        self.retry_after = retry_after
        #: Proof of the payment of this call. Give it to the next call as ``payment`` to use it; never pay again.
        self.payment = payment
        #: The members of the refusal: ``limit``, ``payment``, ``request_id``.
        self.details: Mapping[str, Any] = details or {}
