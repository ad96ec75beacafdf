"""The client of one service."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Tuple, Union
from urllib.parse import quote

from .errors import GrainlineError
from .offers import Offer, Pay, Upload, read_offer
from .transport import Body, Transport, form_body, json_body

#: A file: its path, or its name and bytes.
File = Union[str, 'os.PathLike[str]', Tuple[str, bytes]]
#: The members of an answer, by their names on the wire (docs/http-reference.md).
Answer = Dict[str, Any]
Progress = Callable[[Answer], None]


class Job:
    """A job of a background tier. ``Client.job(id)`` continues with it in another process."""

    def __init__(self, transport: Transport, job_id: str, payment: Optional[str] = None) -> None:
        self.id = job_id
        #: Proof of the payment that bought the job.
        self.payment = payment
        self._transport = transport
        self._path = f'job/{quote(job_id, safe="")}'

    def status(self) -> Answer:
        return self._transport.send(f'{self._path}/status')

    def watch(self, *, poll: float = 1.5, timeout: float = float('inf')) -> Iterator[Answer]:
        """Yields the status every ``poll`` seconds until the job is completed.

        Raises GrainlineError with the code of a failed job, or ``still_processing`` after ``timeout`` seconds.
        """
        waited = 0.0
        while True:
            status = self.status()
            if status['status'] == 'failed':
                raise GrainlineError(
                    str(status.get('code', 'job_failed')), str(status['message']), payment=self.payment
                )
            yield status
            if status['status'] == 'completed':
                return
            if waited >= timeout:
                message = f'The job {self.id} has not ended yet.'
                raise GrainlineError('still_processing', message, retryable=True, payment=self.payment)
            self._transport.sleep(poll)
            waited += poll

    def answer(
        self,
        *,
        on_progress: Optional[Progress] = None,
        poll: float = 1.5,
        timeout: float = float('inf'),
    ) -> Answer:
        """Waits for the end, and returns the answer."""
        for status in self.watch(poll=poll, timeout=timeout):
            if on_progress is not None:
                on_progress(status)
        return {**self._transport.send(f'{self._path}/result'), 'result_id': self.id}

    def delete(self) -> None:
        """Removes the result of a completed job, with all text of the document."""
        self._transport.send(f'{self._path}/result', method='DELETE')


class Client:
    """The client of the service at ``url``.

    ``pay`` makes the payments of paid tiers, each at most ``max_amount`` millionths of a USDC. Without it a price raises
    ``payment_required``. ``timeout`` is that of one request in seconds; ``tries`` and ``max_wait`` bound repetitions.
    """

    def __init__(
        self,
        url: str,
        *,
        pay: Optional[Pay] = None,
        max_amount: int = 0,
        headers: Optional[Mapping[str, str]] = None,
        timeout: float = 150,
        tries: int = 5,
        max_wait: float = 60,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._transport = Transport(
            url, headers=headers or {}, timeout=timeout, tries=tries, max_wait=max_wait, sleep=sleep
        )
        self.url = self._transport.base
        self._pay, self._max_amount = pay, max_amount

    def chunk(
        self,
        *,
        text: Optional[str] = None,
        file: Optional[File] = None,
        url: Optional[str] = None,
        filename: Optional[str] = None,
        content_type: Optional[str] = None,
        payment: Optional[str] = None,
        on_progress: Optional[Progress] = None,
        **options: Any,
    ) -> Answer:
        """Chunks one text, file or link: follows a job to its end, and fetches an answer behind a link.

        ``options`` are the fields of the service: ``tier``, ``chunk_size``, ``chunk_overlap``, ``unit``,
        ``output_format``, ``embeddings``, ... ``payment`` is the proof of an earlier payment for the same request, such as
        the ``payment`` of a GrainlineError.
        """
        found = self.submit(
            text=text,
            file=file,
            url=url,
            filename=filename,
            content_type=content_type,
            payment=payment,
            **options,
        )
        return found.answer(on_progress=on_progress) if isinstance(found, Job) else found

    def submit(
        self,
        *,
        text: Optional[str] = None,
        file: Optional[File] = None,
        url: Optional[str] = None,
        filename: Optional[str] = None,
        content_type: Optional[str] = None,
        payment: Optional[str] = None,
        **options: Any,
    ) -> Union[Answer, Job]:
        """Chunks a document without waiting for a job: returns the answer, or the job."""
        if sum(source is not None for source in (text, file, url)) != 1:
            raise TypeError('Give exactly one of text, file and url.')
        upload = None if file is None else _upload(file, filename)
        fields = {name: _wire(value) for name, value in options.items() if value is not None}
        if upload is None:
            source = {'url': url} if text is None else {'text': text, 'filename': filename}
            given = {**source, **options}
            body = json_body({name: value for name, value in given.items() if value is not None})
        else:
            body = form_body(fields, upload, content_type)
        answer, proof = self._buy(body, fields, upload, payment)
        if answer.get('async') is True and 'download_url' not in answer:
            return Job(self._transport, str(answer['job_id']), proof)
        if 'download_url' not in answer:
            return answer
        try:
            return self.result(str(answer['download_url']).rsplit('/', 1)[-1])
        except GrainlineError as error:
            error.payment = proof
            raise

    def records(self, database: str, **request: Any) -> Union[List[Any], Answer]:
        """The records of a document as the client of a database takes them, with vectors where the tier has them.

        ``database`` is ``pinecone``, ``qdrant``, ``weaviate`` or ``chroma``. The result is the list of points or objects,
        or for Chroma the columns of ``collection.upsert(**columns)``. ``request`` is that of :meth:`chunk`.
        """
        answer = self.chunk(**{'embeddings': True, **request}, output_format=database)
        columns = answer.get('columns')
        return columns if isinstance(columns, dict) else list(answer['chunks'])

    def estimate(self, **request: Any) -> Answer:
        """The kind, pages, tokens, price and refusals of a request of :meth:`chunk`, before it is made; free."""
        file, filename = request.pop('file', None), request.pop('filename', None)
        content_type = request.pop('content_type', None)
        if file is None:
            given = {**request, 'filename': filename}
            body = json_body({name: value for name, value in given.items() if value is not None})
        else:
            fields = {name: _wire(value) for name, value in request.items() if value is not None}
            body = form_body(fields, _upload(file, filename), content_type)
        return self._transport.send('estimate', method='POST', body=body)

    def job(self, job_id: str) -> Job:
        """The job of an id. Sends nothing."""
        return Job(self._transport, job_id)

    def result(self, result_id: str) -> Answer:
        """A stored answer, with its ``result_id``."""
        answer = self._transport.send(f'results/{quote(result_id, safe="")}')
        return {**answer, 'result_id': result_id}

    def delete_result(self, result_id: str) -> None:
        """Removes a stored answer, with all text of the document."""
        self._transport.send(f'results/{quote(result_id, safe="")}', method='DELETE')

    def cite(self, result_id: str, text: str, *, bound: Optional[float] = None) -> Answer:
        """Finds a quotation of at most 2,000 characters in a stored answer. A missing quotation is no error."""
        members: Answer = {'result_id': result_id, 'quote': text}
        if bound is not None:
            members['bound'] = bound
        return self._transport.send('cite', method='POST', body=json_body(members))

    def overview(self) -> Answer:
        """Tiers, prices, formats and limits."""
        return self._transport.send('')

    def receipt_keys(self) -> Answer:
        """The public keys of receipts, to be saved and given to :func:`verify_receipt`."""
        return self._transport.send('.well-known/jwks.json')

    def _buy(
        self, body: Body, fields: Mapping[str, str], upload: Optional[Upload], proof: Optional[str]
    ) -> Tuple[Answer, Optional[str]]:
        """Sends a request for chunks; pays an offer once, and repeats the request with the proof."""
        send = self._transport.send
        try:
            return send('chunk', method='POST', body=body, payment=proof), proof
        except GrainlineError as error:
            if error.status != 402 or self._pay is None or proof is not None:
                raise
            offer = read_offer(error.details, fields, upload)
        proof = self._pay(_within(offer, self._max_amount))
        return send('chunk', method='POST', body=body, payment=proof), proof


def _within(offer: Offer, max_amount: int) -> Offer:
    if offer.amount > max_amount:
        message = f'The price is {offer.amount} millionths of a USDC, and max_amount is {max_amount}. Nothing was paid.'
        raise GrainlineError('price_too_high', message, status=402)
    return offer


def _upload(file: File, filename: Optional[str]) -> Upload:
    if isinstance(file, tuple):
        return Upload(file[1], filename or file[0])
    path = Path(file)
    return Upload(path.read_bytes(), filename or path.name)


def _wire(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
