import type { Mutant } from './mutant.ts';

const face = 'test/service/face-instance.test.ts';

/** Pages of the local service, and of runs and schedules. */
export const facePages: readonly Mutant[] = [
  {
    file: 'service/pages/routes.ts',
    find: "if (fromOtherSite(headers)) throw new HttpError(403, 'the form of another origin does nothing here');",
    replace: '',
    rule: 'a form of another site stops no agent',
    test: face,
    title: 'stops no agent',
  },
  {
    file: 'service/pages/instance/conversation.ts',
    find: '<div class="said">${e(text ?? \'\')}</div>',
    replace: '<div class="said">${text ?? \'\'}</div>',
    rule: 'what was said to an agent is no markup of its page',
    test: face,
    title: 'what is markup stays text',
  },
  {
    file: 'service/pages/instance/act.ts',
    find: 'if (answer.ok) return;',
    replace: 'if (answer.status > 0) return;',
    rule: 'what the API refuses a form the page refuses',
    test: face,
    title: 'a follow-up and a stop are sent',
  },
  {
    file: 'service/pages/instance/budgets-page.ts',
    find: "sum + (scope.type === 'project' ? funding.amountCents : 0)",
    replace: "sum + (scope.type === 'project' ? funding.spentCents : 0)",
    rule: 'what projects have been given is reserved in the budget of their organization',
    test: face,
    title: 'budgets are bars',
  },
  {
    file: 'service/pages/plain-page.ts',
    find: "['cursor', cursor]",
    replace: "['behind', cursor]",
    rule: 'a long list goes on at its cursor',
    test: face,
    title: 'lists go on by cursor',
  },
  {
    file: 'runs/report/agents.ts',
    find: 'inputTokens: sum.inputTokens + ',
    replace: 'inputTokens: ',
    rule: 'the tokens of a model are added up over the items',
    test: 'test/system/agents.test.ts',
    title: 'an agent for each row',
  },
  {
    file: 'runs/report/agent-tables.ts',
    find: 'const open = 200;',
    replace: 'const open = 2_000_000;',
    rule: 'a long table of agents is folded',
    test: 'test/runs/report.test.ts',
    title: 'agents are a table of items',
  },
  {
    file: 'runs/schedule/page.ts',
    find: "if (by === 0) return '';",
    replace: "if (by !== 1) return '';",
    rule: 'a change of the clocks between two times is marked',
    test: 'test/runs/schedule-page.test.ts',
    title: 'where the clocks change',
  },
  {
    file: 'activities/frame/create-activities.ts',
    find: 'step.paths ? withResolved(args.input, { paths: step.paths }, args.run.baseDir) : args.input',
    replace: 'args.input',
    rule: 'a path that begins with an expression is seen from the folder of the file',
    test: 'test/system/ingest.test.ts',
    title: 'a path that begins with an expression',
  },
  {
    file: 'pipelines/file/schedule.ts',
    find: ".enum(overlaps)\n      .default('skip')",
    replace: ".any()\n      .default('skip')",
    rule: 'what overlap holds is one of its words',
    test: 'test/pipelines/wrong-kinds.test.ts',
    title: 'schedule.overlap',
  },
];
