"""Client of a Grainline service: chunks of texts, files and links, jobs, results, quotations, payments, receipts.

>>> from grainline import Client
>>> answer = Client('http://127.0.0.1:8402').chunk(text='High water. Low water.', tier='free', chunk_size=100)
>>> answer['chunks'][0]['text']
"""

from .client import Client, Job
from .errors import GrainlineError
from .offers import Offer, Pay
from .receipts import canonical_json, verify_receipt

__all__ = ['Client', 'GrainlineError', 'Job', 'Offer', 'Pay', 'canonical_json', 'verify_receipt']
