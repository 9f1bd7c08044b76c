import { fingerprintOf } from './fingerprint.js';
import {
  asDocument,
  asLabels,
  asList,
  asOptionalText,
  asText,
  asTime,
  type Document,
  ShapeError,
} from './shape.js';
import type { Alert, QueryResult, Rule, Target } from './source.types.js';

// Readers of the `data` of Prometheus' HTTP API v1 answers. All throw ShapeError.

export function readAlerts(data: unknown, source: string): readonly Alert[] {
  return asList(asDocument(data, 'data')['alerts'], 'alerts').map((item) => {
    const alert = asDocument(item, 'alert');
    const labels = asLabels(alert['labels'], 'labels');
    return {
      source,
      fingerprint: fingerprintOf(labels),
      labels,
      annotations: asLabels(alert['annotations'], 'annotations'),
      state: alert['state'] === 'pending' ? 'pending' : 'active',
      startsAt: asTime(alert['activeAt'], 'activeAt'),
      silencedBy: [],
      inhibitedBy: [],
      receivers: [],
    };
  });
}

export function readTargets(data: unknown, source: string): readonly Target[] {
  return asList(asDocument(data, 'data')['activeTargets'], 'activeTargets').map((item) => {
    const target = asDocument(item, 'target');
    const health = target['health'];
    // Go's zero time stands for "never".
    const lastScrape = asTime(target['lastScrape'], 'lastScrape');
    return {
      source,
      labels: asLabels(target['labels'], 'labels'),
      health: health === 'up' || health === 'down' ? health : 'unknown',
      scrapeUrl: asOptionalText(target['scrapeUrl'], 'scrapeUrl'),
      lastError: asOptionalText(target['lastError'], 'lastError'),
      lastScrape: Math.max(0, lastScrape),
    };
  });
}

export function readRules(data: unknown, source: string): readonly Rule[] {
  return asList(asDocument(data, 'data')['groups'], 'groups').flatMap((item) => {
    const group = asDocument(item, 'group');
    const name = asText(group['name'], 'group.name');
    return asList(group['rules'], 'rules').map((rule) =>
      readRule(asDocument(rule, 'rule'), name, source),
    );
  });
}

function readRule(rule: Document, group: string, source: string): Rule {
  const state = rule['state'];
  return {
    source,
    group,
    name: asText(rule['name'], 'rule.name'),
    type: rule['type'] === 'recording' ? 'recording' : 'alerting',
    expr: asText(rule['query'], 'rule.query'),
    ...(state === 'firing' || state === 'pending' || state === 'inactive' ? { state } : {}),
    forSeconds: typeof rule['duration'] === 'number' ? rule['duration'] : 0,
    labels: asLabels(rule['labels'], 'rule.labels'),
    health: asOptionalText(rule['health'], 'rule.health'),
    lastError: asOptionalText(rule['lastError'], 'rule.lastError'),
  };
}

export function readQueryResult(data: unknown, warnings: readonly string[]): QueryResult {
  const body = asDocument(data, 'data');
  const kind = asText(body['resultType'], 'resultType');
  switch (kind) {
    case 'scalar':
    case 'string':
      return {
        kind,
        warnings,
        series: [{ labels: asLabels({}, 'labels'), samples: [readSample(body['result'])] }],
      };
    case 'vector':
    case 'matrix':
      return {
        kind,
        warnings,
        series: asList(body['result'], 'result').map((item) =>
          readSeries(asDocument(item, 'series')),
        ),
      };
    default:
      throw new ShapeError('resultType is unknown');
  }
}

/** Of a bare list of series, as a gateway of several backends passes it on. */
export function readSeriesList(list: unknown): QueryResult['series'] {
  return asList(list, 'result').map((item) => readSeries(asDocument(item, 'series')));
}

function readSeries(series: Document): QueryResult['series'][number] {
  const samples =
    series['value'] === undefined
      ? asList(series['values'], 'values').map(readSample)
      : [readSample(series['value'])];
  return { labels: asLabels(series['metric'], 'metric'), samples };
}

function readSample(value: unknown): { at: number; value: string } {
  const [at, text] = asList(value, 'sample');
  if (typeof at !== 'number') throw new ShapeError('sample time is not a number');
  return { at: Math.round(at * 1000), value: asText(text, 'sample value') };
}
