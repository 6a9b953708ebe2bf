import { isRepeatable, takesFiles, type Endpoint } from '../../contracts/endpoint.ts';
import { operations } from '../../contracts/index.ts';
import type { definition } from '../../pipelines/steps/api/call.ts';
import type { ActivityOf } from '../frame/activity.ts';
import { lookupOf } from '../effects/lookup-of.ts';
import { withFiles } from './form-files.ts';
import { carryCall } from '../effects/carry-call.ts';
import { sendOnce } from '../effects/send-once.ts';
import { keptBytes } from './kept-bytes.ts';

const activity: ActivityOf<typeof definition> = {
  async run({ operation, input, extra, secret }, context) {
    const endpoint: Endpoint = operations[operation];
    const options = { signal: context.signal, secret: secret ?? `${context.run.id}.${context.step}`, ...(extra ? { extra } : {}) };
    const send = async (): Promise<unknown> =>
      context.invoke(operation, takesFiles(endpoint) ? await withFiles(context, input) : input, options);
    if (isRepeatable(endpoint)) return { result: await keptBytes(await send(), context) };

    const { lookup } = endpoint;
    const once = lookup && lookupOf({ lookup }, endpoint.input.parse(input), context);
    const call = { operation, input: extra ? { ...input, extra } : input };
    await carryCall(context, call);
    const { value } = await sendOnce(context, { ...call, lookup: once, send });
    return { result: value };
  },
};
export default activity;
