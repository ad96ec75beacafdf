"""The words and tables of documents by Python's standard library alone, for comparison with our readers.

python3 truth.py KIND FILE... prints a JSON list with {"text", "tables" or "sheets"} or null for each file. KIND is eml, epub,
csv, ipynb, or odf: the parts of OpenDocument, in an archive or flat, as LibreOffice writes them.
"""
import base64, csv, email, email.policy, io, json, posixpath, re, sys, urllib.parse, zipfile
import xml.etree.ElementTree as xml


# Mail: the lines of the head that people see, then the texts of all parts; of alternatives the last one that has text.

def head(message):
    raw = dict((name.lower(), value) for name, value in message.raw_items())
    for name in ('Subject', 'From', 'To', 'Cc'):
        if message[name] is not None:
            # An address inside Exchange says nothing to people.
            value = re.sub(r'<"?/o=[^>]*>', '', str(message[name]), flags=re.IGNORECASE)
            yield ('plain', ('' if name == 'Subject' else name + ': ') + value)
    if 'date' in raw:
        yield ('plain', 'Date: ' + str(raw['date']))


def pieces(part):
    kind = part.get_content_type()
    if kind == 'message/rfc822':
        inner = inside(part)
        return [*head(inner), *pieces(inner)]
    if part.get_content_maintype() == 'message':
        return [('plain', str(child)) for child in part.get_payload()]
    if part.is_multipart():
        found = [pieces(child) for child in part.get_payload()]
        if kind == 'multipart/alternative':
            return next((texts for texts in reversed(found) if any(text.strip() for _, text in texts)), [])
        return [piece for texts in found for piece in texts]
    if part.get_content_maintype() not in ('text', 'application'):
        return []
    is_body = kind in ('text/plain', 'text/html') and part.get_content_disposition() != 'attachment'
    name = '' if is_body else part.get_filename() or ''
    if part.get_content_maintype() == 'text':
        text = part.get_content()
    else:
        text = (part.get_payload(decode=True) or b'').decode('utf-8', 'replace')
    if not is_body and (re.search('[\0-\x08\ufffd]', text) or re.match(r'\s*(-----BEGIN PGP|Version: 1\s*$|{\\rtf)', text)):
        return []
    return [('plain', name), (part.get_content_subtype(), text)]


def inside(part):
    """The message of a part; base64 around it is against RFC 2046, section 5.2.1, and exists."""
    inner = part.get_payload(0)
    if part.get('Content-Transfer-Encoding', '').lower() == 'base64' and not inner.items():
        return email.message_from_bytes(base64.b64decode(inner.get_payload()), policy=email.policy.default)
    return inner


def mail(file):
    with open(file, 'rb') as stream:
        message = email.message_from_binary_file(stream, policy=email.policy.default)
    return {'pieces': [*head(message), *pieces(message)]}


def table(file):
    with open(file, encoding='utf-8-sig') as stream:
        text = stream.read()
    rows = list(csv.reader(io.StringIO(text), csv.Sniffer().sniff(text[:4096], ',;\t|')))
    return {'text': '\n'.join(' '.join(row) for row in rows)}


# Books: the chapters in reading order (EPUB 3.3, sections 4.2 and 5.7). Some are packed with a folder around them.

def book(file):
    archive = zipfile.ZipFile(file)
    container = next(name for name in archive.namelist() if name.endswith('META-INF/container.xml'))
    root = container.removesuffix('META-INF/container.xml')
    package = next(
        attribute(element, 'full-path') for element in xml.fromstring(archive.read(container)).iter()
        if local(element) == 'rootfile')
    elements = list(xml.fromstring(archive.read(root + package)).iter())
    hrefs = {attribute(item, 'id'): attribute(item, 'href') for item in elements if local(item) == 'item'}
    chapters = []
    for item in elements:
        if local(item) == 'itemref':
            href = urllib.parse.unquote(hrefs[attribute(item, 'idref')].partition('#')[0])
            name = posixpath.normpath(posixpath.join(posixpath.dirname(root + package), href))
            if name not in chapters:
                chapters.append(name)
    pages = [archive.read(name).decode('utf-8', 'replace') for name in chapters]
    return {'pieces': [('html', described(page)) for page in pages]}


