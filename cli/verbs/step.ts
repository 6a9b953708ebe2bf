import { UsageError } from '../frame/errors.ts';
import { exit } from '../frame/exit.ts';
import { defineVerb } from '../frame/verb.ts';
import { newStep } from '../project/new-step.ts';
import { testStep } from '../project/test-step.ts';
import { createPaint } from '../render/paint.ts';
import { renderStepTest } from '../render/step-test.ts';

/** Items of a sweep that are tried. */
const firstItems = 10;

/** The options of each act: those of the other one say nothing to it. */
const optionsOf = { new: ['items', 'poll'], test: ['input', 'connection', 'first', 'yes', 'json'] } as const;

const acts = Object.keys(optionsOf);

export const step = defineVerb({
  name: 'step',
  summary: 'new NAME writes the file of a step of your own, test NAME tries it.',
  usage: 'ACT NAME',
  details: `new NAME: lower-case letters, digits and hyphens; greet makes the step own.greet; with a dot of your own, acme.greet stays as it is.
test NAME: runs the step once, on its example, without Temporal. Its requests are answered by the \`fake\` of the step; with --connection
they are sent for real, those of context.fetch too. Shown are what was sent, what became of it, and the place of an error.
Exit code: 0 done, 1 failed or unknown, 2 where it cannot be tried.`,
  options: {
    items: { type: 'boolean', description: 'new: a step that works on items, one by one, in chunks.' },
    poll: { type: 'boolean', description: 'new: a step that starts something and waits until it is done.' },
    input: { type: 'string', value: 'JSON', description: 'test: the input (default: the example of the step).' },
    connection: {
      type: 'string',
      short: 'c',
      value: 'NAME',
      description: 'test: send its requests for real, to the services of NAME; local is that of portolan dev.',
    },
    first: { type: 'string', value: 'N', description: `test: items of a sweep that are tried (default ${firstItems}).` },
    yes: { type: 'boolean', description: 'test: with --connection, although it cannot be taken back.' },
    json: { type: 'boolean', description: 'test: one object.' },
  },
  examples: [
    'portolan step new greet',
    'portolan step new acme.invoice --items',
    'portolan step new acme.export --poll',
    'portolan step test greet',
  ],
  async run({ args: [act, name], options, cwd, terminal, signal }) {
    if (act !== 'new' && act !== 'test')
      throw new UsageError(
        `step has the acts ${acts.join(' and ')}, got '${act}'`,
        'portolan step new NAME; the steps there are: portolan steps',
      );
    const other = act === 'new' ? 'test' : 'new';
    const misplaced = optionsOf[other].find((option) => options[option] !== undefined);
    if (misplaced !== undefined)
      throw new UsageError(`--${misplaced} is for step ${other}`, `leave it out, or: portolan step ${other} ${name}`);
    if (act === 'new') {
      const { file, step } = await newStep(name!, options, cwd);
      terminal.out(`wrote ${file}: the step ${step}\nuse it in a pipeline as \`use: ${step}\`\n`);
      return exit.done;
    }
    const first = Number(options.first ?? firstItems);
    if (!Number.isInteger(first) || first < 1)
      throw new UsageError(`--first ${options.first}: a number of items was expected`, '--first 10');
    const { input, connection, yes } = options;
    const tested = await testStep(name!, { input, connection, first, yes }, cwd, signal);
    if (options.json) terminal.document('tried', tested);
    else terminal.out(renderStepTest(tested, createPaint(terminal.color)));
    return tested.fate === 'done' && tested.missing.length === 0 ? exit.done : exit.failed;
  },
});
