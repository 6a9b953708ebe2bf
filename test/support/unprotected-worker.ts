import type { Protection } from '../../activities/frame/protection.ts';
import { serve } from '../../workers/serve.ts';

// The worker of controls: `WITHOUT` names what is switched off, to show what it is there for.
const without = (process.env['WITHOUT'] ?? '').split(',');
const on = (name: keyof Protection): boolean => !without.includes(name);
await serve({ protect: { lookUp: on('lookUp'), fence: on('fence'), secrets: on('secrets'), waits: on('waits') } });
