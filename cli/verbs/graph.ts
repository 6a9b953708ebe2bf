import { stat } from 'node:fs/promises';
import { extname, resolve } from 'node:path';
import { loadConfig } from '../../config/load.ts';
import { outline } from '../../pipelines/compile/compile.ts';
import { graphOf, type GraphBlock } from '../../pipelines/graph/graph.ts';
import { mermaid } from '../../pipelines/graph/mermaid.ts';
import { svg } from '../../pipelines/graph/svg.ts';
import { RunProblem } from '../../runs/errors.ts';
import { graphMarks } from '../../runs/graph-marks.ts';
import { readOrder } from '../../runs/report/order.ts';
import { readRunById } from '../../runs/view.ts';
import { createRunStore } from '../../store/create-run-store.ts';
import { suggestion } from '../../text/nearest.ts';
import { UsageError } from '../frame/errors.ts';
import { exit } from '../frame/exit.ts';
import { defineVerb, type VerbContext } from '../frame/verb.ts';
import { withStoredRuns } from '../project/project.ts';
import { writeOut } from '../project/write-out.ts';
import { openFile } from '../start/open-file.ts';
import { InvalidFile } from '../start/invalid-file.ts';
import { lendTables } from '../start/lent-tables.ts';

/** How a graph is written, by the name of the format. */
export const formats = {
  mermaid: (graph: GraphBlock): string => mermaid(graph),
  svg,
} as const satisfies Readonly<Record<string, (graph: GraphBlock, title: string) => string>>;

type Format = keyof typeof formats;

/** How a file of each format may be called. */
const endingsOf: Readonly<Record<Format, readonly string[]>> = { mermaid: ['.mmd', '.mermaid', '.md', '.txt'], svg: ['.svg'] };

/** The format of a file by its ending; without one it is Mermaid. Fails with `UsageError` where no format has this ending. */
function formatByName(out: string): Format {
  const ending = extname(out).toLowerCase();
  if (ending === '') return 'mermaid';
  const entries = Object.entries(endingsOf) as [Format, readonly string[]][];
  const [format] = entries.find(([, endings]) => endings.includes(ending)) ?? [];
  if (format) return format;
  const known = entries.map(([name, endings]) => `${endings.join(', ')} (${name})`).join(' or ');
  throw new UsageError(`--out ${out}: no format is called '${ending}'`, `name the file ${known}, or say --format`);
}

const isFormat = (name: string): name is Format => Object.hasOwn(formats, name);

/** What a pipeline file may be called. */
const endings = new Set(['.yaml', '.yml', '.json', '.mts', '.ts', '.mjs', '.js']);

export const graph = defineVerb({
  name: 'graph',
  summary: 'A pipeline as a picture, or what ran of it.',
  usage: '[FILE|RUN]',
  details:
    'Of a file: its steps, loops and branches, and what is done about failures. Of a run, by default the newest, with how far each step is.\nAs the text of a Mermaid flowchart, which pages in Markdown draw, or as one SVG file that needs nothing from outside.',
  options: {
    format: {
      type: 'string',
      value: 'FORMAT',
      description: `${Object.keys(formats).join(' or ')}; default: by the ending of --out, else mermaid.`,
    },
    out: { type: 'string', value: 'FILE', description: 'Write this file, new or anew, instead of the output.' },
  },
  examples: ['portolan graph pipelines/ingest.yaml', 'portolan graph ingest-2026-11-21-a7f3c09b --out what-ran.svg'],
  async run(context) {
    const { args, options, terminal, cwd } = context;
    const format = options.format ?? (options.out === undefined ? 'mermaid' : formatByName(options.out));
    if (!isFormat(format)) throw new UsageError(`there is no format '${format}'${suggestion(format, Object.keys(formats))}`);
    const [named] = args;
    const drawn = named !== undefined && (await isFile(named, cwd)) ? await ofFile(context, named) : await ofRun(context, named);
    const text = formats[format](drawn.graph, drawn.title);
    if (options.out === undefined) terminal.out(text);
    else {
      await writeOut(options.out, cwd, text);
      terminal.err(`written: ${options.out}\n`);
    }
    return exit.done;
  },
});

/** The name of a run has no ending, and is no file. */
const isFile = async (named: string, cwd: string): Promise<boolean> =>
  endings.has(extname(named)) || (await stat(resolve(cwd, named)).catch(() => undefined)) !== undefined;

type Drawn = { graph: GraphBlock; title: string };

async function ofFile(context: Pick<VerbContext, 'cwd'>, file: string): Promise<Drawn> {
  await using tables = lendTables();
  const { loaded, steps, shown } = await openFile({ ...context, options: {} }, await loadConfig(context.cwd), file, tables);
  const found = outline(loaded, { steps, baseDir: loaded.baseDir });
  if ('findings' in found) throw new InvalidFile(shown, found.findings);
  return { graph: graphOf(found.steps, undefined, found.undo), title: `Steps of ${found.pipeline}` };
}

const ofRun = (context: Pick<VerbContext, 'cwd' | 'terminal'>, run: string | undefined): Promise<Drawn> =>
  withStoredRuns(context, async ({ place }) => {
    const { view, store } = await readRunById(place, run);
    const order = await readOrder(createRunStore(store));
    if (!order) throw new RunProblem(`run ${view.run} has left no plan`, 'name its file: portolan graph FILE');
    return { graph: graphOf(order.plan.steps, graphMarks(view, order.plan.steps), order.plan.undo), title: `Steps of ${view.run}` };
  });
