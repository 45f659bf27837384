import type { Stores } from '../../server/src/composition/stores.ts';
import {
  createUnfinishedDeletions,
  type UnfinishedDeletions,
} from '../../server/src/modules/unfinished-deletion/unfinished-deletion.ts';
import { systemClock } from '../../server/src/ports/clock.ts';

/** Deletions that go on, of a world without an engine. */
export const unfinishedOf = ({ unfinishedDeletions }: Stores): UnfinishedDeletions =>
  createUnfinishedDeletions(unfinishedDeletions, systemClock);
