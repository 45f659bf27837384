/** The engine's suite on a real engine: what its events tell of what runs. */
import { endedSuite } from '../../engine-suite/ended.ts';
import { bedEngine } from './engine-fixture.ts';

endedSuite(bedEngine());
