import type { Faults } from './faults.js';
import { placeIn } from './faults.js';

/**
 * Adds a fault for each key that every JavaScript object has already, such as `constructor` or
 * `toString`: the check for unknown settings does not see them, and class-transformer takes the value
 * of the first one for the class to make. And for a YAML alias that leads back to itself.
 * @returns true when there is none, and the document may be walked through.
 */
export function isSound(document: unknown, faults: Faults, place = ''): boolean {
  return walk(document, faults, place, new Set());
}

function walk(value: unknown, faults: Faults, place: string, above: Set<unknown>): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (above.has(value)) {
    faults.add(place, 'must not contain itself');
    return false;
  }
  above.add(value);
  let sound = true;
  for (const [key, content] of Object.entries(value)) {
    const at = placeIn(place, key);
    if (key in Object.prototype) {
      faults.add(at, 'is not a known setting, and no name to choose');
      sound = false;
    } else if (!walk(content, faults, at, above)) sound = false;
  }
  above.delete(value);
  return sound;
}
