import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { Part, Task } from '../../../src/domain/a2a.js';
import { A2A } from '../support/cells.js';
import { prove } from '../support/registry.js';
import { textOf } from '../support/wire.js';
import { NAMED } from '../support/world.js';

const KIB = 1024;

function filesOf(task: Task): readonly Part[] {
  return (task.artifacts ?? []).flatMap(({ parts }) =>
    parts.filter((part) => part.raw !== undefined || part.url !== undefined),
  );
}

function bytesOf(part: Part | undefined): number {
  return Buffer.from(part?.raw ?? '', 'base64').length;
}

prove('FILE-INLINE', A2A, async (world) => {
  const one = await world.wire().send(`files ${256 * KIB} ${256 * KIB + 1}`);
  const [inline, link] = filesOf(one);
  expect(inline).toMatchObject({ mediaType: 'image/png' });
  expect(bytesOf(inline)).toBe(256 * KIB);
  expect(link?.url).toMatch(new RegExp(`^${world.site.a}/a2a/tasks/${one.id}/artifacts/[^/]+$`));
  const many = await world.wire().send(
    `files ${Array(5)
      .fill(250 * KIB)
      .join(' ')}`,
  );
  expect(filesOf(many).filter((part) => part.raw !== undefined)).toHaveLength(4);
  expect(filesOf(many).filter((part) => part.url !== undefined)).toHaveLength(1);
  const read = await world.other().get(one.id);
  expect(filesOf(read)[1]?.url).toBe(link!.url!.replace(world.site.a, world.site.b));
});

prove('FILE-LINK', A2A, async (world) => {
  const size = 300 * KIB;
  const task = await world.wire().send(`files ${size}`);
  const [part] = filesOf(task);
  const path = new URL(part!.url!).pathname;
  const mine = await world.http(world.me, world.site.b).call('GET', path);
  expect([mine.status, mine.text.length, mine.text]).toEqual([200, size, 'a'.repeat(size)]);
  expect(mine.headers['content-type']).toBe('image/png');
  expect(mine.headers['content-disposition']).toMatch(/^attachment/);
  expect(mine.headers['x-content-type-options']).toBe('nosniff');
  expect(mine.headers['content-security-policy']).toMatch(/default-src 'none'/);
  expect(mine.headers['cache-control']).toMatch(/no-store/);
  expect((await world.http(null).call('GET', path)).status).toBe(401);
  for (const who of [world.colleague, world.stranger]) {
    const foreign = await world.http(who).call('GET', path);
    const random = randomUUID();
    const unknown = await world.http(who).call('GET', path.replace(task.id, random));
    expect(foreign.status).toBe(404);
    expect(foreign.text.replaceAll(task.id, '')).toBe(unknown.text.replaceAll(random, ''));
  }
  const named = { [NAMED.headerName.toLowerCase()]: world.me.token };
  const there = world.http(null, world.site.named);
  if (world.cell !== 'rest-1.0') return;
  const { body } = world.wire().request('SendMessage', {
    message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: `files ${size}` }] },
  });
  const reply = await there.call('POST', '/a2a/message:send', body, named);
  expect(reply.text).toContain(`"url":"${NAMED.publicUrl}/a2a/tasks/`);
});

prove('FILE-LONG', A2A, async (world) => {
  const bytes = 3_200_000;
  const sent = await world.wire().send(`big bytes=${bytes}`);
  const stream = await world.other().stream(`big bytes=${bytes}`);
  const events = await stream.end();
  for (const { data } of events) expect(JSON.stringify(data).length).toBeLessThan(3 * KIB * KIB);
  const first = events[0]!.event as { task: Task };
  for (const task of [
    sent,
    await world.wire().get(sent.id),
    await world.wire().get(first.task.id),
  ]) {
    expect(JSON.stringify(task).length).toBeLessThan(3 * KIB * KIB);
    const shown = /^x+/.exec(textOf(task))?.[0].length ?? 0;
    expect(shown).toBeGreaterThan(KIB * KIB);
    let kept = 0;
    for (const part of filesOf(task)) {
      const { url } = part;
      const text =
        url === undefined
          ? Buffer.from(part.raw ?? '', 'base64').toString()
          : (await world.http(world.me, world.site.b).call('GET', new URL(url).pathname)).text;
      expect(text).toMatch(/^x+$/);
      kept += text.length;
    }
    expect(shown + kept).toBe(bytes);
  }
});

prove('FILE-NAMES', ['rest-1.0'], async (world) => {
  // The assistant names its file `../part 0.bin`.
  const task = await world.wire().send(`files ${300 * KIB}`);
  const [part] = filesOf(task);
  const { pathname } = new URL(part!.url!);
  expect(pathname).toMatch(/^\/a2a\/tasks\/[\w-]+\/artifacts\/[^/\\]+$/);
  expect(decodeURIComponent(pathname)).not.toMatch(/\.\.|\\/);
  const { headers } = await world.http().call('GET', pathname);
  expect(headers['content-disposition']).toMatch(/^attachment; filename="[^"/\\]+"/);
  for (const name of ['..%2f..%2fetc%2fpasswd', '%252e%252e', 'a%00b', '%5c..%5c', 'none.bin']) {
    const reply = await world.http().call('GET', `/a2a/tasks/${task.id}/artifacts/${name}`);
    expect([name, reply.status]).toEqual([
      name,
      expect.toSatisfy((s: number) => s === 404 || s === 400),
    ]);
    expect(reply.headers['content-type']).toMatch(/json/);
  }
});
