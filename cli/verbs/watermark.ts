import { connectionNames } from '../../config/connections.ts';
import { loadConfig } from '../../config/load.ts';
import { who } from '../../config/user.ts';
import { rootOf } from '../../runs/find.ts';
import { placeWords, takenBack, withReadsAgain, type ShownMark } from '../../runs/reads-again.ts';
import { createMarks, type MarkOwner, type MarkVersion } from '../../store/marks.ts';
import { markNumber, markWords, parseMark, type Mark } from '../../text/mark.ts';
import { suggestion } from '../../text/nearest.ts';
import { argument } from '../../text/shell.ts';
import { stamp } from '../../text/units.ts';
import { CommandError, UsageError } from '../frame/errors.ts';
import { exit } from '../frame/exit.ts';
import { defineVerb } from '../frame/verb.ts';
import { table } from '../render/table.ts';

export const watermark = defineVerb({
  name: 'watermark',
  summary: 'How far steps have read their sources, and who set it; or set it.',
  usage: 'ACT [PIPELINE] [STEP] [VALUE]',
  details: `show [PIPELINE] [STEP]: the mark of each step that reads since: its newest setting, with --history all of them and the runs that made them.
set PIPELINE STEP VALUE: the next run reads from VALUE on: a time (2024-12-31, 2024-12-31T23:59:59Z), a whole number, or none for everything.
Rows that the dataset has are not sent again. A run that has read from the mark before leaves yours as it is, and fails.
The mark of a dataset.mirror is the list of the rows that it has put there. Without it those that are gone at the source are deleted by
nothing, and the mirror refuses them as rows from elsewhere: to forget it needs --yes.`,
  options: {
    history: { type: 'boolean', description: 'show: every setting, the oldest first.' },
    dataset: {
      type: 'string',
      value: 'ID',
      description: 'Only marks of this dataset; set: of a step that has marks of several, or none yet.',
    },
    connection: { type: 'string', short: 'c', value: 'NAME', description: 'Only marks of this connection; set: the same.' },
    source: { type: 'string', value: 'TEXT', description: 'Only marks of this source, as show prints it; set: the same.' },
    yes: { type: 'boolean', description: 'set: forget what a mirror has put there.' },
    json: { type: 'boolean', description: 'One JSON object a line.' },
  },
  examples: ['portolan watermark show', 'portolan watermark show ingest --history', 'portolan watermark set ingest rows 2024-12-31'],
  async run({ args, options, cwd, terminal }) {
    const [act, pipeline, step, value] = args;
    const config = await loadConfig(cwd);
    const marks = createMarks(rootOf(config.store));
    const asked = { pipeline, step, connection: options.connection, dataset: options.dataset, source: options.source };
    const print = async (versions: readonly MarkVersion[]): Promise<void> => {
      const shown = await withReadsAgain(marks, rootOf(config.store), versions);
      if (options.json) for (const mark of shown) terminal.document('mark', mark);
      else if (shown.length === 0) terminal.out('no marks yet: a step has one when it has read since: once\n');
      else terminal.out(render(shown) + shown.map(againLine).join(''));
    };
    if (act === 'show') {
      if (value !== undefined)
        throw new UsageError(
          `watermark show takes one pipeline and one of its steps, got '${value}' too`,
          `portolan watermark show ${argument(pipeline!)} ${argument(step!)}`,
        );
      const { read, damaged } = await marks.settings({ history: options.history ?? false });
      const shown = read.filter(isAsked(asked));
      // Whose a damaged one is nobody knows: it may be the one that was asked for.
      const whole = damaged.length === 0;
      if (shown.length === 0 && read.length > 0 && whole) throw noSuch(read, asked);
      if (shown.length > 0 || whole) await print(shown);
      if (!whole) throw new CommandError(damaged.map(({ message }) => message).join('\n'), { remedy: damaged[0]!.remedy });
      return exit.done;
    }
    if (act !== 'set') throw new UsageError(`watermark has the acts show and set, got '${act}'`, 'portolan watermark show');
    if (pipeline === undefined || step === undefined || value === undefined)
      throw new UsageError('watermark set needs PIPELINE STEP VALUE', 'portolan watermark set ingest rows 2024-12-31');
    const owner = oneOwner(await marks.owners(), { ...asked, pipeline, step });
    const connections = connectionNames(config);
    if (!connections.includes(owner.connection))
      throw new UsageError(`there is no connection '${owner.connection}'${suggestion(owner.connection, connections)}`);
    const settings = await marks.history(owner);
    const newest = settings.at(-1);
    const from = newest?.to ?? null;
    // One that was set to none is of the kind that it was.
    const last = settings.findLast(({ to }) => to !== null)?.to ?? null;
    const to = valueOf(value, last);
    if (from?.kind === 'rows' && to === null && !options.yes)
      throw new CommandError(
        `this mark is the list of the ${markWords(from)} that the mirror has put there: without it, those that are gone at the source are taken for rows from elsewhere`,
        { remedy: 'add --yes where the dataset was emptied or made anew', code: exit.approval },
      );
    const set = await marks.set(newest?.version ?? 0, { ...owner, from, to, by: who() });
    if (!set)
      throw new CommandError('a run has set this mark at the same moment', { remedy: 'look where it stands now: portolan watermark show' });
    await print([set]);
    return exit.done;
  },
});

