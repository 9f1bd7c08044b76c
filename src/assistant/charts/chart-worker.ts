import { parentPort } from 'node:worker_threads';
import type { ChartSpec } from './chart-spec.js';
import { drawPng } from './draw-png.js';
import { drawSvg } from './draw-chart.js';
import { reasonOf } from '../../config/reason-of.js';

/** What the thread is asked, and what it answers. */
export interface ChartOrder {
  readonly id: number;
  readonly spec: ChartSpec;
}

parentPort?.on('message', ({ id, spec }: ChartOrder) => {
  try {
    const svg = drawSvg(spec);
    parentPort?.postMessage({ id, picture: { svg, png: drawPng(svg) } });
  } catch (error) {
    parentPort?.postMessage({
      id,
      failure: reasonOf(error),
    });
  }
});
