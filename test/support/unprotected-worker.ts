import { serve } from '../../workers/serve.ts';

// The worker of controls: `WITHOUT` names what is switched off, to show what it is there for.
const without = (process.env['WITHOUT'] ?? '').split(',');
await serve({ protect: { lookUp: !without.includes('lookUp'), fence: !without.includes('fence') } });
