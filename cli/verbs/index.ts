import type { Verb } from '../frame/verb.ts';

/** A line of the table of verbs: enough for `portolan help`, which loads none of them. */
export type VerbEntry = {
  readonly name: string;
  readonly summary: string;
  readonly group: VerbGroup;
  readonly load: () => Promise<Verb<any>>;
};

export type VerbGroup = 'Start here' | 'Pipelines' | 'Runs' | 'The APIs' | 'Your own project' | 'Processes';

/** Every verb, in the order help shows them. */
export const verbs: readonly VerbEntry[] = [
  {
    name: 'demo',
    group: 'Start here',
    summary: 'Run a real pipeline here, with a kill, a lost answer and a 429 on the way.',
    load: async () => (await import('./demo.ts')).demo,
  },
  {
    name: 'dev',
    group: 'Start here',
    summary: 'Temporal server, local service and workers on this machine.',
    load: async () => (await import('./dev.ts')).dev,
  },
  {
    name: 'init',
    group: 'Start here',
    summary: 'Make this folder a Portolan project; overwrites nothing.',
    load: async () => (await import('./init.ts')).init,
  },
  {
    name: 'doctor',
    group: 'Start here',
    summary: 'Check what Portolan needs here, each with its remedy.',
    load: async () => (await import('./doctor.ts')).doctor,
  },
  { name: 'help', group: 'Start here', summary: 'All verbs, or one of them.', load: async () => (await import('./help.ts')).help },
  {
    name: 'validate',
    group: 'Pipelines',
    summary: 'Every mistake in a pipeline file, with line, rule and remedy.',
    load: async () => (await import('./validate.ts')).validate,
  },
  {
    name: 'preview',
    group: 'Pipelines',
    summary: 'What a table holds, and what becomes of it in a dataset.',
    load: async () => (await import('./preview.ts')).preview,
  },
  {
    name: 'plan',
    group: 'Pipelines',
    summary: 'What a run would do: calls, shortest time, acts that cannot be taken back.',
    load: async () => (await import('./plan.ts')).plan,
  },
  { name: 'run', group: 'Pipelines', summary: 'Run a pipeline and watch it.', load: async () => (await import('./run.ts')).run },
  {
    name: 'steps',
    group: 'Pipelines',
    summary: 'The steps a pipeline can use, or one of them in full.',
    load: async () => (await import('./steps.ts')).steps,
  },
  { name: 'runs', group: 'Runs', summary: 'Runs, newest first.', load: async () => (await import('./runs.ts')).runs },
  {
    name: 'status',
    group: 'Runs',
    summary: 'Where a run is, and what limits it now.',
    load: async () => (await import('./status.ts')).status,
  },
  {
    name: 'why',
    group: 'Runs',
    summary: 'Why a run failed, or what it waits for, in five lines.',
    load: async () => (await import('./why.ts')).why,
  },
  {
    name: 'items',
    group: 'Runs',
    summary: 'The fate of each item of a run, or what the items of a sweep gave.',
    load: async () => (await import('./items.ts')).items,
  },
  { name: 'report', group: 'Runs', summary: 'One HTML page about a run.', load: async () => (await import('./report.ts')).report },
  {
    name: 'rerun',
    group: 'Runs',
    summary: 'Run again from a step on; completed steps before it are reused.',
    load: async () => (await import('./rerun.ts')).rerun,
  },
  {
    name: 'pause',
    group: 'Runs',
    summary: 'Start no further step or chunk until resumed.',
    load: async () => (await import('./pause.ts')).pause,
  },
  { name: 'resume', group: 'Runs', summary: 'Let a paused run go on.', load: async () => (await import('./resume.ts')).resume },
  {
    name: 'cancel',
    group: 'Runs',
    summary: 'End a run; what it has done stays done.',
    load: async () => (await import('./cancel.ts')).cancel,
  },
  {
    name: 'approve',
    group: 'Runs',
    summary: 'Let a step that waits for a person go on.',
    load: async () => (await import('./approve.ts')).approve,
  },
  {
    name: 'reject',
    group: 'Runs',
    summary: 'Refuse a step that waits for a person.',
    load: async () => (await import('./reject.ts')).reject,
  },
  {
    name: 'gc',
    group: 'Runs',
    summary: 'Make room in the run store: what ended runs no longer need.',
    load: async () => (await import('./gc.ts')).gc,
  },
  { name: 'call', group: 'The APIs', summary: 'Send one call of either API.', load: async () => (await import('./call.ts')).call },
  {
    name: 'step',
    group: 'Your own project',
    summary: 'step new NAME: the file of a step of your own.',
    load: async () => (await import('./step.ts')).step,
  },
  { name: 'service', group: 'Processes', summary: 'The local service alone.', load: async () => (await import('./service.ts')).service },
  {
    name: 'worker',
    group: 'Processes',
    summary: 'A worker for any Temporal cluster.',
    load: async () => (await import('./worker.ts')).worker,
  },
];
