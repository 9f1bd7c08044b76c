import type { Faults } from './faults.js';

/**
 * The tools that read the sources, one by one, by their names in the registry
 * (src/assistant/tools; a test there keeps the two lists the same).
 */
export const READ_TOOLS = [
  'list_alerts',
  'get_alert',
  'count_alerts',
  'alert_timeline',
  'alert_history',
  'list_silences',
  'query_metrics',
  'chart',
  'list_targets',
  'list_rules',
  'explain_rule',
  'list_busi_groups',
] as const;

/** What `mcp.toolsets` may name: groups of tools, and every read tool by itself. */
export const TOOLSETS = ['assistant', 'tasks', 'direct', ...READ_TOOLS] as const;
export type Toolset = (typeof TOOLSETS)[number];

/** The one tool that n9e has. */
export const DEFAULT_TOOLSETS: readonly Toolset[] = ['assistant'];

/** The list of a YAML file, each entry checked; adds to `faults` with the entry's own place. */
export function buildToolsets(
  names: unknown,
  place: string,
  faults: Faults,
): readonly Toolset[] | undefined {
  if (names === undefined || names === null) return undefined;
  if (!Array.isArray(names) || names.length === 0) {
    faults.add(place, 'must be a list of at least one toolset');
    return undefined;
  }
  const toolsets: Toolset[] = [];
  names.forEach((name: unknown, index) => {
    const known = TOOLSETS.find((toolset) => toolset === name);
    if (known === undefined) {
      faults.add(`${place}[${index}]`, `must be one of ${TOOLSETS.join(', ')}`);
    } else if (toolsets.includes(known)) {
      faults.add(`${place}[${index}]`, 'is named twice');
    } else toolsets.push(known);
  });
  return toolsets;
}
