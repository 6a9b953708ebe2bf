import type { AlertFate } from '../../store/alert-journal.ts';
import { stamp } from '../../text/units.ts';
import type { Paint } from './paint.ts';
import { plain } from '../../text/controls.ts';
import { table } from './table.ts';

/** What became of the alerts of a run, a line for each channel. */
export const renderAlerts = (alerts: readonly AlertFate[], paint: Paint): string =>
  table(
    alerts.map((fate) => [
      'alert',
      plain(fate.step === undefined ? fate.on : `${fate.on} ${fate.step}`),
      plain(fate.channel),
      fate.is === 'sent' ? paint.green('sent') : fate.is === 'trying' ? paint.yellow('is tried again') : paint.red(fateWords[fate.is]),
      fate.is === 'trying' ? '' : stamp(fate.at),
      fate.is === 'trying' || fate.is === 'sent' ? '' : plain(fate.note),
    ]),
    [],
    '  ',
  );

const fateWords = { failed: 'not sent', unknown: 'perhaps sent' } as const;
