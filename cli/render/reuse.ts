import type { ReuseVerdict } from '../../runs/reuse.ts';
import type { RunView } from '../../workflows/messages.ts';
import type { Paint } from './paint.ts';
import { plain } from '../../text/controls.ts';
import { table } from './table.ts';

const words = ({ reused, why, unless }: ReuseVerdict, paint: Paint): string =>
  reused
    ? `${paint.green(why)}${unless ? `, unless ${plain(unless.join(', '))} changed (not readable on this host)` : ''}`
    : `${paint.cyan('runs')}: ${plain(why)}`;

/** What a rerun will do with each step, said before it starts. */
export const renderReuse = (
  old: RunView,
  { file, verdicts, continuedBy }: { file: string; verdicts: readonly ReuseVerdict[]; continuedBy: readonly string[] },
  paint: Paint,
): string =>
  `again from ${old.run} (${old.state}${old.error?.step ? ` in ${old.error.step}` : ''}), file ${plain(file)}\n` +
  (continuedBy.length === 0 ? '' : `  what was done since then counts too: ${continuedBy.join(', ')}\n`) +
  table(
    verdicts.map((verdict) => [verdict.step, words(verdict, paint)]),
    [],
    '  ',
  );
