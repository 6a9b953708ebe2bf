import { tenth } from '../../text/tenth.ts';
import { escapeHtml as e } from '../../text/html.ts';
import type { Span } from '../spans.ts';

/** One small plot: an SVG stretched over the width that there is, with its words beside it in HTML, so that they never shrink. */
export type Plot = {
  title: string;
  /** Values from left to right, at equal distances. */
  values: readonly number[];
  as: 'line' | 'bars';
  /** Words of a value of the scale. */
  unit: (value: number) => string;
  /** Words below the left end, the middle and the right end. */
  ends: readonly [string, string, string];
  /** What is worth knowing in a few words. */
  note?: string;
  /** Times of waiting and moments of loss as shares (0..1) of the width. */
  waits?: readonly Span[];
  marks?: readonly number[];
};

const width = 1_000;
const height = 100;
/** The least of 1, 2, 2.5 and 5 times a power of ten that is not below the value. */
export const roundUp = (value: number): number => {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return power * ([1, 2, 2.5, 5].find((step) => step * power >= value * (1 - 1e-9)) ?? 10);
};

/** Every value stands for its bin: the line is a staircase, so that a plateau is seen as one. */
const staircase = (values: readonly number[], top: number): string =>
  values
    .map((value, at) => `${at === 0 ? 'M0 ' : 'V'}${tenth(height - (value / top) * height)}H${tenth(((at + 1) / values.length) * width)}`)
    .join('');

const area = (values: readonly number[], top: number): string =>
  `M0 ${height}${values.map((value, at) => `V${tenth(height - (value / top) * height)}H${tenth(((at + 1) / values.length) * width)}`).join('')}V${height}Z`;

const bars = (values: readonly number[], top: number): string =>
  values
    .map((value, at) => {
      const x = (at / values.length) * width;
      const tall = (value / top) * height;
      return value === 0
        ? ''
        : `<rect class="bin" x="${tenth(x + 1)}" y="${tenth(height - tall)}" width="${tenth(Math.max(1, width / values.length - 2))}" height="${tenth(tall)}"/>`;
    })
    .join('');

export function plotFigure({ title, values, as, unit, ends, note, waits = [], marks = [] }: Plot): string {
  const top = roundUp(Math.max(...values));
  const shape =
    as === 'bars' ? bars(values, top) : `<path class="area" d="${area(values, top)}"/><path class="line" d="${staircase(values, top)}"/>`;
  const shades = waits
    .map(
      ({ from, to }) =>
        `<rect class="wait" x="${tenth(from * width)}" y="0" width="${tenth(Math.max(2, (to - from) * width))}" height="${height}"/>`,
    )
    .join('');
  const losses = marks
    .map((at) => `<line class="lost" x1="${tenth(at * width)}" x2="${tenth(at * width)}" y1="0" y2="${height}"/>`)
    .join('');
  return `<figure class="plot"><figcaption>${e(title)}${note === undefined ? '' : `<small>${e(note)}</small>`}</figcaption>
<div class="axes"><span class="scale"><i>${e(unit(top))}</i><i>${e(unit(top / 2))}</i><i>0</i></span>
<svg viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" role="img" aria-label="${e(title)}, highest ${e(unit(Math.max(...values)))}">${shades}<path class="grid" d="M0 0H${width}M0 50H${width}M0 ${height}H${width}"/>${shape}${losses}</svg>
<span class="ends">${ends.map((text) => `<i>${e(text)}</i>`).join('')}</span></div></figure>`;
}
