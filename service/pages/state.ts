import type { Images } from '../../child/images.ts';
import type { maps } from '../../contracts/maps/index.ts';
import type { MapsState } from '../apis/maps/state.ts';
import type { Handlers } from '../http/handlers.ts';
import type { InstancePagesState } from './instance/state.ts';

/** What the pages are made of. */
export type PagesState = MapsState & {
  /** Whose data the pages show. */ userId: string;
  topk: Handlers<typeof maps>['query']['topk'];
  tag: Handlers<typeof maps>['tags']['update'];
  images: Images;
  instance: InstancePagesState;
  /** Writes the page of schedules; absent: this service knows of no project. */
  schedules: (() => Promise<string>) | undefined;
};
