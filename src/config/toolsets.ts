import type { Faults } from './faults.js';

/** Those that tell of alerts. */
export const ALERT_TOOLS = [
  'list_alerts',
  'get_alert',
  'count_alerts',
  'alert_timeline',
  'alert_history',
  'list_silences',
] as const;

/** Those that tell of metrics, rules and targets. */
export const METRIC_TOOLS = [
  'query_metrics',
  'search_metrics',
  'list_labels',
  'chart',
  'list_targets',
  'list_rules',
  'explain_rule',
] as const;

/**
 * The tools that read the sources, one by one, by their names in the registry
 * (src/assistant/tools; a test there keeps the two lists the same).
 */
export const READ_TOOLS = [
  ...ALERT_TOOLS,
  ...METRIC_TOOLS,
  'list_busi_groups',
  'list_dashboards',
  'read_runbook',
] as const;

/**
 * What `mcp.toolsets` may name: groups of tools, and every read tool by itself. `remote`: the
 * read-only tools of the tenant's remote agents and MCP servers.
 */
export const TOOLSETS = ['assistant', 'tasks', 'direct', 'remote', ...READ_TOOLS] as const;
export type Toolset = (typeof TOOLSETS)[number];

/** The one tool that n9e has. */
export const DEFAULT_TOOLSETS: readonly Toolset[] = ['assistant'];

export type ReadTool = (typeof READ_TOOLS)[number];

/** `tools` of a tenant, each entry checked; undefined where it names none. */
export function buildTools(
  names: unknown,
  place: string,
  faults: Faults,
): readonly ReadTool[] | undefined {
  return buildNames(names, READ_TOOLS, 'tool', place, faults);
}

/** The list of a YAML file, each entry checked; adds to `faults` with the entry's own place. */
export function buildToolsets(
  names: unknown,
  place: string,
  faults: Faults,
): readonly Toolset[] | undefined {
  return buildNames(names, TOOLSETS, 'toolset', place, faults);
}

function buildNames<T extends string>(
  names: unknown,
  all: readonly T[],
  kind: string,
  place: string,
  faults: Faults,
): readonly T[] | undefined {
  if (names === undefined || names === null) return undefined;
  if (!Array.isArray(names) || names.length === 0) {
    faults.add(place, `must be a list of at least one ${kind}`);
    return undefined;
  }
  const found: T[] = [];
  names.forEach((name: unknown, index) => {
    const known = all.find((one) => one === name);
    if (known === undefined) {
      faults.add(`${place}[${index}]`, `must be one of ${all.join(', ')}`);
    } else if (found.includes(known)) {
      faults.add(`${place}[${index}]`, 'is named twice');
    } else found.push(known);
  });
  return found;
}