type Asked = { [key in keyof MarkOwner]?: string | undefined };

const isAsked =
  (asked: Asked) =>
  (owner: MarkOwner): boolean =>
    Object.entries(asked).every(([key, wanted]) => wanted === undefined || owner[key as keyof MarkOwner] === wanted);

/** Names the first thing that was asked for and that no mark has, among those marks that have what was asked for before it. */
function noSuch(known: readonly MarkOwner[], asked: Asked): UsageError {
  let left = known;
  for (const [key, wanted] of Object.entries(asked) as [keyof MarkOwner, string | undefined][]) {
    if (wanted === undefined) continue;
    const there = [...new Set(left.map((owner) => owner[key]))];
    left = left.filter((owner) => owner[key] === wanted);
    if (left.length === 0)
      return new UsageError(
        `no mark is of ${key} '${wanted}'${suggestion(wanted, there)}`,
        'portolan watermark show shows all; one that no run has set yet is set with --connection NAME --dataset ID --source TEXT',
      );
  }
  return new UsageError('no such mark', 'portolan watermark show');
}

/** The one mark that is meant; one that is named in full need not be there. */
function oneOwner(known: readonly MarkOwner[], asked: Asked & Pick<MarkOwner, 'pipeline' | 'step'>): MarkOwner {
  const { pipeline, step, connection, dataset, source } = asked;
  if (connection !== undefined && dataset !== undefined && source !== undefined) return { pipeline, step, connection, dataset, source };
  const [only, ...others] = known.filter(isAsked(asked));
  if (!only) throw noSuch(known, asked);
  if (others.length > 0)
    throw new UsageError(
      `step ${step} of ${pipeline} has ${others.length + 1} marks`,
      `name the one: --connection NAME --dataset ID --source TEXT; portolan watermark show ${pipeline}`,
    );
  return only;
}

function valueOf(text: string, before: Mark | null): Mark | null {
  if (text === 'none') return null;
  const mark = parseMark(text);
  if (!mark) throw new UsageError(`'${text}' is no mark`, 'a time such as 2024-12-31T23:59:59Z, a whole number, or none');
  if (mark.kind === 'time' && markNumber(mark) > BigInt(Date.now()) * 1_000n)
    throw new UsageError(
      `${text} is still to come: rows before it would not be read, whenever they come`,
      `name the time up to which everything was read, at most now; none: everything is read`,
    );
  if (before && before.kind !== mark.kind)
    throw new UsageError(
      `this mark is ${isList(before) ? `a list of ${before.kind}` : `a ${before.kind}`}, and '${text}' is none`,
      isList(before) ? 'none forgets it' : `the last one was ${before.value}`,
    );
  return mark;
}

const render = (versions: readonly MarkVersion[]): string =>
  table([
    ['pipeline', 'step', 'mark', 'was', 'rows', 'set', 'by', 'connection', 'dataset', 'source'],
    ...versions.map(({ pipeline, step, to, from, rows, at, run, by, connection, dataset, source }) => [
      pipeline,
      step,
      markWords(to),
      markWords(from),
      rows?.toLocaleString('en-US') ?? '',
      stamp(at),
      run ?? by ?? '',
      connection,
      dataset,
      source,
    ]),
  ]);

const againLine = ({ pipeline, step, readsAgain }: ShownMark): string =>
  readsAgain ? `the next run of ${pipeline} reads ${step} from ${placeWords(readsAgain.from)}: ${takenBack(readsAgain.undone)}\n` : '';

const isList = ({ kind }: Mark): boolean => kind === 'files' || kind === 'rows';
