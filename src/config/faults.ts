import type { ValidationError } from 'class-validator';

/** Collects faults, each with its place in the file; lists them in the order of the places. */
export class Faults {
  private readonly entries: { readonly place: string; readonly text: string }[] = [];

  /** `origin` names the environment variable that set a place. */
  constructor(private readonly origin: ReadonlyMap<string, string> = new Map()) {}

  /** `text` ends a sentence that starts with the place: `must be …`. */
  add(place: string, text: string): void {
    if (this.entries.some((entry) => entry.place === place && entry.text === text)) return;
    this.entries.push({ place, text });
  }

  /** True when the place, or something below it, is already known to be wrong. */
  has(place: string): boolean {
    return this.entries.some(
      (entry) =>
        entry.place === place ||
        entry.place.startsWith(`${place}.`) ||
        entry.place.startsWith(`${place}[`),
    );
  }

  addValidation(errors: readonly ValidationError[], above = ''): void {
    for (const error of errors) {
      const place = placeIn(above, error.property);
      const [kind, text] = Object.entries(error.constraints ?? {})[0] ?? [];
      if (kind === 'whitelistValidation') this.add(place, 'is not a known setting');
      else if (text !== undefined) this.add(place, text);
      this.addValidation(error.children ?? [], place);
    }
  }

  list(): readonly string[] {
    return this.entries.map(({ place, text }) => {
      const variable = this.origin.get(place);
      const shown = variable === undefined ? place : `${variable} (${place})`;
      return place === '' ? text : `${shown}: ${text}`;
    });
  }
}

/** The place of a key, or of an index, below another place. */
export function placeIn(above: string, property: string): string {
  if (/^\d+$/.test(property)) return `${above}[${property}]`;
  return above === '' ? property : `${above}.${property}`;
}
