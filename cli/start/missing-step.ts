import type { Config } from '../../config/load.ts';
import type { Finding } from '../../pipelines/file/findings.ts';
import { steps as builtin } from '../../pipelines/steps/table.ts';
import type { Json } from '../../text/json.ts';

/** A step type that is not there and resembles none is most likely one of the user's own whose file is missing: says how to make it. */
export const missingStep = (finding: Finding, file: Json | undefined, config: Config): Finding => {
  if (finding.code !== 'unknown-step' || finding.remedy !== undefined || finding.message.includes('did you mean')) return finding;
  const id = finding.path.split('.')[1] ?? '';
  const use = (file as { steps?: { [id: string]: { use?: unknown } } } | undefined)?.steps?.[id]?.use;
  if (
    typeof use !== 'string' ||
    Object.keys(builtin).some((name) => name.split('.')[0] === use.split('.')[0]) ||
    !/^[a-z][a-z0-9-]*\.[a-z][a-z0-9-]*$/.test(use)
  )
    return finding;
  return {
    ...finding,
    message: `there is no step type '${use}', neither built in nor in ${config.steps.join(', ')}`,
    remedy: `make it: portolan step new ${use.replace(/^own\./, '')}   (or see what there is: portolan steps)`,
  };
};
