import { defineVerb } from '../frame/verb.ts';
import { decideGate, decisionOptions } from '../project/decide-gate.ts';

export const approve = defineVerb({
  name: 'approve',
  summary: 'Let a step that waits for a person go on.',
  usage: 'RUN STEP',
  details: 'portolan status RUN shows what waits, what it shows, and what an approval lets happen.',
  options: decisionOptions,
  examples: ['portolan approve ingest-2026-11-21-a7f3c09b review --note "looked at the counts"'],
  run: (context) => decideGate(context, true),
});
