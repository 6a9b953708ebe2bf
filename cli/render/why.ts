import type { Why } from '../../runs/why.ts';
import type { Paint } from './paint.ts';
import { plain } from '../../text/controls.ts';

/** Of more lines the last one, which says what to do, is among the four. */
const shown = ({ lines }: Why): Why['lines'] => (lines.length > 4 ? [...lines.slice(0, 3), ...lines.slice(-1)] : lines);

/** At most five lines: the headline and what belongs to it. */
export const renderWhy = (why: Why, paint: Paint): string =>
  [
    why.state === 'failed' ? paint.red(plain(why.headline)) : plain(why.headline),
    ...shown(why).map(({ label, text }) => `  ${paint.bold(label.padEnd(8))} ${plain(text)}`),
  ].join('\n') + '\n';
