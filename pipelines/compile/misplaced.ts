import type { Json } from '../../text/json.ts';
import type { Finding, Locate } from '../file/findings.ts';
import { loop as loopSchema, pipelineFile, step as stepSchema } from '../file/schema.ts';

type Fields = { [name: string]: Json };

const fieldsOf = (value: Json | undefined): Fields => (value !== null && typeof value === 'object' && !Array.isArray(value) ? value : {});
const isLoop = (value: Json | undefined): boolean => Object.hasOwn(fieldsOf(value), 'forEach');
const isStep = (value: Json | undefined): boolean => Object.hasOwn(fieldsOf(value), 'use') || isLoop(value);

/** May a step have a field of this name? Those of a loop are others: what it has in them may look like a step. */
const mayHave = (step: Json | undefined, name: string): boolean => Object.hasOwn((isLoop(step) ? loopSchema : stepSchema).shape, name);

/** A part that stands at the wrong level: the finding, the step that it is, and the findings that are its consequences. */
export type Misplaced = { finding: Finding; step?: string; hides: (finding: Finding) => boolean };

const below = (path: string) => (finding: Finding) => finding.path === path || finding.path.startsWith(`${path}.`);

/** Parts of a file whose indentation puts them where they do not belong: steps beside `steps`, parts of a step beside it. */
export function findMisplaced(value: Json, locate: Locate): Misplaced[] {
  const file = fieldsOf(value);
  const steps = Object.keys(fieldsOf(file['steps']));
  const beside = Object.entries(file)
    .filter(([name, part]) => !Object.hasOwn(pipelineFile.shape, name) && isStep(part))
    .map(([name]): Misplaced => ({
      finding: {
        code: 'misplaced',
        message: `'${name}' is a step, and stands beside 'steps:' instead of below it`,
        path: name,
        remedy: 'indent it and its lines by two blanks',
        ...locate.key([name]),
      },
      step: name,
      hides: below(name),
    }));
  const parts = steps
    .filter((name) => Object.hasOwn(stepSchema.shape, name) && !isStep(fieldsOf(file['steps'])[name]))
    .map((name): Misplaced => {
      const above = steps[steps.indexOf(name) - 1];
      return {
        finding: {
          code: 'misplaced',
          message: `'${name}' stands beside the steps instead of in one`,
          path: `steps.${name}`,
          remedy: `indent it and its lines by two blanks, below ${above ?? 'its step'}`,
          ...locate.key(['steps', name]),
        },
        hides: (finding) =>
          below(`steps.${name}`)(finding) ||
          (['missing-field', 'wrong-type'].includes(finding.code) && above !== undefined && below(`steps.${above}`)(finding)),
      };
    });
  const topFields = steps
    .filter((name) => Object.hasOwn(pipelineFile.shape, name) && !isStep(fieldsOf(file['steps'])[name]))
    .map((name): Misplaced => ({
      finding: {
        code: 'misplaced',
        message: `'${name}' stands among the steps`,
        path: `steps.${name}`,
        remedy: 'begin its line without blanks, and indent what belongs to it by two',
        ...locate.key(['steps', name]),
      },
      hides: below(`steps.${name}`),
    }));
  const inSteps = Object.entries(fieldsOf(file['steps'])).flatMap(([owner, step]) =>
    Object.entries(fieldsOf(step))
      .filter(([name, part]) => !mayHave(step, name) && isStep(part))
      .map(([name]): Misplaced => ({
        finding: {
          code: 'misplaced',
          message: `'${name}' is a step, and stands within '${owner}'`,
          path: `steps.${owner}.${name}`,
          remedy: 'indent it and its lines by two blanks less',
          ...locate.key(['steps', owner, name]),
        },
        step: name,
        hides: below(`steps.${owner}.${name}`),
      })),
  );
  const inParams = Object.hasOwn(file, 'steps')
    ? []
    : Object.entries(fieldsOf(file['params']))
        .filter(([, part]) => isStep(part))
        .map(([name], index): Misplaced => ({
          finding: {
            code: 'misplaced',
            message: `'${name}' is a step, and stands among the parameters`,
            path: `params.${name}`,
            remedy: index === 0 ? "write the line 'steps:' above it" : "it belongs below the line 'steps:'",
            ...locate.key(['params', name]),
          },
          step: name,
          hides: (finding) => below(`params.${name}`)(finding) || (finding.code === 'missing-field' && finding.path === 'steps'),
        }));
  return [...beside, ...parts, ...topFields, ...inSteps, ...inParams];
}
