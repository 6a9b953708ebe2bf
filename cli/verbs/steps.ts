import { loadConfig } from '../../config/load.ts';
import { isIrreversible } from '../../pipelines/acts.ts';
import { steps as builtin } from '../../pipelines/steps/table.ts';
import { UsageError } from '../frame/errors.ts';
import { exit } from '../frame/exit.ts';
import { nearestWord } from '../frame/nearest.ts';
import { projectSteps } from '../project/own-steps.ts';
import { stepPage, stepTable, type ShownStep } from '../render/steps.ts';
import { defineVerb } from '../frame/verb.ts';

export const steps = defineVerb({
  name: 'steps',
  summary: 'The steps a pipeline can use, or one of them in full.',
  usage: '[NAME]',
  options: { json: { type: 'boolean', description: 'One JSON object per step.' } },
  examples: ['portolan steps', 'portolan steps dataset.append'],
  async run({ args: [name], options, cwd, terminal }) {
    const own = await projectSteps(await loadConfig(cwd));
    const known: ShownStep[] = [...Object.values(builtin), ...own];
    const shown = name === undefined ? known : known.filter((step) => step.name === name);
    if (shown.length === 0) {
      const meant = nearestWord(
        name!,
        known.map((step) => step.name),
      );
      throw new UsageError(`there is no step '${name}'`, `${meant ? `did you mean ${meant}? ` : ''}all steps: portolan steps`);
    }
    if (options.json)
      for (const step of shown) {
        const { name, kind, summary, effect, operations } = step;
        terminal.document('step', { name, kind, summary, effect, irreversible: isIrreversible(step), operations: [...operations] });
      }
    else terminal.page(name === undefined ? stepTable(shown) : stepPage(shown[0]!));
    return exit.done;
  },
});
