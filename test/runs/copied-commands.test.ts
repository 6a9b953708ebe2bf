import { expect, test } from 'vitest';
import { sayFate } from '../../pipelines/own/settle.ts';
import { nextCommand } from '../../runs/next-command.ts';
import type { RunError } from '../../workflows/messages.ts';

const turn = 'review[17].ask';
const failed = (more: Partial<RunError> = {}): RunError => ({ step: turn, type: 'Refused', message: 'no', ...more });

test.each([
  ['from the step of a turn', nextCommand({ run: 'r1' }, failed()), `portolan rerun r1 --from '${turn}'`],
  [
    'approved',
    nextCommand({ run: 'r1' }, failed({ details: { unapproved: { run: 'r1', step: turn } } })),
    `portolan rerun r1 --accept '${turn}' --from '${turn}'`,
  ],
  ['an item with blanks', sayFate("Ada's film", 'again'), String.raw`--fate 'Ada'\''s film=again'`],
  ['a plain item', sayFate('c1', 'done'), '--fate c1=done'],
])('a command to copy is quoted where a shell would take it apart: %s', (_, command, expected) => expect(command).toBe(expected));
