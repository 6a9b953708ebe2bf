import { newRunId } from '../../runs/run-id.ts';
import { sayOlder } from '../schedule/say-older.ts';
import { compileFile } from '../start/compile-file.ts';
import { fileOptions, timeOption } from '../start/file-options.ts';
import { lendToStart } from '../start/land-here.ts';
import { launchMany } from '../start/launch-many.ts';
import { launch, launchOptions } from '../start/launch.ts';
import { withRuns } from '../project/project.ts';
import { defineVerb } from '../frame/verb.ts';

export const run = defineVerb({
  name: 'run',
  summary: 'Run a pipeline and watch it.',
  usage: 'FILE',
  details: `Ctrl-C leaves the run going: portolan status RUN shows it, portolan cancel RUN ends it.
Without a terminal: one line per event. With --json: one object per line, the last {"type":"result",…}.
Exit code: 0 done, 1 failed, 2 invalid file, 3 waits for an approval (without a terminal) or failed for want of one, 4 inconclusive, 130 interrupted.`,
  options: {
    ...fileOptions,
    ...timeOption,
    params: {
      type: 'string',
      short: 'P',
      value: 'FILE',
      description: 'A run for each line of a JSON lines file: an object of parameters. One line is said of each run.',
    },
    connection: { type: 'string', short: 'c', value: 'NAME', description: 'Connection of portolan.config.mts, or local.' },
    ...launchOptions,
  },
  examples: [
    'portolan run pipelines/hello.yaml --connection local',
    'portolan run pipelines/ingest.yaml -p dataset=movies -p source=data/movies.json',
    'portolan run pipelines/ingest.yaml -P datasets.jsonl --detach',
  ],
  run: (context) =>
    withRuns(context, async (project) => {
      if (context.options.params !== undefined) return launchMany(context, project, context.args[0]!, context.options.params);
      await using tables = lendToStart(project.config, context);
      const compiled = await compileFile(context, project.config, context.args[0]!, { tables });
      await sayOlder(context, project, compiled);
      return await launch(context, project, {
        id: newRunId(compiled.plan.pipeline),
        compiled,
        given: Object.keys(compiled.open.params),
        origin: { command: 'run' },
      });
    }),
});
