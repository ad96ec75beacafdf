// The implied ends of elements without an end tag (HTML standard, section 13.1.2.4), as far as they make a difference
// to text.
import type { Element } from './elements.ts';
import type { OpenElements } from './open-elements.ts';

/**
 * Ends the open elements that the start of an element implies to end.
 *
 * @param popTo ends all elements down to and including the one at a position
 */
export function closeImplied(
  { role, endsParagraph, key }: Element,
  elements: OpenElements,
  popTo: (position: number) => void,
): void {
  const end = (of: string, limit: number): void => {
    const position = elements.last(of);
    if (position > limit) popTo(position);
  };
  if (endsParagraph) end('p', elements.barrier());
  if (IN_RUBY.has(key)) {
    end('rt', elements.barrier());
    end('rp', elements.barrier());
  }
  switch (role) {
    case 'heading':
      if (elements.at(-1)?.element.role === 'heading') popTo(elements.length - 1);
      break;
    case 'item':
      end('li', Math.max(elements.list(), elements.barrier()));
      break;
    case 'term':
    case 'description':
      end('dt', Math.max(elements.last('dl'), elements.barrier()));
      end('dd', Math.max(elements.last('dl'), elements.barrier()));
      break;
    case 'control':
      end(key, elements.barrier());
      break;
    case 'table':
      // A table directly inside another one, in no cell, ends it.
      end('table', Math.max(elements.last('cell'), elements.last('caption')));
      break;
    case 'caption':
    case 'section':
    case 'row':
    case 'cell': {
      const table = elements.last('table');
      if (table === -1) return;
      end('caption', table);
      end('cell', table);
      if (role === 'cell') return;
      end('tr', table);
      if (role !== 'row') end('section', table);
      break;
    }
    default:
  }
}

/** Parts of a ruby: each ends the one before it. */
const IN_RUBY: ReadonlySet<string> = new Set(['rb', 'rt', 'rp', 'rtc']);
