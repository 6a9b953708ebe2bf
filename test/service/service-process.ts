import { createService } from '../../service/app.ts';
import type { ServiceOptions, ServiceReady } from '../../service/app.ts';

// The service as a process with options that its command line does not have.
const service = createService({ control: true, ...(JSON.parse(process.argv[2]!) as ServiceOptions) });
process.once('disconnect', () => process.exit());
const { url } = await service.listen();
process.send!({ url, adminKeys: service.adminKeys, keyFiles: service.keyFiles, pid: process.pid } satisfies ServiceReady);
