import { assumptionNames, assumptions } from '../../contracts/assumptions/index.ts';
import type { Assumption } from '../../contracts/assumptions/assumption.ts';
import { code, generated, table } from './markdown.ts';

const probes: Record<Assumption['probe'], string> = {
  read: 'by reads',
  scratch: 'on a scratch dataset',
  none: 'cannot be known beforehand',
};

const handled: Record<Assumption['handled'], string> = {
  any: 'right under every reading',
  found: 'found first, or named by the connection',
  refused: 'a step that cannot do with the reading ends and says so',
};

/** docs/assumptions.md: where the texts of the APIs are silent, and what is done about it. */
export const assumptionsPage = (): string =>
  [
    generated('contracts/assumptions/'),
    '# Assumptions\n\nWhere the texts of the APIs are silent or contradict themselves, services may differ. Each such place is an assumption with its readings; the first one is the guess. `portolan service --assume NAME=READING` starts the local service in another reading, `portolan doctor --probe` finds those of a live service, and `readings: { NAME: READING }` of a connection names them.\n',
    ...assumptionNames.flatMap((name) => {
      const { text, readings, probe, handled: how, matters }: Assumption = assumptions[name];
      return [
        `\n## ${name}\n\n> ${text}\n\n`,
        table(
          ['reading', 'what the service does'],
          Object.entries(readings).map(([reading, does]) => [code(reading), does]),
        ),
        `\nMatters to: ${matters}. Portolan: ${handled[how]}. Probe: ${probes[probe]}.\n`,
      ];
    }),
  ].join('');
