import { z } from 'zod';
import { takesFiles, type Endpoint } from '../../contracts/endpoint.ts';
import { isOperation, operations } from '../../contracts/index.ts';
import { formatPath, help, type Finding, type Locate, type Path } from '../file/findings.ts';
import type { StepOrLoop } from '../step.ts';
import { mapFormFiles } from '../form-files.ts';
import { hasExpression } from '../expressions/scan.ts';
import { definition } from '../steps/api/call.ts';
import { nearest } from '../../text/nearest.ts';

/** `api.call` is typed by the operation that it names: everything here is about that one step. */
const operationStep = definition.name;

/** The step with input and output of the operation that this `with` names, its other fields as they are; other steps unchanged. */
export function typed<S extends StepOrLoop>(step: S, given: unknown): S {
  const name = step.name === operationStep ? (given as { operation?: unknown } | null)?.operation : undefined;
  if (typeof name !== 'string' || !isOperation(name)) return step;
  const { input, output, secrets }: Endpoint = operations[name];
  // A call drops what it does not know; in a file that is a mistake.
  const takes = input instanceof z.ZodObject && input.def.catchall === undefined ? input.strict() : input;
  // In the input of an operation that sends a form, `{ file: PATH }` stands for the bytes of a file.
  const files = takesFiles(operations[name]);
  // For the check a file is what it will be: some bytes.
  const checked = files ? z.preprocess((form) => mapFormFiles(form, () => new Blob([])), takes) : takes;
  return {
    ...step,
    files,
    operations: [name],
    input: (secrets ? definition.input : definition.input.omit({ secret: true })).extend({ input: checked.prefault({}) }),
    output: z.object({ result: output }),
  };
}

/** By its name, else by its last parts: `projects.get` is `maps.projects.get`. */
const nearestOperation = (name: string): string | undefined => {
  const known = Object.keys(operations);
  return known.find((each) => each.endsWith(`.${name}`)) ?? nearest(name, known);
};

/** An operation must be written out: effect, approval and types follow from it before the run. */
export function checkOperation(step: StepOrLoop, input: unknown, base: Path, locate: Locate): Finding[] {
  const name = step.name === operationStep ? (input as { operation?: unknown } | null)?.operation : undefined;
  if (typeof name !== 'string') return [];
  const path = [...base, 'operation'];
  if (hasExpression(name))
    return [
      {
        code: 'not-literal',
        message: 'the operation must be written out: its effect decides what is allowed before the run',
        path: formatPath(path),
        remedy: 'write the name of one operation: portolan docs operations lists them',
        ...locate.value(path),
      },
    ];
  const near = nearestOperation(name);
  return isOperation(name)
    ? []
    : [
        {
          code: 'unknown-operation',
          message: `'${name}' is not an operation${near === undefined ? '' : `; did you mean '${near}'?`}`,
          path: formatPath(path),
          ...help(locate, path, { value: near }, 'portolan docs operations lists them; so does portolan call --help'),
          ...locate.value(path),
        },
      ];
}
