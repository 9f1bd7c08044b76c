import { describe, expect, it } from 'vitest';
import { jsonLine, terminalText } from './terminal-text.js';

const NASTY = 'a\u001b[31mb\u009b2Jc\u202ed\u2066e\u200ff\rg\u0007h\u2028i\n\tj 👩‍💻';

describe('terminalText', () => {
  it('should keep letters, lines and tabs, and nothing that acts on a terminal', () => {
    expect(terminalText(NASTY)).toBe('a[31mb2Jcdefghi\n\tj 👩‍💻');
  });
});

describe('jsonLine', () => {
  it.each([0, 2])('should mean the same and hold nothing raw, indented by %i', (indent) => {
    const line = jsonLine({ text: NASTY, [NASTY]: 1 }, indent);
    expect(JSON.parse(line)).toEqual({ text: NASTY, [NASTY]: 1 });
    expect(terminalText(line)).toBe(line);
    expect(line.endsWith('\n')).toBe(true);
  });
});
