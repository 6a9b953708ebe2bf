import { TestWorkflowEnvironment } from '@temporalio/testing';
import type { Fetched } from './site.ts';

process.once('disconnect', () => process.exit(1));

const end = (message: Fetched): void => {
  process.send?.(message, () => process.exit(0));
};

const [downloadDir] = process.argv.slice(2);
if (downloadDir === undefined) throw new Error('Usage: temporal-site-main FOLDER');

try {
  const environment = await TestWorkflowEnvironment.createLocal({ server: { executable: { type: 'cached-download', downloadDir } } });
  await environment.teardown();
  end({ ok: true });
} catch (error) {
  // The cause stands at the end, behind the same address twice.
  end({ ok: false, message: (error as Error).message.split('): ').at(-1) ?? 'failed' });
}
