import { escapeHtml as e } from '../../../text/html.ts';
import { dollars } from '../../../text/money.ts';

/** A share of a bar; its class colours it. */
export type Share = { of: 'spent' | 'reserved' | 'over'; cents: number; words: string };

const width = 1_000;

/** Money as a bar as long as the limit: what is spent, what is reserved, and the rest. Without a limit nothing is drawn. */
export const bar = (shares: readonly Share[], limitCents: number | null): string => {
  const words = shares.map(({ cents, words: of }) => `${dollars(cents)} ${of}`).join(', ');
  if (limitCents === null) return `<div class="quiet">${e(words)}, no limit</div>`;
  const whole = Math.max(
    limitCents,
    shares.reduce((sum, { cents }) => sum + cents, 0),
    1,
  );
  let at = 0;
  const drawn = shares.map(({ of, cents }) => {
    const x = at;
    at += (cents / whole) * width;
    // What is there is seen, however little it is.
    return `<rect class="${of}" x="${x.toFixed(1)}" width="${Math.max(cents > 0 ? 4 : 0, at - x).toFixed(1)}" height="16"/>`;
  });
  const limit =
    whole > limitCents ? `<rect class="limit" x="${((limitCents / whole) * width - 2).toFixed(1)}" width="4" height="16"/>` : '';
  return `<svg class="bar" viewBox="0 0 ${width} 16" preserveAspectRatio="none" role="img" aria-label="${e(`${words}, of ${dollars(limitCents)}`)}"><rect class="rest" width="${width}" height="16"/>${drawn.join('')}${limit}</svg>`;
};
