import { everyProtection, type Protection } from '../../activities/frame/protection.ts';
import { serve } from '../../workers/serve.ts';

// The worker of controls: `WITHOUT` names what is switched off, to show what it is there for.
const without = (process.env['WITHOUT'] ?? '').split(',');
const on = (name: keyof Protection): boolean => !without.includes(name);
const protect = Object.fromEntries(Object.keys(everyProtection).map((name) => [name, on(name as keyof Protection)])) as Protection;
await serve({ protect });
