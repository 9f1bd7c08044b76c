import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { STATES } from '../../src/domain/task-state.js';
import { Keys } from '../../src/redis/keys.js';

const keys = new Keys();
type Build = (...parts: string[]) => string | string[];

/** Every function of Keys with its parameter count: a new key is covered without a change here. */
const builders = Object.entries(keys)
  .filter(([, value]) => typeof value === 'function')
  .map(([name, build]) => ({ name, build: build as Build, arity: (build as Build).length }));
/**
 * Keys of the whole installation carry no hash tag, or that of the administration, which no tenant
 * can have; all others start with their tenant's.
 */
const ofInstallation = new Set(
  builders
    .filter(({ build, arity }) =>
      [build(...Array.from({ length: arity }, () => '1'))]
        .flat()
        .every((key) => !key.includes('{') || key.startsWith('nj:{admin}:')),
    )
    .map(({ name }) => name),
);

/** Short well-formed strings over what could break a key apart, so that near-collisions are common. */
const part = fc
  .array(
    fc.constantFrom(
      'a',
      'b',
      ':',
      '{',
      '}',
      '%',
      '%3A',
      '1',
      '-',
      ' ',
      '\n',
      '\u0000',
      'é',
      '告',
      '😀',
    ),
    {
      maxLength: 3,
    },
  )
  .map((pieces) => pieces.join(''));
const address = fc.constantFrom(...builders).chain((builder) =>
  fc.tuple(...Array.from({ length: builder.arity }, () => part)).map((parts) => {
    const named = [...parts] as string[];
    if (!ofInstallation.has(builder.name) && named[0] === '') named[0] = 't';
    if (builder.name === 'userState') named[2] = STATES[named[2]!.length % STATES.length]!;
    return { builder, parts: named };
  }),
);

describe('Keys', () => {
  it('should build every key by a function of its own', () => {
    expect(builders.length).toBeGreaterThan(20);
    expect(ofInstallation.size).toBeGreaterThan(3);
    expect(ofInstallation.has('task')).toBe(false);
  });

  it('should never give one key for different parts', () => {
    fc.assert(
      fc.property(address, address, (a, b) => {
        const same =
          a.builder.name === b.builder.name && JSON.stringify(a.parts) === JSON.stringify(b.parts);
        const left = [a.builder.build(...a.parts)].flat();
        const right = [b.builder.build(...b.parts)].flat();
        const shared = left.filter((key) => right.includes(key));
        // A list of keys (userStates) shares single ones with their own builder: compare like alike.
        if (
          !same &&
          Array.isArray(a.builder.build(...a.parts)) !== Array.isArray(b.builder.build(...b.parts))
        ) {
          return;
        }
        expect(shared.length > 0).toBe(same);
      }),
      { numRuns: 20_000 },
    );
  });

  it('should put all keys of a tenant under its own hash tag', () => {
    fc.assert(
      fc.property(
        address,
        part.filter((text) => text !== ''),
        (a, tenant) => {
          if (ofInstallation.has(a.builder.name)) return;
          const parts = [tenant, ...a.parts.slice(1)];
          const tag = `nj:{${encodeURIComponent(tenant)}}:`;
          for (const key of [a.builder.build(...parts)].flat()) {
            expect(key.startsWith(tag)).toBe(true);
          }
        },
      ),
    );
  });

  it('should refuse a prefix that moves the hash tag', () => {
    expect(() => new Keys('a{b}')).toThrow(RangeError);
    expect(new Keys('prod:').meta('t')).toBe('prod:{t}:meta');
  });
});