def described(page):
    """A page without its head and hidden lists, and with the descriptions of pictures, which stand in for them."""
    page = re.sub(r'(?s)<head>.*?</head>|<head .*?</head>|<nav\b[^>]*\bhidden\b.*?</nav>', '', page)
    return re.sub(r'<img\b[^>]*?\balt="([^"]*)"[^>]*>', r' \1 ', page)


# Notebooks: the sources of cells, and their outputs as text without the colours of terminals.

def notebook(file):
    with open(file, encoding='utf-8') as stream:
        document = json.load(stream)
    texts = []
    for cell in document.get('cells') or document['worksheets'][0]['cells']:
        texts.append(cell.get('source', cell.get('input', '')))
        for output in cell.get('outputs', []):
            texts.append(output.get('text', output.get('data', {}).get('text/plain', output.get('traceback', ''))))
    return {'text': re.sub(r'\x1b\[[0-?]*[ -/]*[@-~]', '', '\n\n'.join(''.join(text) for text in texts))}


# OpenDocument: paragraphs in the order of the file, without comments, deletions, hidden sheets, rows and columns, and
# without the fields that a program fills in: page numbers and dates.

SKIPPED = {
    'annotation', 'tracked-changes', 'forms', 'scripts', 'master-styles', 'automatic-styles', 'styles', 'font-face-decls',
    'settings', 'meta', 'binary-data', 'note-citation', 'header-decl', 'footer-decl', 'date-time-decl',
    'event-listeners', 'page-thumbnail',
}
FIELDS = {'page-number', 'date-time'}
SHORT_DATE = [('month', '', None), ('text', '', '/'), ('day', '', None), ('text', '', '/'), ('year', 'long', None)]
# Formulas that LibreOffice computes anew, against the saved result.
VOLATILE = re.compile(r'\b(TODAY|NOW|RAND|RANDBETWEEN|INDIRECT|CELL|INFO)\(')


def local(element):
    return element.tag.rpartition('}')[2]


def attribute(element, name, default=''):
    for key, value in element.attrib.items():
        if key.rpartition('}')[2] == name:
            return value
    return default


