import type { ItemRecord } from '../../store/run-store.ts';
import { plain } from '../../text/controls.ts';
import { table } from './table.ts';
import { number } from '../../text/units.ts';

type Counted = { step: string; status: string; count: number };

/** Fates of a run's items, counted. */
export const renderItemCounts = (counts: readonly Counted[], run: string): string =>
  table(
    counts.map(({ step, status, count }) => [step, status, number(count)]),
    ['left', 'left', 'right'],
  ) + `list them: portolan items ${run} --step STEP --status FATE\n`;

/** Items with their fates; says how many more there are. */
export const renderItems = (records: readonly (ItemRecord & { step: string })[], total: number): string =>
  table(
    records.map(({ step, item, status, reason, attempts, request_id }) => [
      step,
      plain(item),
      status,
      attempts > 1 ? `${attempts} attempts` : '',
      request_id ?? '',
      plain(reason ?? ''),
    ]),
  ) + (total > records.length ? `${number(records.length)} of ${number(total)}; more with --limit N or --json\n` : '');
