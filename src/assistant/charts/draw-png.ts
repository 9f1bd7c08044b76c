import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Resvg } from '@resvg/resvg-js';

/**
 * The font comes with a package: an image of the gateway has none of its own, and a label may be in
 * Chinese.
 */
const FONT_FILE = join(
  dirname(createRequire(import.meta.url).resolve('@embedpdf/fonts-sc')),
  '..',
  'fonts',
  'NotoSansHans-Regular.otf',
);
/** Pixels of a unit: phones have two or three. */
const ZOOM = 2;

/** @param svg of our own making: it refers to nothing outside. */
export function drawPng(svg: string): Uint8Array {
  const drawing = new Resvg(svg, {
    fitTo: { mode: 'zoom', value: ZOOM },
    font: { loadSystemFonts: false, fontFiles: [FONT_FILE], defaultFontFamily: 'Noto Sans Hans' },
  });
  return drawing.render().asPng();
}
