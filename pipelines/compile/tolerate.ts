import { nearest } from '../../text/nearest.ts';
import { formatPath, help, type Finding, type Locate } from '../file/findings.ts';
import type { FlatStep } from '../file/flat-steps.ts';
import type { StepOrLoop } from '../step.ts';

/** Statuses that no item of a step ends with: nothing would be tolerated, and nobody would know. */
export function checkTolerate(
  { path: of, file: { tolerate } }: FlatStep,
  { name, tolerates = [], own }: StepOrLoop,
  locate: Locate,
): Finding[] {
  return Object.keys(tolerate ?? {}).flatMap((status): Finding[] => {
    if (tolerates.includes(status)) return [];
    const near = nearest(status, tolerates);
    // Items of an own sweep may end with words that its code makes up.
    if (own && tolerates.length > 0 && near === undefined) return [];
    const path = [...of, 'tolerate', status];
    const place = { code: 'unknown-status' as const, path: formatPath(path), ...locate.key(path) };
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
