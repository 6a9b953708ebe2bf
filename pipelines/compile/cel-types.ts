import type { z } from 'zod';
import type { TypedFields } from '../expressions/typed.ts';
import { def } from '../file/schema-fields.ts';
import type { PipelineFile } from '../file/schema.ts';
import type { Names } from './names.ts';

const scalars: Readonly<Record<string, string>> = { string: 'string', number: 'number', boolean: 'bool', record: 'map', enum: 'string' };

/** The type of a value of a schema in CEL; what may be of several types, or null, is `dyn`. */
function celType(schema: z.ZodType): string | TypedFields {
  const { type, innerType, element, shape, catchall } = def(schema);
  if ((type === 'optional' || type === 'default' || type === 'prefault' || type === 'readonly') && innerType) return celType(innerType);
  if (type === 'array' && element) {
    const inner = celType(element);
    // CEL has no lists of named fields here: what is taken out of one is any value.
    return typeof inner === 'string' && inner !== 'dyn' && !inner.startsWith('list') ? `list<${inner}>` : 'list';
  }
  if (type === 'object' && shape && (catchall === undefined || def(catchall).type === 'never')) {
    const fields = Object.entries(shape);
    return fields.length === 0 ? 'map' : Object.fromEntries(fields.map(([name, field]) => [name, celType(field)]));
  }
  return type === 'object' ? 'map' : (scalars[type] ?? 'dyn');
}

const ofParam: Readonly<Record<PipelineFile['params'][string]['type'], string>> = {
  path: 'string',
  slug: 'string',
  string: 'string',
  integer: 'int',
  number: 'number',
  boolean: 'bool',
};

/** The names of a file with their types. A parameter or step whose type is unknown may be anything. */
export const celTypes = ({ params, steps, run }: Names): { params: TypedFields; steps: TypedFields; run: TypedFields } => ({
  run,
  params: Object.fromEntries([...params].map(([name, param]) => [name, param === undefined ? 'dyn' : ofParam[param.type]])),
  steps: Object.fromEntries([...steps].map(([id, step]) => [id, step === undefined ? 'dyn' : celType(step.output)])),
});
