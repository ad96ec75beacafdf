import { READERS } from '@grainline/extract';
import { describe, expect, it } from 'vitest';
import { ACCEPTED, kindOf, nameOfText } from './kinds.ts';

describe('the kinds that the page knows', () => {
  it('are all offered by the picker of files', () => {
    const offered = ACCEPTED.split(',');
    for (const { extensions } of READERS) for (const end of extensions) expect(offered).toContain(`.${end}`);
  });

  it('are found by media type, and only those', () => {
    expect(kindOf('application/xhtml+xml')).toBe('html');
    expect(kindOf('application/msword')).toBe('');
  });
});

describe('the name of a text that was read', () => {
  it('says Markdown for what was extracted, and what it was for plain text', () => {
    expect(nameOfText('report.pdf', 'application/pdf')).toBe('report.pdf.md');
    expect(nameOfText('notes.MD', 'text/markdown')).toBe('notes.MD');
    expect(nameOfText('drift.py', 'text/plain')).toBe('drift.py');
  });
});
