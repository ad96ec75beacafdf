import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { limitMemory } from './memory.ts';

/** A module with one exported memory; a section before it is there to be passed over. */
const binary = (...limits: number[]): Uint8Array =>
  Uint8Array.of(
    0,
    0x61,
    0x73,
    0x6d,
    1,
    0,
    0,
    0,
    0,
    3,
    1,
    0x78,
    7,
    5,
    limits.length + 1,
    1,
    ...limits,
    7,
    5,
    1,
    1,
    0x6d,
    2,
    0,
  );

declare const WebAssembly: {
  readonly instantiate: (binary: Uint8Array) => Promise<{
    instance: { exports: { m: { grow: (pages: number) => number; buffer: ArrayBuffer } } };
  }>;
};

describe('the memory limit of a WebAssembly binary', () => {
  it('becomes what it is told, and the module still works', async () => {
    const source = binary(1, 1, 0x80, 0x80, 0x02); // at least 1 page, at most 32768
    const { instance } = await WebAssembly.instantiate(limitMemory(source, 3));
    const memory = instance.exports.m;
    expect(memory.grow(2)).toBe(1);
    expect(() => memory.grow(1)).toThrow();
    expect(source).toEqual(binary(1, 1, 0x80, 0x80, 0x02));
  });

  it('is set to 8192 pages in PDFium by changing its three bytes', async () => {
    const path = createRequire(import.meta.url).resolve('@embedpdf/pdfium/pdfium.wasm');
    const source = await readFile(path);
    const limited = limitMemory(source, 8192);
    const changed = [...limited.keys()].filter((at) => limited[at] !== source[at]);
    expect(changed.map((at) => [source[at], limited[at]])).toEqual([
      [0x80, 0xc0],
      [0x02, 0x00],
    ]);
  });

  it('cannot be set where none is declared, nor to a number that its field has no room for', () => {
    expect(() => limitMemory(binary(0, 1), 3)).toThrow(RangeError);
    expect(() => limitMemory(binary(1, 1, 0x02), 128)).toThrow(RangeError);
    expect(() => limitMemory(Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0), 3)).toThrow(RangeError);
  });
});
