import { describe, expect, it } from 'vitest';
import type { ChartSpec } from './chart-spec.js';
import { drawSvg } from './draw-chart.js';

const START = Date.parse('2026-11-30T06:00:00Z');
const STEP = 60;

function spec(more: Partial<ChartSpec> = {}): ChartSpec {
  return {
    title: 'CPU',
    subtitle: '',
    language: 'en',
    unit: 'percent',
    start: START,
    end: START + 10 * STEP * 1000,
    stepSeconds: STEP,
    series: [{ name: 'web-1', values: [1, 2, 3, null, null, 4, null, 5, 6, 7, 8] }],
    firing: [],
    moreFiring: 0,
    notes: [],
    ...more,
  };
}

/** Separate strokes of the first line. */
function strokes(svg: string): number {
  const line = [...svg.matchAll(/<path d="([^"]*)"[^>]*stroke="#2563eb"[^>]*stroke-width="2.6"/g)];
  return line.flatMap(([, d = '']) => d.match(/M/g) ?? []).length;
}

describe('drawSvg', () => {
  it('should draw the same bytes for the same numbers', () => {
    expect(drawSvg(spec())).toBe(drawSvg(spec()));
  });

  it('should leave gaps as gaps, and show a point that stands alone', () => {
    const svg = drawSvg(spec());
    expect(strokes(svg)).toBeGreaterThanOrEqual(2);
    expect(svg).toMatch(/<path d="M1 0A1 1[^"]*"[^>]*fill="#2563eb"/);
    expect(strokes(drawSvg(spec({ series: [{ name: 'a', values: [1, 2, 3] }] })))).toBe(1);
  });

  it('should take every text as text', () => {
    const nasty = '<script>alert("1")</script>{a|b}&amp;\u0000';
    const svg = drawSvg(
      spec({
        title: nasty,
        subtitle: nasty,
        notes: [nasty],
        series: [{ name: nasty, values: [1] }],
      }),
    );
    expect(svg).not.toContain('<script');
    expect(svg).toContain('&lt;script&gt;');
  });

  it('should say in which zone its times are, and shade what fired', () => {
    const stretch = { start: START + 120_000, end: START + 300_000 };
    const band = { name: 'HighCpu', stretches: [stretch], open: false };
    const svg = drawSvg(spec({ firing: [band], moreFiring: 2 }));
    expect(svg).toContain('>UTC</text>');
    expect(svg).toContain('firing: HighCpu  06:02–06:05');
    expect(svg).toContain('and 2 more that fired');
    expect(svg.match(/fill="rgb\(224,49,49\)"|fill="rgba\(224/g)?.length).toBeGreaterThanOrEqual(2);
  });

  it('should tell the day of what fired where it draws several', () => {
    const end = START + 3 * 24 * 3_600_000;
    const stretch = { start: START + 3_600_000, end: START + 30 * 3_600_000 };
    const firing = [{ name: 'HighCpu', stretches: [stretch], open: false }];
    const svg = drawSvg(spec({ end, stepSeconds: 7200, firing }));
    expect(svg).toContain('firing: HighCpu  11-30 07:00–12-01 12:00');
  });

  it('should shade from the lowest to the highest around a line, and make room for it', () => {
    const values = [4, 4, 4];
    const shaded = spec({
      unit: 'number',
      series: [{ name: 'a', values, lows: [4, 0, 4], highs: [4, 4, 60] }],
    });
    const svg = drawSvg(shaded);
    expect(svg).toMatch(/fill="#2563eb"[^>]*fill-opacity="0.28"/);
    expect(svg).toContain('>60</text>');
    expect(svg).toContain('max 60');
    expect(drawSvg(spec({ series: [{ name: 'a', values }] }))).not.toContain('0.28');
  });

  it.each([
    ['one point', [5, null, null]],
    ['nothing but gaps', [null, null]],
    ['only zeros', [0, 0, 0]],
    ['huge and tiny', [1e300, 1e-300, 5]],
    ['below zero', [-5, 5, -1]],
  ])('should draw %s without a number that is none', (_, values) => {
    const svg = drawSvg(spec({ unit: 'bytes', series: [{ name: 'x', values }] }));
    expect(svg).not.toMatch(/NaN|Infinity|undefined/);
  });
});
