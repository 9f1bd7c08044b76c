import type { Clause, Matcher } from '../../tools/label-matcher.js';

interface Group {
  /** Alternatives of one condition: any of these matchers. */
  readonly matchers: Matcher[];
  readonly negative: boolean;
  /** `or` joined conditions on different labels. */
  mixed?: true;
}

/**
 * Puts conditions together the way people mean them: values of one label are alternatives, different
 * labels must all hold, unless `or` stands between them.
 */
export class Joiner {
  private readonly groups: Group[] = [];
  private split = false;

  /**
   * @param values the alternatives that each word of a list stands for
   * @param how `linked`: `or` joins the list to the condition before it; `either`: its words to one
   * another
   */
  add(
    values: readonly (readonly Matcher[])[],
    how: { readonly negative: boolean; readonly either: boolean; readonly linked: boolean },
  ): void {
    if (how.negative) {
      // Not a and not b, however the list was joined.
      const none = values.flatMap((matchers) => matchers);
      for (const matcher of none) this.groups.push({ matchers: [matcher], negative: true });
      return;
    }
    values.forEach((matchers, index) => {
      // `prod and staging` are two values of one label: nothing can have both.
      const before = values[index - 1];
      const alike = before !== undefined && shareLabel(before, matchers);
      this.addAlternatives(matchers, index === 0 ? how.linked : how.either || alike);
    });
  }

  addMatcher(matcher: Matcher): void {
    this.groups.push({ matchers: [matcher], negative: false });
  }

  /**
   * True when no single list of conditions can say what was asked: one label got values in two
   * places, or `or` joined different labels beside other conditions, as in
   * `critical in prod or warning in staging`.
   */
  get contradictory(): boolean {
    const positive = this.groups.filter((group) => !group.negative);
    return this.split || (positive.length > 1 && positive.some((group) => group.mixed));
  }

  clauses(): readonly Clause[] {
    return this.groups.map(({ matchers, negative }) => {
      const [only] = matchers;
      if (negative && only !== undefined) return { ...only, op: '!=' as const };
      return matchers.length === 1 && only !== undefined ? only : { any: matchers };
    });
  }

  private addAlternatives(matchers: readonly Matcher[], linked: boolean): void {
    const last = this.groups.at(-1);
    if (linked && last !== undefined && !last.negative) {
      if (!shareLabel(last.matchers, matchers)) last.mixed = true;
      for (const matcher of matchers) addTo(last.matchers, matcher);
      return;
    }
    const labels = labelsOf(matchers);
    const index = this.groups.findIndex(
      (group) => !group.negative && labelsOf(group.matchers) === labels && isPlain(group.matchers),
    );
    const same = this.groups[index];
    if (same === undefined || !isPlain(matchers)) {
      this.groups.push({ matchers: [...matchers], negative: false });
      return;
    }
    const before = JSON.stringify(same.matchers);
    for (const matcher of matchers) addTo(same.matchers, matcher);
    const grown = JSON.stringify(same.matchers) !== before;
    if (grown && index !== this.groups.length - 1) this.split = true;
  }
}

function addTo(group: Matcher[], matcher: Matcher): void {
  const index = group.findIndex(({ label, op }) => label === matcher.label && op === matcher.op);
  const known = group[index];
  if (known === undefined) group.push(matcher);
  else group[index] = { ...known, values: [...new Set([...known.values, ...matcher.values])] };
}

function labelsOf(matchers: readonly Matcher[]): string {
  return matchers
    .map(({ label }) => label ?? '')
    .sort()
    .join(' ');
}

function shareLabel(a: readonly Matcher[], b: readonly Matcher[]): boolean {
  return a.some(({ label }) => b.some((other) => other.label === label));
}

function isPlain(matchers: readonly Matcher[]): boolean {
  return matchers.every(({ op, label }) => op === '=' && label !== undefined);
}
