import type { Config } from '../config/load.ts';
import { bytesOf } from '../text/size.ts';
import { createLanding, type Landing, type LandingOptions } from './landing.ts';

/** Fetching as the configuration has it. */
export const landingOf = ({ store, sources }: Pick<Config, 'store' | 'sources'>, secret: LandingOptions['secret']): Landing =>
  createLanding({ root: store, allow: sources.allow, mostBytes: bytesOf(sources.most), secret });
