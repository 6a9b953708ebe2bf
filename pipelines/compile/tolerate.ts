import { nearest } from '../../text/nearest.ts';
import { help, type Finding, type Locate } from '../file/findings.ts';
import type { Step } from '../step.ts';
import type { AnalysedStep } from './analysed-step.ts';

/** Statuses that no item of a step ends with: nothing would be tolerated, and nobody would know. */
export function checkTolerate(
  id: string,
  { tolerate }: AnalysedStep['file'],
  { name, tolerates = [], own }: Step,
  locate: Locate,
): Finding[] {
  return Object.keys(tolerate ?? {}).flatMap((status): Finding[] => {
    if (tolerates.includes(status)) return [];
    const near = nearest(status, tolerates);
    // Items of an own sweep may end with words that its code makes up.
    if (own && tolerates.length > 0 && near === undefined) return [];
    const path = ['steps', id, 'tolerate', status];
    const place = { code: 'unknown-status' as const, path: path.join('.'), ...locate.key(path) };
    if (tolerates.length === 0) return [{ ...place, message: `${name} has no items that 'tolerate' counts`, remedy: 'take the line out' }];
    const meant = near ?? (tolerates.length === 1 ? tolerates[0] : undefined);
    return [
      {
        ...place,
        message: `no item of ${name} ends as '${status}'; there ${tolerates.length === 1 ? 'is' : 'are'} ${tolerates.join(', ')}`,
        // Where the word stands already, a second one would be another mistake.
        ...help(
          locate,
          path,
          { key: meant !== undefined && Object.hasOwn(tolerate ?? {}, meant) ? undefined : meant },
          'take one of these',
        ),
      },
    ];
  });
}
