import { defineVerb } from '../frame/verb.ts';
import { decideGate, decisionOptions } from '../project/decide-gate.ts';

export const reject = defineVerb({
  name: 'reject',
  summary: 'Refuse a step that waits for a person.',
  usage: 'RUN STEP',
  details: 'The run fails with the note as its reason; what it has done stays done.',
  options: decisionOptions,
  examples: ['portolan reject ingest-2026-11-21-a7f3c09b review --note "too many rows go"'],
  run: (context) => decideGate(context, false),
});
