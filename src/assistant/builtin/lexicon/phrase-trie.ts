interface Node<T> {
  readonly next: Map<string, Node<T>>;
  value?: T;
}

/** Finds phrases, given as lists of atom keys, at a place of a sentence. */
export class PhraseTrie<T> {
  private readonly root: Node<T> = { next: new Map() };

  get(phrase: readonly string[]): T | undefined {
    let node: Node<T> | undefined = this.root;
    for (const key of phrase) node = node?.next.get(key);
    return node?.value;
  }

  set(phrase: readonly string[], value: T): void {
    let node = this.root;
    for (const key of phrase) {
      let next = node.next.get(key);
      if (next === undefined) {
        next = { next: new Map() };
        node.next.set(key, next);
      }
      node = next;
    }
    node.value = value;
  }

  /** Every phrase that stands at `at`, shortest first. */
  *at(
    keys: readonly string[],
    at: number,
  ): Generator<{ readonly length: number; readonly value: T }> {
    let node: Node<T> | undefined = this.root;
    for (let index = at; index < keys.length; index += 1) {
      node = node.next.get(keys[index] ?? '');
      if (node === undefined) return;
      if (node.value !== undefined) yield { length: index - at + 1, value: node.value };
    }
  }
}
