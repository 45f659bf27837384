/** The engine's suite on a real engine: what it says of containers that do not end holds in memory, too. */
import { leavingSuite } from '../../engine-suite/leaving.ts';
import { bedEngine } from './engine-fixture.ts';

leavingSuite(bedEngine());
