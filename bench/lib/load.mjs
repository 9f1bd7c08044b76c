import { Pool } from 'undici';

/**
 * Sends `total` requests over `connections` connections, each verified; one wrong answer voids the
 * row.
 * @returns requests a second and the p50/p99 latency in ms.
 */
export async function load({ origin, total, connections, request, verify, read = JSON.parse }) {
  const pool = new Pool(origin, { connections, pipelining: 1 });
  const times = [];
  let next = 0;
  const began = performance.now();
  async function worker() {
    while (next < total) {
      const index = next;
      next += 1;
      const sent = performance.now();
      const { statusCode, body } = await pool.request(request(index));
      const text = await body.text();
      times.push(performance.now() - sent);
      const fault = statusCode === 200 ? verify(read(text), index) : `HTTP ${statusCode}`;
      if (fault) throw new Error(`${fault}: ${text.slice(0, 300)}`);
    }
  }
  await Promise.all(Array.from({ length: connections }, worker));
  const seconds = (performance.now() - began) / 1000;
  await pool.close();
  times.sort((a, b) => a - b);
  return {
    rate: total / seconds,
    p50: times[Math.floor(times.length * 0.5)],
    p99: times[Math.floor(times.length * 0.99)],
  };
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

/**
 * Runs each contestant once a round, in turn, so that a machine that slows down slows all of them.
 * @returns the median of each, and the raw figures.
 */
export async function interleave(rounds, contestants, run) {
  const raw = Object.fromEntries(Object.keys(contestants).map((name) => [name, []]));
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, contestant] of Object.entries(contestants)) {
      const figure = await run(contestant, round);
      // The first round warms up.
      if (round > 0) raw[name].push(figure);
    }
  }
  return { raw, medians: Object.fromEntries(Object.entries(raw).map(([n, v]) => [n, median(v)])) };
}
