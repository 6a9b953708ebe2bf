import { stringify } from 'yaml';
import { operations } from '../../contracts/index.ts';
import { errorClasses } from '../../pipelines/error-classes.ts';
import { functions, methods, comprehensions } from '../../pipelines/expressions/functions.ts';
import { forEach, loop, param, pipelineFile, reactionForms, step as fileStep } from '../../pipelines/file/schema.ts';
import { paramTypes } from '../../pipelines/param-types.ts';
import { concurrency } from '../../pipelines/file/concurrency.ts';
import { schedule } from '../../pipelines/file/schedule.ts';
import { loop as loopStep } from '../../pipelines/steps/loop.ts';
import { isIrreversible } from '../../pipelines/acts.ts';
import type { Step } from '../../pipelines/step.ts';
import { fieldsTable } from './fields.ts';
import { code, generated, table } from './markdown.ts';

const kinds: Readonly<Record<Step['kind'], string>> = {
  call: 'one activity',
  sweep: 'items in chunks',
  poll: 'started once, then looked at until done; a long wait holds no slot',
  gate: 'a person decides',
};

function stepSection(step: Step): string {
  const id = step.name.replace(/^.*\./, '');
  const calls =
    step.operations.length > 12
      ? `any of ${Object.keys(operations).length} operations (operations.md)`
      : step.operations.map(code).join(', ');
  return [
    `\n## ${step.name}\n\n${step.summary}\n\n`,
    `Kind: ${step.kind}, ${kinds[step.kind]}. Effect: ${step.effect}${isIrreversible(step) ? '; cannot be taken back, so it needs an approval' : ''}.${calls === '' ? '' : ` Calls: ${calls}.`}\n`,
    `\n${code('with')}\n\n${fieldsTable(step.input, 'input')}`,
    `\nOutput: ${code(`\${{ steps.${id}.… }}`)}\n\n${fieldsTable(step.output, 'output')}`,
    `\n\`\`\`yaml\n${stringify({ [id]: { use: step.name, with: step.example } }, { lineWidth: 0 })}\`\`\`\n`,
  ].join('');
}

/** docs/steps.md: fields of a pipeline file, expressions, and every step. Derived from what `validate` checks. */
export const stepsPage = (steps: Readonly<Record<string, Step>>): string =>
  [
    generated('pipelines/'),
    '# Pipeline files\n\n',
    'A pipeline is a YAML or JSON file, or a module (`.mts`) whose default export is `definePipeline({ … })`. At most 1 MiB.\n\n## The file\n\n',
    fieldsTable(pipelineFile, 'input'),
    '\n### A step\n\n',
    fieldsTable(fileStep, 'input'),
    '\n### A loop\n\n',
    fieldsTable(loop, 'input'),
    `\n${code('forEach')}\n\n${fieldsTable(forEach, 'input')}`,
    `\nOutput: ${code('${{ steps.ID.… }}')}\n\n${fieldsTable(loopStep.output, 'output')}`,
    '\n### A reaction\n\nWhat `onError` has for a class of errors: `fail`, `tolerate`, further tries, or steps. An error is of the first of these classes that it belongs to and that the file names; `else` is any other. Where nobody knows what was done (`Undecided`, `Inconclusive`) the run fails whatever the file says.\n\n',
    table(
      ['class', 'where'],
      Object.entries(errorClasses).map(([name, { means }]) => [code(name), means]),
    ),
    `\nFurther tries\n\n${fieldsTable(reactionForms.retried, 'input')}`,
    `\nSteps\n\n${fieldsTable(reactionForms.handled, 'input')}`,
    '\nThese steps read why it failed: `${{ steps.ID.error.type }}` and `.message`.\n',
    '\n### An undo\n\n`none`, or what a step or a loop is, without an id, `needs` and `undo`. It stands at a step or a loop of `steps`. What `run.id` is there is the run that is taken back.\n',
    '\n### A schedule\n\nHow it is given to Temporal: [Schedules](schedules.md).\n\n',
    fieldsTable(schedule, 'input'),
    '\n### A key\n\n`concurrency: { key, when }`. The key is held from before the first step until the run has ended, in whatever way; that of a run that was terminated goes to another one 4 s later, when no call of it is sent any more; code of an own step that has effects by other means than `context.fetch` has to hear `context.signal`. What a run holds is not asked for again beneath it: runs of its steps that have the same key hold it one after another, as `KEY beneath RUN`, whatever `when` says.\n\n',
    fieldsTable(concurrency, 'input'),
    `\n### A parameter\n\nTypes: ${paramTypes.map(code).join(', ')}.\n\n`,
    fieldsTable(param, 'input'),
    '\n## Expressions\n\n',
    '`${{ … }}` holds an expression of the Common Expression Language (CEL). A value that is exactly one expression takes its value, of any type; in other text the value is put in as text. Inside `{ }` or `[ ]`, or with `: ` or ` #` in it, YAML needs it quoted. `$${{` stands for the characters `${{` themselves.\n\n',
    table(
      ['name', 'is'],
      [
        ['`params.NAME`', 'a parameter'],
        ['`steps.ID.OUTPUT`', 'an output of a step; the step that uses it waits for that one'],
        ['`NAME`, `NAME.FIELD`', 'in a loop its item, by the name that `as` gives it'],
        ['`run.id`, `run.pipeline`', 'the run'],
        [
          '`run.scheduledAt`, `run.window.from`, `run.window.to`',
          'of a file with a `schedule:` when the run is due, and its `window` (ISO 8601, UTC)',
        ],
      ],
    ),
    `\nFunctions: ${Object.keys(functions)
      .map((name) => code(`${name}()`))
      .join(', ')}. Methods: ${[...Object.keys(methods), ...Object.keys(comprehensions)].map((name) => code(`.${name}()`)).join(', ')}. `,
    'Operators: `+ - * / %`, `== != < <= > >=`, `in`, `&& || !`, `a ? b : c`, and `.?` for a field that may be missing (`steps.x.?y.orValue(0)`). Comprehensions do not nest. Whole numbers of JSON are integers: `7 / 2` is 3, `7 / 2.0` is 3.5. A result beyond ±2^53, infinite, or not plain JSON fails the run as `expression-result`.\n\n',
    '## Steps\n\n',
    table(
      ['step', 'does', 'kind', 'effect'],
      Object.values(steps).map(({ name, summary, kind, effect }) => [
        `[${code(name)}](#${name.replaceAll('.', '')})`,
        summary,
        kind,
        effect,
      ]),
    ),
    ...Object.values(steps).map(stepSection),
  ].join('');
