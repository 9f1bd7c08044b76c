import { metrics } from './metrics.js';

/** What was refused last, and so is not in force. */
const atFault = new Set<string>();

/** Counts a change of the YAML file or the listener's certificate that was taken, or refused. */
export function configReloaded(what: 'file' | 'certificate', isTaken: boolean): void {
  if (isTaken) atFault.delete(what);
  else atFault.add(what);
  metrics.configReloads.inc({ outcome: isTaken ? 'taken' : 'refused' });
  metrics.configIsCurrent.set(atFault.size === 0 ? 1 : 0);
}
