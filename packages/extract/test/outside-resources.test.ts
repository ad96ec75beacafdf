// A document refers to other resources by address. Reading it opens none of them.
import { createServer } from 'node:http';
import { docxEntries, para, run, writeDocx, writeZip } from '@grainline/testing/docx-writer';
import { close, listen, LOOPBACK } from '@grainline/testing/loopback';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { extract, ExtractError } from '../src/index.ts';

const requests: string[] = [];
const server = createServer((request, response) => {
  requests.push(request.url ?? '');
  response.end('fetched');
});
let origin = '';

beforeAll(async () => {
  origin = `http://${LOOPBACK}:${await listen(server, 0)}`;
});
beforeEach(() => (requests.length = 0));
afterAll(() => close(server));

const RELATIONSHIPS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

/** The requests before one that is made here, which shows that the server counts them. */
async function requestsBefore(): Promise<readonly string[]> {
  await fetch(`${origin}/last`);
  expect(requests.pop()).toBe('/last');
  return requests;
}

describe('addresses in a document', () => {
  it('are never requested by reading a web page', async () => {
    const page = `<!DOCTYPE html SYSTEM "${origin}/dtd"><html manifest="${origin}/manifest"><head>
      <base href="${origin}/base/"><link rel=stylesheet href=a.css><link rel=import href=b.html>
      <meta http-equiv=refresh content="0;url=${origin}/refresh"><script src=c.js></script>
      <style>@import url(${origin}/d.css); p { background: url(e.png) }</style></head>
      <body background=f.png><p>words <a href=g.html ping=h>link</a> <img alt=dog src=i.png srcset="j.png 2x">
      <iframe src=k.html></iframe><object data=l.svg></object><embed src=m.pdf><video src=n.mp4 poster=o.png></video>
      <audio src=p.mp3></audio><svg><image href=q.png /><use href="r.svg#a"/></svg><input type=image src=s.png>
      <math href=t><mi>x</mi></math><form action=u><button>Send</button></form></body></html>`;
    for (const options of [{}, { content: 'main' }, { links: 'markdown', furniture: 'keep' }] as const) {
      const bytes = new TextEncoder().encode(page);
      const { text } = await extract(bytes, { contentType: 'text/html', url: `${origin}/page`, ...options });
      expect(text).toContain('words');
      expect(text).not.toContain('fetched');
    }
    expect(await requestsBefore()).toEqual([]);
  });

  it('are never requested by reading a DOCX', async () => {
    const outside = (id: string, type: string): string =>
      `<Relationship Id="${id}" Type="${RELATIONSHIPS}/${type}" Target="${origin}/${type}" TargetMode="External"/>`;
    const field = (code: string): string =>
      `<w:fldSimple w:instr=" ${code} "><w:r><w:t>shown</w:t></w:r></w:fldSimple>`;
    const bytes = writeDocx({
      body:
        para(run('words') + `<w:hyperlink r:id="h">${run('link')}</w:hyperlink>`) +
        para('<w:r><w:drawing><a:blip r:link="i"/></w:drawing></w:r>') +
        para(
          field(`INCLUDEPICTURE &quot;${origin}/picture&quot;`) +
            field(`INCLUDETEXT &quot;${origin}/text&quot;`),
        ) +
        para(
          field(`DDEAUTO &quot;${origin}/dde&quot;`) +
            field(`LINK Word.Document &quot;${origin}/linked&quot;`),
        ) +
        '<w:altChunk r:id="c"/><w:object><o:OLEObject xmlns:o="urn:o" Type="Link" r:id="o"/></w:object>',
      relationships:
        outside('h', 'hyperlink') +
        outside('i', 'image') +
        outside('c', 'aFChunk') +
        outside('o', 'oleObject') +
        outside('t', 'attachedTemplate') +
        outside('s', 'styles') +
        outside('f', 'footnotes'),
    });
    const { text, links } = await extract(bytes, { filename: 'a.docx' });
    expect(text).toContain('wordslink');
    expect(links).toEqual([{ start: 5, end: 9, href: `${origin}/hyperlink` }]);
    expect(await requestsBefore()).toEqual([]);
  });

  it('are never requested for the entities of a DOCX', async () => {
    const document = `<?xml version="1.0"?><!DOCTYPE w:document SYSTEM "${origin}/dtd" [<!ENTITY e SYSTEM "${origin}/e">]>
      <w:document xmlns:w="urn:w"><w:body><w:p><w:r><w:t>&e;</w:t></w:r></w:p></w:body></w:document>`;
    const bytes = writeZip(
      docxEntries({ body: '' }).map((entry) =>
        entry.name === 'word/document.xml' ? { ...entry, content: document } : entry,
      ),
    );
    await expect(extract(bytes, { filename: 'a.docx' })).rejects.toThrow(ExtractError);
    expect(await requestsBefore()).toEqual([]);
  });
});
