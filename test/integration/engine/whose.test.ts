/** The engine's suite on a real engine: whose things are. */
import { whoseSuite } from '../../engine-suite/whose.ts';
import { bedEngine } from './engine-fixture.ts';

whoseSuite(bedEngine());
