import type { Why } from '../../runs/why.ts';
import { plain, type Paint } from './paint.ts';

/** At most five lines: the headline and what belongs to it. */
export const renderWhy = (why: Why, paint: Paint): string =>
  [
    why.state === 'failed' ? paint.red(plain(why.headline)) : plain(why.headline),
    ...why.lines.slice(0, 4).map(({ label, text }) => `  ${paint.bold(label.padEnd(8))} ${plain(text)}`),
  ].join('\n') + '\n';