class OpenDocument:
    def __init__(self, file):
        self.words = []
        self.tables = []
        self.archive = zipfile.ZipFile(file) if zipfile.is_zipfile(file) else None
        root = self.part('content.xml') if self.archive else xml.parse(file).getroot()
        self.is_workbook = any(local(element) == 'spreadsheet' for element in root.iter())
        if any(local(element) == 'data-pilot-table' for element in root.iter()):
            raise ValueError('LibreOffice lays out pivot tables anew')
        if any(VOLATILE.search(attribute(cell, 'formula')) for cell in root.iter() if local(cell) == 'table-cell'):
            raise ValueError('LibreOffice computes volatile formulas anew')
        self.hidden = self.styles(root, 'style', lambda style: any(
            attribute(child, 'display') == 'false' for child in style if local(child) == 'table-properties'))
        # The short date of the machine: in a flat file, LibreOffice's own of a workbook of Excel.
        short = set() if self.archive else self.styles(root, 'date-style', lambda style: [
            (local(part), attribute(part, 'style'), part.text) for part in style][:5] == SHORT_DATE)
        self.dates = self.styles(root, 'style', lambda style: attribute(style, 'data-style-name') in short)
        self.is_in_notes = False
        self.walk(root)

    def part(self, name):
        return xml.fromstring(self.archive.read(name))

    @staticmethod
    def styles(root, kind, holds):
        return {attribute(style, 'name') for style in root.iter() if local(style) == kind and holds(style)}

    def walk(self, element):
        name = local(element)
        role = attribute(element, 'class')
        if name in SKIPPED or role in FIELDS or (self.is_in_notes and role in ('header', 'footer')):
            return
        if name == 'table' and element.tag.endswith('table:1.0}table'):
            self.table(element)
        elif name in ('p', 'h'):
            line = self.line(element)
            # A chart's cell without a value.
            self.words.append('' if line == 'NaN' else line)
            for child in element.iter():
                if local(child) in ('text-box', 'object', 'note-body') and child is not element:
                    self.inside(child)
        elif name == 'object':
            self.inside(element)
        else:
            outside, self.is_in_notes = self.is_in_notes, self.is_in_notes or name == 'notes'
            for child in element:
                self.walk(child)
            self.is_in_notes = outside

    def inside(self, element):
        """The text of a box or a note of a paragraph, and the cells of a chart, which in a workbook stand on a sheet."""
        if local(element) == 'object' and self.is_workbook:
            return
        is_object, href = local(element) == 'object', attribute(element, 'href')
        if is_object and self.archive and href:
            try:
                element = self.part(href.removeprefix('./') + '/content.xml')
            except KeyError:
                return
        if is_object and any(local(child) in ('text', 'presentation') for child in element.iter()):
            return
        for child in element:
            self.walk(child)

    def line(self, element):
        """The text of a paragraph without what stands in boxes and notes inside it."""
        parts = [element.text or '']
        for child in element:
            name = local(child)
            if name in ('s', 'tab', 'line-break', 'note-body', 'text-box', 'title', 'desc'):
                parts.append('\n' if name == 'line-break' else ' ')
            elif name not in ('annotation', 'note-citation', 'binary-data', 'object', 'page-number'):
                parts.append(self.line(child))
            parts.append(child.tail or '')
        return ''.join(parts)

    def table(self, element):
        if attribute(element, 'style-name') in self.hidden:
            return
        columns, rows = [], []
        for child, is_grouped in self.flat(element, ('table-column', 'table-row', 'shapes')):
            count = min(int(attribute(child, f'number-{local(child)[6:]}s-repeated', '1')), 20000)
            is_hidden = attribute(child, 'visibility') == 'collapse' and not is_grouped
            if local(child) == 'shapes':
                self.walk(child)
            elif local(child) == 'table-column':
                columns += [is_hidden] * count
            elif not is_hidden:
                row = self.row(child, columns)
                rows += [row] * (count if any(row) else 1)
        if self.is_workbook and any(map(any, rows)):
            self.words.append(attribute(element, 'name'))
        self.tables.append(rows)
        self.words += [' '.join(row) for row in rows]

    def flat(self, element, names, is_grouped=False):
        """Columns and rows with those of groups, which are shown by a click."""
        for child in element:
            if local(child) in names:
                yield child, is_grouped
            elif local(child).startswith('table-') and local(child) != 'table-cell':
                yield from self.flat(child, names, is_grouped or local(child).endswith('-group'))

    def row(self, element, columns):
        cells, at = [], 0
        for cell in element:
            if local(cell) not in ('table-cell', 'covered-table-cell'):
                continue
            outer, self.words = self.words, []
            if local(cell) == 'table-cell':
                for child in cell:
                    self.walk(child)
            text, self.words = self.shown(cell, '\n'.join(self.words)), outer
            count = min(int(attribute(cell, 'number-columns-repeated', '1')), 17000)
            for _ in range(count if text else min(count, 1100)):
                if not (at < len(columns) and columns[at]):
                    cells.append(text)
                at += 1
        while cells and not cells[-1]:
            cells.pop()
        return cells

    def shown(self, cell, text):
        """The text of a cell as Excel shows it: ten digits in the general format. A short date is that of ISO 8601."""
        date = attribute(cell, 'date-value')
        if date and attribute(cell, 'style-name') in self.dates:
            return date.partition('T')[0] + text.partition(' ')[1] + text.partition(' ')[2]
        if self.archive is None and re.fullmatch(r'-?\d+\.\d+', text) and len(text.lstrip('-')) > 11:
            digits = len(str(abs(int(float(text)))))
            return f'{float(text):.{max(0, 10 - digits)}f}'.rstrip('0').rstrip('.')
        return text


def odf(file):
    document = OpenDocument(file)
    if any('\\pard' in line for line in document.words):
        raise ValueError('LibreOffice has taken RTF for plain text')
    if file.endswith('.fodt') and any(re.search('[\uf020-\uf0ff]', line) for line in document.words):
        raise ValueError('LibreOffice gives no letters of symbol fonts')
    tables = 'sheets' if document.is_workbook else 'tables'
    return {'text': '\n'.join(document.words), tables: document.tables}


READERS = {'eml': mail, 'epub': book, 'csv': table, 'ipynb': notebook, 'odf': odf}


def read(kind, file):
    try:
        return READERS[kind](file)
    except Exception as error:
        print(f'{file}: {error!r}', file=sys.stderr)
        return None


json.dump([read(sys.argv[1], file) for file in sys.argv[2:]], sys.stdout)
