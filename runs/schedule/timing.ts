import type { Schedule } from '../../pipelines/file/schedule.ts';

/** When runs are due, in one line: `15 6 * * 1-5 Europe/Madrid`. */
export const timing = ({ cron, every, offset, timezone }: Schedule): string =>
  cron === undefined ? `every ${every}${offset === undefined ? '' : `, ${offset} later`}` : `${cron} ${timezone}`;
