// Makes helm/nightjar/values.schema.json and the table of helm/nightjar/README.md from values.yaml.
//
//   node helm/tools/generate.mjs           writes both
//   node helm/tools/generate.mjs --check   exits 1 when one of them is not what it would write
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMap, parseDocument } from 'yaml';

const CHART = join(import.meta.dirname, '../nightjar');
const BEGIN = '<!-- values: begin (make helm-docs) -->';
const END = '<!-- values: end -->';

const text = readFileSync(join(CHART, 'values.yaml'), 'utf8');
const values = parseDocument(text);
const rows = [];

/** The comment lines right above a key, without `#`; the first key of a map has the map's comment. */
function commentOf(pair) {
  const before = text.slice(0, pair.key.range[0]).split('\n').slice(0, -1);
  const lines = [];
  while (/^\s*#/.test(before.at(-1) ?? '')) lines.unshift(before.pop().replace(/^\s*# ?/, ''));
  const hint = lines.find((line) => line.includes('@schema'));
  const words = lines
    .map((line) => line.replace(/^-- ?/, '').replace(/@schema .*$/, ''))
    .filter((line) => line !== '')
    .join(' ')
    .trim();
  return {
    words: lines.some((line) => line.startsWith('-- ')) ? words : '',
    hint: hint === undefined ? undefined : JSON.parse(hint.slice(hint.indexOf('{'))),
  };
}

function typeOf(value) {
  if (Array.isArray(value)) return { type: 'array' };
  if (typeof value === 'boolean') return { type: 'boolean' };
  if (typeof value === 'number') return { type: 'integer' };
  if (typeof value === 'string') return { type: 'string' };
  if (value !== null && typeof value === 'object') return { type: 'object' };
  return undefined;
}

/** A map whose keys are described is closed; one that has a description itself is the user's. */
function schemaOf(map, path) {
  const properties = {};
  for (const pair of map.items) {
    const key = pair.key.value;
    const place = [...path, key];
    const { words, hint } = commentOf(pair);
    const value = values.getIn(place, false);
    const plain = value?.toJSON?.() ?? value;
    if (isMap(pair.value) && words === '' && hint === undefined) {
      properties[key] = schemaOf(pair.value, place);
      continue;
    }
    if (words === '') throw new Error(`values.yaml: ${place.join('.')} has no description`);
    const schema = { ...typeOf(plain), ...hint };
    if (schema.type === undefined) throw new Error(`values.yaml: ${place.join('.')} has no type`);
    properties[key] = schema;
    rows.push([place.join('.'), words, JSON.stringify(plain)]);
  }
  return { type: 'object', additionalProperties: false, properties };
}

const root = schemaOf(values.contents, []);
root.properties.global = { type: 'object' };
const schema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'Values of the Nightjar chart',
  ...root,
};

const cell = (content) => content.replaceAll('|', '\\|').replaceAll('<', '&lt;');
const table = [
  '| value | what it is | default |',
  '| --- | --- | --- |',
  ...rows.map(([key, words, value]) => `| \`${key}\` | ${cell(words)} | \`${cell(value)}\` |`),
].join('\n');

const readme = readFileSync(join(CHART, 'README.md'), 'utf8');
const [head, rest] = readme.split(BEGIN);
const tail = rest?.split(END)[1];
if (tail === undefined) throw new Error('README.md: the marks of the table are missing');

const wanted = {
  'values.schema.json': `${JSON.stringify(schema, null, 2)}\n`,
  'README.md': `${head}${BEGIN}\n<!-- prettier-ignore-start -->\n\n${table}\n\n<!-- prettier-ignore-end -->\n${END}${tail}`,
};

let stale = false;
for (const [name, content] of Object.entries(wanted)) {
  const file = join(CHART, name);
  let there = '';
  try {
    there = readFileSync(file, 'utf8');
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
  if (there === content) continue;
  if (process.argv.includes('--check')) {
    stale = true;
    process.stderr.write(`helm/nightjar/${name} is not what values.yaml says: make helm-docs\n`);
  } else {
    writeFileSync(file, content);
  }
}
process.exitCode = stale ? 1 : 0;
