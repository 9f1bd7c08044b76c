/** What the values of a chart are. `ratio` is shown as percent: 1 is 100 %. */
export const CHART_UNITS = [
  'number',
  'percent',
  'ratio',
  'bytes',
  'bytes_per_second',
  'seconds',
  'milliseconds',
  'per_second',
  'celsius',
] as const;
export type ChartUnit = (typeof CHART_UNITS)[number];

/** How values of one size are shown: divided, with the suffix behind them. */
export interface Scale {
  readonly divisor: number;
  /** `GiB/s`, `ms`, `%`; empty for small plain numbers. */
  readonly suffix: string;
}

type Step = readonly [from: number, divisor: number, suffix: string];

const BINARY: readonly Step[] = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'].map((suffix, index) => [
  index === 0 ? 0 : 1024 ** index,
  1024 ** index,
  suffix,
]);
const DECIMAL: readonly Step[] = [
  [0, 1, ''],
  [10_000, 1e3, 'k'],
  [1e6, 1e6, 'M'],
  [1e9, 1e9, 'G'],
  [1e12, 1e12, 'T'],
];
const TIME: readonly Step[] = [
  [0, 1e-9, 'ns'],
  [1e-6, 1e-6, 'µs'],
  [1e-3, 1e-3, 'ms'],
  [1, 1, 's'],
  [180, 60, 'min'],
  [3 * 3600, 3600, 'h'],
  [3 * 86_400, 86_400, 'd'],
];

/** @param size the largest magnitude that is shown with it. */
export function scaleFor(unit: ChartUnit, size: number): Scale {
  switch (unit) {
    case 'percent':
      return { divisor: 1, suffix: '%' };
    case 'ratio':
      return { divisor: 0.01, suffix: '%' };
    case 'celsius':
      return { divisor: 1, suffix: '°C' };
    case 'bytes':
      return step(BINARY, size);
    case 'bytes_per_second':
      return { ...step(BINARY, size), suffix: `${step(BINARY, size).suffix}/s` };
    case 'per_second':
      return { ...step(DECIMAL, size), suffix: `${step(DECIMAL, size).suffix}/s` };
    case 'seconds':
      return size === 0 ? { divisor: 1, suffix: 's' } : step(TIME, size);
    case 'milliseconds': {
      const { divisor, suffix } =
        size === 0 ? { divisor: 1, suffix: 's' } : step(TIME, size / 1000);
      return { divisor: divisor * 1000, suffix };
    }
    case 'number':
      return step(DECIMAL, size);
  }
}

/** `1.5 GiB`, `12 %`, `0.42`: about three digits that count. */
export function showValue(value: number, unit: ChartUnit): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
  const { divisor, suffix } = scaleFor(unit, Math.abs(value));
  return withSuffix(shortNumber(value / divisor), suffix);
}

export function withSuffix(number: string, suffix: string): string {
  if (suffix === '') return number;
  return /^[kMGT](?:\/s)?$/.test(suffix) ? `${number}${suffix}` : `${number} ${suffix}`;
}

/** At most four digits that count, no exponent where it can be helped. */
export function shortNumber(value: number): string {
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size < 1e-4 || size >= 1e7) return value.toExponential(2).replace(/\.?0+e/, 'e');
  const digits =
    size >= 1000 ? 0 : size >= 100 ? 1 : size >= 1 ? 2 : 3 - Math.floor(Math.log10(size)) - 1;
  return String(Number(value.toFixed(digits)));
}

function step(steps: readonly Step[], size: number): Scale {
  const [, divisor, suffix] = steps.findLast(([from]) => size >= from) ?? [0, 1, ''];
  return { divisor, suffix };
}

const STRINGS = /"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`[^`]*`/g;
const RATE = /\b(?:rate|irate|deriv)\s*\(/;

/**
 * The unit that an expression's names say (Prometheus' naming conventions, and the agents of n9e);
 * `number` where they say none.
 */
export function unitOf(expr: string): ChartUnit {
  const bare = expr.replace(STRINGS, '""').replace(/\{[^{}]*\}|\[[^[\]]*\]/g, '');
  const isPercent = /(?:^|[^\d.])100(?:\.0*)?\s*[*-]|\*\s*100(?![\d.])/.test(bare);
  if (isPercent || /_(?:percent|pct|percentage)\b|\bcpu_usage_\w+\b/.test(bare)) return 'percent';
  if (/_ratio\b|:ratio\w*\b/.test(bare)) return 'ratio';
  const isShare = /_bytes\w*\)*\s*\/\s*(?:on\b.*?\)|ignoring\b.*?\))?[\s(\w]*_bytes/.test(bare);
  const isRest = /(?:^|[^\w.])1\s*-/.test(bare);
  if (isShare || (isRest && /[/]|_seconds_total\b/.test(bare))) return 'ratio';
  // Two counts of the same kind: a share.
  if (/_total\b[^/]*\/[^/]*_total\b/.test(bare) && RATE.test(bare)) return quotientUnit(bare);
  const isRate = RATE.test(bare);
  if (/_seconds_sum\b.*\/.*_seconds_count\b/.test(bare)) return 'seconds';
  if (/_seconds_total\b/.test(bare)) return 'number';
  if (/_bytes\w*\b|\bnet_bytes_\w+/.test(bare)) return isRate ? 'bytes_per_second' : 'bytes';
  if (/_seconds(?:_bucket)?\b/.test(bare) && (!isRate || /histogram_quantile/.test(bare))) {
    return 'seconds';
  }
  if (/\btime\s*\(\s*\)\s*-/.test(bare)) return 'seconds';
  if (/_(?:milliseconds|ms)(?:_bucket)?\b/.test(bare) && !isRate) return 'milliseconds';
  if (/_celsius\b/.test(bare)) return 'celsius';
  return isRate ? 'per_second' : 'number';
}

function quotientUnit(bare: string): ChartUnit {
  const [above = '', below = ''] = bare.split('/');
  const kind = (side: string): string | undefined => /_(bytes|seconds)_total\b/.exec(side)?.[1];
  if (kind(above) === kind(below)) return 'ratio';
  return kind(below) === undefined && kind(above) === 'bytes' ? 'bytes' : 'number';
}
